package io.chainkeeper.chain;

/**
 * Whether what goes down the chain comes back to the leader. If the leader has confirmed no round for a while, a
 * replica further down hangs or cannot reach the leader. Then all that notice close the loop themselves, before the
 * leader has to take itself for deposed. They do so for some time, because each new try with the whole chain costs such
 * a pause.
 */
final class LoopWatch {
    private final ReplicaState state;

    /** The newest round that the leader is known to have confirmed, and since when. */
    private long confirmedRound;

    private long confirmedTick;

    /** Until then this replica closes the loop although others are subscribed to it. */
    private long brokenUntilTick;

    /** What the leader was last told when this replica closed the loop; null if nothing, or if that may be lost. */
    private Progress told;

    LoopWatch(ReplicaState state) {
        this.state = state;
    }

    /** Another ballot, or none: nothing is known. */
    void begin() {
        confirmedRound = 0;
        confirmedTick = state.now;
        brokenUntilTick = state.now;
        told = null;
    }

    /** Whether there are acknowledgements or rounds of members that the leader was not told. */
    boolean hasNews() {
        Progress known = state.progress;
        boolean news = told == null;
        for (int i = 0; i < known.size() && !news; i++) {
            int id = known.id(i);
            news = id != state.leader && (known.ack(id) > told.ack(id) || known.roundSeen(id) > told.roundSeen(id));
        }
        return news;
    }

    /** The leader is told this. */
    void told(Progress progress) {
        told = progress;
    }

    /** What the leader was told may be lost. */
    void forgetTold() {
        told = null;
    }

    /** Whether this replica is to close the loop although others are subscribed to it. */
    boolean isBroken() {
        if (state.progress.confirmedRound() > confirmedRound) {
            confirmedRound = state.progress.confirmedRound();
            confirmedTick = state.now;
        } else if (state.now - confirmedTick > state.settings.predecessorTimeoutTicks()) {
            confirmedTick = state.now;
            brokenUntilTick = state.now + state.settings.brokenLoopTicks();
        }
        return state.now < brokenUntilTick;
    }

    /**
     * The next tick at which the loop is taken for broken if nothing is confirmed; none while it is taken for broken.
     */
    long dueTick() {
        boolean broken = state.now < brokenUntilTick;
        return broken ? Long.MAX_VALUE : confirmedTick + state.settings.predecessorTimeoutTicks() + 1;
    }
}
