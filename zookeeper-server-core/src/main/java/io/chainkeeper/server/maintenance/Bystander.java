package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus;

/** Told of what maintenance sees of this replica and of others. The methods must not wait. */
public interface Bystander {
    /** @param status this replica's view of the order; background, with each look */
    void showRole(OrderingStatus status);

    /**
     * The first command of another replica's start has been executed. Apply thread.
     *
     * @param member replica id
     */
    void memberStarted(int member);
}
