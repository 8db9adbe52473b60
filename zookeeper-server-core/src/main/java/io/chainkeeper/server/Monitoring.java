package io.chainkeeper.server;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.admin.OrderedAdminServer;
import io.chainkeeper.server.request.Proposer;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AdminServer;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything by which others see this replica: metrics, JMX and the AdminServer. */
final class Monitoring implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitoring.class);

    private final OrderedZooKeeperServer server;
    private final RoleView roleView;
    private final OrderView view;
    private AdminServer adminServer;
    private OrderingGauges gauges;

    /**
     * @param server shown; told of the view
     * @param roleView shows the role in ZooKeeper's peer
     * @param view of the order
     */
    Monitoring(OrderedZooKeeperServer server, RoleView roleView, OrderView view) {
        this.server = server;
        this.roleView = roleView;
        this.view = view;
        server.monitor(view);
    }

    /**
     * Peer's thread: the order runs.
     *
     * @param order whose numbers are shown
     * @param further other numbers, without prefix
     * @param proposer for the checks of readiness
     * @param space whether writes are refused
     * @param clockMillis a monotonic clock
     */
    void start(
            TotalOrder order,
            Map<String, LongSupplier> further,
            Proposer proposer,
            SpaceWatch space,
            LongSupplier clockMillis) {
        gauges = OrderingGauges.register(order, view, further);
        adminServer = OrderedAdminServer.create(server, proposer, space::isLow, further, clockMillis);
        try {
            adminServer.start();
        } catch (AdminServerException e) {
            // As ZooKeeper does: a replica without its AdminServer still serves clients.
            LOG.warn("This server runs without its AdminServer: {}: {}", e.getMessage(), e.getCause());
        }
    }

    /**
     * Housekeeping thread.
     *
     * @param active the server that answers the AdminServer's commands from now on: this replica's, or a read-only one
     */
    void showServer(ZooKeeperServer active) {
        adminServer.setZooKeeperServer(active);
    }

    /** Housekeeping thread, several times a second. */
    void tick(OrderingStatus status) {
        roleView.show(status);
        view.tick(status);
        server.showRole();
    }

    @Override
    public void close() {
        if (gauges != null) {
            gauges.unregister();
        }
        try {
            if (adminServer != null) {
                adminServer.shutdown();
            }
        } catch (AdminServerException e) {
            LOG.warn("While stopping the AdminServer: {}", e.getMessage(), e);
        }
    }
}
