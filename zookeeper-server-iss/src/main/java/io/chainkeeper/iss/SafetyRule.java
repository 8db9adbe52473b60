package io.chainkeeper.iss;

/** The rules that docs/iss.md uses to show that ISS is safe, besides those that every host holds a protocol to. */
enum SafetyRule {
    /** A restarted leader does not use ballot 0 in an epoch in which it may have spoken. */
    RESTARTED_LEADER_IS_SILENT,
    /** Phase 1 needs promises of a quorum. */
    QUORUM_OF_PROMISES,
    /** A read needs answers of a quorum. */
    QUORUM_OF_ANSWERS,
    /** A read waits until everything up to the highest answer has been delivered. */
    READ_WAITS_FOR_READ_INDEX,
    /**
     * A proposer gives its ballot up if another value than its own is decided: whatever it says to be decided, others
     * take for decided with the value that it had proposed.
     */
    CONTRADICTED_BALLOT_IS_GIVEN_UP,
    /** An initial leader proposes nothing more where others have finished its segment. */
    OVERTAKEN_LEADER_STOPS,
    /** A ballot that a refusal has told of is promised only with a record, like any other. */
    WHAT_REFUSALS_TELL_IS_RECORDED,
    /** A promise tells decided positions too. */
    PROMISE_TELLS_WHAT_IS_DECIDED,
    /**
     * Nil proposed by a replica that took the segment over is decided by its quorum like any value: an acceptor outside
     * the quorum of phase 1 may hold the initial leader's command.
     */
    NIL_OF_A_TAKEOVER_NEEDS_A_QUORUM,
    /** Whoever takes a segment over proposes, per position, the value of the highest ballot. */
    VALUE_OF_THE_HIGHEST_BALLOT,
    /** What a proposer says to be decided is so with the value that was received in the same ballot, and no other. */
    DECIDED_IN_THE_SAME_BALLOT,
    /** The last position of an epoch is delivered only when a quorum holds the configuration of the next one. */
    NEXT_EPOCH_IS_HELD_BEFORE_DELIVERY,
    /** A value is delivered only when its record is durable here. */
    VALUE_IS_DURABLE_BEFORE_DELIVERY,
    /** A leader skips only when its log says that it is in the epoch. */
    SKIPS_ONLY_IN_A_RECORDED_EPOCH,
    /** The log of the present epoch stays as a whole. */
    LOG_OF_THE_EPOCH_STAYS,
    /** What the log may still hold as accepted only is not told as decided. */
    ONLY_DECIDED_RECORDS_ARE_TOLD,
    /** What is decided by the time the log has been read need not be what was read: that counts which was before. */
    LOG_IS_TOLD_AS_DECIDED_WHEN_READ,
    /** Who does not know the epoch takes only what others have delivered. */
    ONLY_DELIVERED_VALUES_ARE_LEARNED,
    /** What a deposed proposer proposes is not accepted where something else is known to be decided. */
    DECIDED_POSITION_IS_CLOSED,
    /** Whose commands wait for a leader that is gone wishes for the end of the epoch: nobody else may know of them. */
    EPOCH_ENDS_FOR_COMMANDS_OF_A_LEADER_THAT_IS_GONE,
    /**
     * A candidate waits for its own disk, and for each next answer, longer after each attempt that came to nothing: no
     * attempt could come to an end where disks are slow.
     */
    CANDIDATES_WAIT_FOR_SLOW_DISKS
}
