package io.chainkeeper.disk;

import java.util.function.IntToLongFunction;

/** When clients' writes are to be refused because a server without a checkpoint holds the rings up. */
final class RingSpace {
    private final DiskState state;

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
        boolean isNearlyFull = state.ring.usedBytes() > state.layout.regionBytes() / 2;
        if (isNearlyFull && isGone || fullTick != 0 && state.now - fullTick > patience) {
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
