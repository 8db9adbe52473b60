package io.chainkeeper.chain;

/** What this replica hears of the one that feeds it: whether that one lives, and whether values come. */
final class PredecessorWatch {
    private final ReplicaState state;
    private long heardTick;

    /** The newest round that the predecessor has told of; the leader may have told of a newer one itself. */
    private long round;

    /** When the predecessor last brought a value, or this replica lacked none. */
    private long fedTick;

    /** When any predecessor last did, or a state was asked for. */
    private long starvingTick;

    /** Whether a log was found not to reach back far enough since a value came last. */
    private boolean isLogTruncated;

    PredecessorWatch(ReplicaState state) {
        this.state = state;
    }

    /** Another ballot is followed. */
    void beginBallot() {
        starvingTick = state.now;
        isLogTruncated = false;
    }

    /** This replica subscribes to a predecessor. */
    void begin() {
        heardTick = state.now;
        fedTick = state.now;
        round = 0;
    }

    /**
     * The predecessor has told how far it is. It counts as a sign of life if it brings a value, or a round of which the
     * predecessor had not told.
     *
     * @return whether it counts
     */
    boolean heard(Progress news, boolean bringsValue) {
        if (bringsValue) {
            isLogTruncated = false;
        }
        if (bringsValue || !isBehind()) {
            fedTick = state.now;
            starvingTick = state.now;
        }
        boolean counts = bringsValue || news.round() > round;
        if (counts) {
            round = Math.max(round, news.round());
            heardTick = state.now;
        }
        return counts;
    }

    /** The log of some replica does not reach back far enough. */
    void foundLogTruncated() {
        isLogTruncated = true;
    }

    private boolean isBehind() {
        return state.progress.maxDecided() > state.maxAccepted;
    }

    /** Whether nothing was heard for so long that this replica turns to another one. */
    boolean isSilent() {
        return state.now - heardTick > state.settings.predecessorTimeoutTicks();
    }

    /**
     * Whether the predecessor lives, and brings nothing of what this replica lacks: its disk may give no answer for
     * good. It may be slow too, so this takes longer than to miss one that is silent.
     */
    boolean feedsNothing() {
        return isBehind() && state.now - fedTick > patienceTicks();
    }

    /**
     * Whether a state is needed, because some log does not reach back, and whose log does brings nothing; or, after a
     * longer time, because nobody brings anything. If so, it is asked for now.
     */
    boolean starves() {
        boolean starves = isBehind() && state.now - starvingTick > starvingTicks();
        if (starves) {
            starvingTick = state.now;
        }
        return starves;
    }

    private long patienceTicks() {
        return 2L * state.settings.suspicionTicks();
    }

    /** A log that does reach back may be slow to begin with, and is mostly shorter than a state. */
    private long starvingTicks() {
        return isLogTruncated ? patienceTicks() : 2 * patienceTicks();
    }

    /** The next tick, at the latest, at which any of this changes unless more is heard before. */
    long dueTick() {
        long silent = heardTick + state.settings.predecessorTimeoutTicks() + 1;
        long hungry = Math.min(fedTick + patienceTicks(), starvingTick + starvingTicks()) + 1;
        return isBehind() ? Math.min(silent, hungry) : silent;
    }
}
