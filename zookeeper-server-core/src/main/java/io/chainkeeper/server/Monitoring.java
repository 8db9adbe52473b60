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
    private final Object monitor = new Object();
    private ZooKeeperServer shown;
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
        this.shown = server;
        server.monitor(view);
    }

    /**
     * Peer's thread: the order runs.
     *
     * @param order whose numbers are shown
     * @param further other numbers, without prefix
     */
    void start(TotalOrder order, Map<String, LongSupplier> further) {
        gauges = OrderingGauges.register(order, view, further);
    }

    /**
     * Peer's thread, after {@link #start}. Takes half a second on a machine that has just begun to run this program, so
     * clients need not wait for it.
     *
     * @param further numbers for the status page beside those of the order
     * @param proposer for the checks of readiness
     * @param space whether writes are refused
     * @param clientPort whether clients can connect
     * @param clockMillis a monotonic clock
     */
    void startAdminServer(
            Map<String, LongSupplier> further,
            Proposer proposer,
            SpaceWatch space,
            ClientPort clientPort,
            LongSupplier clockMillis) {
        AdminServer created =
                OrderedAdminServer.create(server, proposer, space::isLow, clientPort::problem, further, clockMillis);
        synchronized (monitor) {
            adminServer = created;
            adminServer.setZooKeeperServer(shown);
        }
        try {
            created.start();
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
        synchronized (monitor) {
            shown = active;
            if (adminServer != null) {
                adminServer.setZooKeeperServer(active);
            }
        }
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
        AdminServer started;
        synchronized (monitor) {
            started = adminServer;
        }
        try {
            if (started != null) {
                started.shutdown();
            }
        } catch (AdminServerException e) {
            LOG.warn("While stopping the AdminServer: {}", e.getMessage(), e);
        }
    }
}
