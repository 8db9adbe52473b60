package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.function.LongSupplier;

/**
 * Gives up this replica's sessions while it serves nobody although it has a leader, for instance because its disk hangs
 * and it executes nothing. It ends no session that it does not serve, and the leader hears it, so without this the
 * sessions of clients that are gone would stay for as long as it hangs. Used by the maintenance thread only.
 */
final class UnservedSessions {
    private final LongSupplier clockMillis;
    private final long patienceMillis;
    private final Runnable giveUp;
    private boolean isWaiting;
    private long sinceMillis;
    private boolean isGivenUp;

    /**
     * @param clockMillis a monotonic clock
     * @param patienceMillis how long this replica may serve nobody before it gives up its sessions
     * @param giveUp lets the sessions be ownerless; run once each time that nobody is served
     */
    UnservedSessions(LongSupplier clockMillis, long patienceMillis, Runnable giveUp) {
        this.clockMillis = clockMillis;
        this.patienceMillis = patienceMillis;
        this.giveUp = giveUp;
    }

    /**
     * Looks once.
     *
     * @param role in the order; while it has no leader what it proposes has to wait
     * @param mayServe whether it is part of the ensemble; who is removed has no sessions
     * @param isServing whether clients are served
     */
    void tick(Role role, boolean mayServe, boolean isServing) {
        if (isServing || !mayServe) {
            isWaiting = false;
            isGivenUp = false;
            return;
        }
        long now = clockMillis.getAsLong();
        if (!isWaiting) {
            isWaiting = true;
            sinceMillis = now;
        }
        if (!isGivenUp && role != Role.LOOKING && now - sinceMillis >= patienceMillis) {
            isGivenUp = true;
            giveUp.run();
        }
    }
}
