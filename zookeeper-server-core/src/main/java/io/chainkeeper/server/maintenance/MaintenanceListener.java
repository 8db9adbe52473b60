package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus;

/** Told of what maintenance sees of this replica and of others. The methods must not wait. */
public interface MaintenanceListener {
    /** @param status this replica's view of the order; background, with each look */
    void showRole(OrderingStatus status);

    /**
     * The first command of another start than this one has been executed. Apply thread.
     *
     * @param member replica id; this replica's own for an earlier start of it, whose commands are executed again
     */
    void memberStarted(int member);
}
