package io.chainkeeper.chain;

/**
 * Whether what goes down the chain comes back to the leader. If the leader has confirmed no round for a while, or what
 * this replica has acknowledged is not known to those ahead of it, a replica further down hangs, or its disk does, or
 * it cannot reach the leader. Then all that notice close the loop themselves, before the leader has to take itself for
 * deposed, or waits for ever. They do so for some time, because each new try with the whole chain costs such a pause.
 */
final class LoopWatch {
    private final ReplicaState state;

    /** The newest round that the leader is known to have confirmed, and since when. */
    private long confirmedRound;

    private long confirmedTick;

    /** What those ahead of this replica are known to know of its acknowledgements. */
    private long knownAck;

    /** What this replica had acknowledged at a time, and when: they should know that by now, or soon. */
    private long awaitedAck;

    private long awaitedTick;

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
        knownAck = 0;
        awaitedAck = 0;
        awaitedTick = state.now;
        brokenUntilTick = state.now;
        told = null;
    }

    /** A message shows what its sender knows of the members. */
    void heard(Progress news) {
        knownAck = Math.max(knownAck, news.ack(state.self));
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
        } else if (isOverdue(confirmedTick)) {
            broken();
        }
        if (knownAck >= awaitedAck) {
            awaitedAck = state.progress.ack(state.self);
            awaitedTick = state.now;
        } else if (isOverdue(awaitedTick)) {
            broken();
        }
        return state.now < brokenUntilTick;
    }

    private boolean isOverdue(long sinceTick) {
        return state.now - sinceTick > state.settings.predecessorTimeoutTicks();
    }

    private void broken() {
        confirmedTick = state.now;
        awaitedTick = state.now;
        brokenUntilTick = state.now + state.settings.brokenLoopTicks();
    }

    /**
     * The next tick at which the loop is taken for broken if nothing is confirmed; none while it is taken for broken.
     */
    long dueTick() {
        boolean broken = state.now < brokenUntilTick;
        long since = knownAck >= awaitedAck ? confirmedTick : Math.min(confirmedTick, awaitedTick);
        return broken ? Long.MAX_VALUE : since + state.settings.predecessorTimeoutTicks() + 1;
    }
}
