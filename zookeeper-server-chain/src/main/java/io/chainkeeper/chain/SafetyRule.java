package io.chainkeeper.chain;

/** The rules that the proof in docs/chain.md uses, besides those that every host holds a protocol to. */
enum SafetyRule {
    /** Only a value accepted in the current ballot is acknowledged, and decided by its vector. */
    VALUE_OF_THIS_BALLOT_COUNTS,
    /**
     * A replica executes in a ballot only when its disk keeps the promise of that ballot: what is executed may be on
     * disk, as a checkpoint, before the acceptor log is.
     */
    PROMISE_IS_DURABLE_BEFORE_DELIVERY,
    /** Where a value of an older ballot is overwritten, a replica executes only when its own record is durable. */
    OVERWRITTEN_VALUE_IS_DURABLE_BEFORE_DELIVERY,
    /** A read round is confirmed when a quorum of each membership that may be in force has seen it. */
    READ_ROUND_NEEDS_QUORUM,
    /** A voter tells a reader that it has seen its request only while it has promised nothing above its ballot. */
    READ_REQUEST_SEEN_IN_ITS_BALLOT,
    /** A read is answered only after everything that was proposed when its round began has been delivered. */
    READ_WAITS_FOR_READ_INDEX,
    /** A candidate needs promises of a quorum. */
    QUORUM_OF_PROMISES,
    /** And of a quorum of each later membership in force where it is going to propose. */
    QUORUM_OF_LATER_MEMBERSHIPS,
    /** A promise counts only if it is that of the member's own disk. */
    PROMISE_OF_THE_MEMBERS_DISK,
    /** A candidate takes, per instance, the value of the highest ballot. */
    VALUE_OF_THE_HIGHEST_BALLOT,
    /** A membership that cannot have been decided is not taken up by a candidate. */
    VOID_MEMBERSHIP_IS_DROPPED,
    /** The next change of the membership is proposed only when the last one is decided. */
    ONE_CHANGE_OF_THE_MEMBERSHIP_AT_A_TIME,
    /** A candidate that lacks what is no longer in memory here is not answered with a promise. */
    PROMISE_TELLS_ALL_THAT_THE_CANDIDATE_LACKS,
    /** Who stands, and is no member yet, knows from the order who votes on its first instance. */
    CANDIDATE_KNOWS_THE_MEMBERSHIP,
    /** Only a voter recognises a quorum, because it knows the memberships. */
    ONLY_VOTERS_COUNT_QUORUMS,
    /** A replica that is about to leave the membership acknowledges nothing from there on. */
    LEAVER_ACKNOWLEDGES_NOTHING_BEYOND,
    /** That a membership is decided is recorded at once: whoever was replaced may have no disk to tell of it. */
    DECIDED_MEMBERSHIP_IS_RECORDED,
    /** A replica asks to be admitted only under the number of a disk that a crash leaves it. */
    LEARNER_TELLS_A_DURABLE_DISK,
    /** What is decided by the time the log has been read need not be what was read: that counts which was before. */
    LOG_IS_TOLD_AS_DECIDED_WHEN_READ,
    /** A start whose log has a hole below what is decided waits for the state of another replica. */
    HOLE_IS_FILLED_BY_A_STATE
}
