package io.chainkeeper.disk;

import java.util.function.IntToLongFunction;

/**
 * When clients' writes are to be refused because a server without a checkpoint holds the rings up. Until that is known,
 * and has reached those who refuse, a leader writes slowly, so that there is room left for what was taken before, for
 * sessions, and for removing that server.
 */
final class RingSpace {
    /** Of a ring: what may be appended slowly at most before clients' writes are refused. */
    private static final int PER_RING_SLOWLY = 16;

    /** Half a second until the guard looks, and as much again. */
    private static final int GUARD_TICKS = 100;

    private final DiskState state;

    /** Leader, while it writes slowly: what it may append, negative when the last batch was longer. */
    private long slowBytes;

    /** Leader: since when the ring has been full; 0 if it is not. */
    private long fullTick;

    /** Follower: what its leader has said last. */
    private int toldHeldUpBy;

    RingSpace(DiskState state) {
        this.state = state;
    }

    /**
     * Leader, with each tick: looks whether the ring fills up because of somebody.
     *
     * @param isFull whether it has no room for proposals
     */
    void look(boolean isFull) {
        fullTick = !isFull ? 0 : fullTick == 0 ? state.now : fullTick;
        long perTick = slowBytesPerTick();
        slowBytes = isSlow() ? Math.min(perTick, slowBytes + perTick) : 0;
    }

    private long slowBytesPerTick() {
        long ticks = 2L * state.settings.silenceTicks() + GUARD_TICKS;
        return Math.max(1, state.layout.regionBytes() / PER_RING_SLOWLY / ticks);
    }

    private boolean isNearlyFull() {
        return state.ring.usedBytes() > state.layout.regionBytes() / 2;
    }

    /**
     * Looked at before each proposal, as a ring may fill up between two ticks. Who is gone counts also as long as the
     * leader has no later checkpoint itself: that takes its time, and with it the ring would not be freed either.
     */
    private boolean isSlow() {
        return state.isLeading && isNearlyFull() && state.isHeldByUnlinked();
    }

    /** Leader: whether it may append another proposal by now. */
    boolean mayAppend() {
        return !isSlow() || slowBytes > 0;
    }

    /** Leader: it is going to append an entry. */
    void appends(long bytes) {
        slowBytes -= isSlow() ? bytes : 0;
    }

    /**
     * Leader: what it tells its followers.
     *
     * @param silentTicks for how long a member has shown no sign of life
     * @return the server because of which clients' writes are to be refused; 0 if they are not
     */
    int heldUpBy(IntToLongFunction silentTicks) {
        int holder = state.heldBy();
        int patience = state.settings.silenceTicks();
        boolean isGone = holder != 0 && silentTicks.applyAsLong(holder) > patience;
        if (isNearlyFull() && isGone || fullTick != 0 && state.now - fullTick > patience) {
            return holder == 0 ? state.self : holder;
        }
        return 0;
    }

    /** Follower: its leader says so. */
    void told(int heldUpBy) {
        toldHeldUpBy = heldUpBy;
    }

    int toldHeldUpBy() {
        return toldHeldUpBy;
    }
}
