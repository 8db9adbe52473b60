package io.chainkeeper.disk;

import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/**
 * When clients' writes are to be refused because a server without a checkpoint holds the rings up. Until that is known,
 * and has reached those who refuse, a leader writes slowly, so that there is room left for what was taken before, for
 * sessions, and for removing that server.
 */
final class RingSpace {
    /** Of a ring: what may be appended slowly at most before clients' writes are refused. */
    private static final int PER_RING_SLOWLY = 16;

    /** For those who refuse clients' writes to look, and as much again. */
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

    /** Looked at before each proposal, as a ring may fill up between two ticks. */
    private boolean isSlow() {
        return state.isLeading && holder(id -> !state.linkUp[id]) != 0;
    }

    /**
     * Whose checkpoint keeps more than half of the ring from being freed, whatever this server has in its own: that one
     * may take its time, and with it as much would be left.
     *
     * @param isMeant which other members count
     * @return the one of them with the oldest checkpoint, 0 if there is none
     */
    private int holder(IntPredicate isMeant) {
        int holder = 0;
        long least = state.ring.toBeFreedFor(state.layout.regionBytes() / 2);
        for (int id : state.membership.replicaIds()) {
            if (id != state.self && state.checkpointOf(id) < least && isMeant.test(id)) {
                least = state.checkpointOf(id);
                holder = id;
            }
        }
        return holder;
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
        int patience = state.settings.silenceTicks();
        int gone = holder(id -> silentTicks.applyAsLong(id) > patience);
        if (gone != 0 || fullTick == 0 || state.now - fullTick <= patience) {
            return gone;
        }
        int holder = state.heldBy();
        return holder == 0 ? state.self : holder;
    }

    /** Follower: its leader says so. */
    void told(int heldUpBy) {
        toldHeldUpBy = heldUpBy;
    }

    int toldHeldUpBy() {
        return toldHeldUpBy;
    }
}
