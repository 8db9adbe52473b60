package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.maintenance.ServingPolicy;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.admin.AdminServer;

/** Where a replica is seen from outside of the order: its client ports, metrics, JMX and AdminServer. */
interface ReplicaFront {
    /** Requests are taken from now on. Called before the order is started. */
    void startServer();

    /**
     * The order runs.
     *
     * @param order whose numbers are shown
     * @param further other numbers, without prefix
     */
    void orderStarted(TotalOrder order, Map<String, LongSupplier> further);

    /** Begins to answer at the client ports. */
    void openClientPorts();

    /**
     * Begins to answer at the AdminServer's port; any time after {@link #orderStarted}.
     *
     * @param adminServer makes one; does not listen yet
     */
    void startAdminServer(Supplier<AdminServer> adminServer);

    /** @return serves clients that can do without the order */
    ServingPolicy.WithoutOrder withoutOrder();

    /** @param status this replica's view of the order; maintenance, with each look */
    void showRole(OrderingStatus status);

    /** Shows nothing any more. */
    void close();
}
