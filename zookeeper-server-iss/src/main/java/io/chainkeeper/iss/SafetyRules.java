package io.chainkeeper.iss;

/** Rules that safety rests on, one by one, so that tests can show what happens without each. */
class SafetyRules {
    /**
     * Nil proposed by a replica that took the segment over is decided by its quorum like any value: an acceptor outside
     * the quorum of phase 1 may hold the initial leader's command.
     */
    boolean isTakeoverNilDecidedOnReceipt() {
        return false;
    }

    /** A restarted leader does not use ballot 0 in an epoch in which it may have spoken. */
    boolean mayRestartedLeaderSpeak() {
        return false;
    }

    /** Phase 1 needs promises from a quorum. */
    boolean suffices(int promises, int quorum) {
        return promises >= quorum;
    }

    /** A read needs answers from a quorum. */
    boolean isReadAnswered(int answers, int quorum) {
        return answers >= quorum;
    }

    /**
     * A proposer gives its ballot up if another value than its own is decided, or if others have finished its segment:
     * whatever it says to be decided, others take for decided with the value that it had proposed.
     */
    boolean givesUpContradictedBallot() {
        return true;
    }

    /** A ballot that a refusal has told of is promised only with a record, like any other. */
    boolean recordsWhatRefusalsTell() {
        return true;
    }

    /** A promise tells decided positions too. */
    boolean mentionsDecided() {
        return true;
    }
}
