package io.chainkeeper.server.execution;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Application;

/** What the order tells the server besides commands. The methods must not block. */
public interface OrderEvents {
    /**
     * See {@link Application#statusChanged}. Ordering thread.
     *
     * @param status the order's view of its leader
     */
    void statusChanged(OrderingStatus status);

    /**
     * See {@link Application#memberSilent}. Ordering thread, at the leader only.
     *
     * @param member replica id
     * @param silent whether it went silent, else it came back
     */
    void memberSilent(int member, boolean silent);

    /**
     * See {@link Application#stateNeeded}. Ordering thread.
     *
     * @param fromPeer a member that has the state
     * @param position the position that this replica needs next
     */
    void stateNeeded(int fromPeer, long position);

    /** See {@link Application#checkpointWanted}. Ordering thread. */
    void checkpointWanted();

    /**
     * See {@link Application#superseded}. Apply thread.
     *
     * @param incarnation of a later start of this replica that the order holds
     */
    void superseded(long incarnation);
}
