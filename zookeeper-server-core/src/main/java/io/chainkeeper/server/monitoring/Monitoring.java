package io.chainkeeper.server.monitoring;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.ServerMonitoring;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AdminServer;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything by which others see this replica: metrics, JMX and the AdminServer. */
public final class Monitoring implements ServerMonitoring, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitoring.class);
    private static final String LEADER = "leader";
    private static final String FOLLOWER = "follower";
    private static final String OBSERVER = "observer";

    private final OrderedZooKeeperServer server;
    private final RoleView roleView;
    private final OrderView view;
    private final LeaderGauges leaderGauges;
    private final JmxBeans beans = new JmxBeans();
    private final Object roleLock = new Object();
    private String shownRole;
    private final Object monitor = new Object();
    private ZooKeeperServer shown;
    private AdminServer adminServer;
    private OrderingGauges gauges;

    /**
     * @param server shown; told of this monitoring
     * @param roleView shows the role in ZooKeeper's peer
     * @param view of the order
     */
    public Monitoring(OrderedZooKeeperServer server, RoleView roleView, OrderView view) {
        this.server = server;
        this.roleView = roleView;
        this.view = view;
        this.shown = server;
        this.leaderGauges = new LeaderGauges(view, server.self);
        server.monitor(this);
    }

    /**
     * Peer's thread: the order runs.
     *
     * @param order whose numbers are shown
     * @param further other numbers, without prefix
     */
    public void start(TotalOrder order, Map<String, LongSupplier> further) {
        gauges = OrderingGauges.register(order, view, further);
    }

    /**
     * Peer's thread, after {@link #start}. Takes half a second on a machine that has just begun to run this program, so
     * clients need not wait for it.
     *
     * @param created the AdminServer; does not listen yet
     */
    public void startAdminServer(AdminServer created) {
        synchronized (monitor) {
            adminServer = created;
            adminServer.setZooKeeperServer(shown);
        }
        try {
            created.start();
        } catch (AdminServerException e) {
            // As ZooKeeper does: a replica without its AdminServer still serves clients.
            warnNotStarted(e);
        }
    }

    static void warnNotStarted(AdminServerException failure) {
        // As text: a failure as the last argument would be logged with its stack, and be missing in the sentence.
        String cause = String.valueOf(failure.getCause());
        LOG.warn("This server runs without its AdminServer: {}: {}", failure.getMessage(), cause);
    }

    /**
     * Maintenance thread.
     *
     * @param active the server that answers the AdminServer's commands from now on: this replica's, or a read-only one
     */
    public void showServer(ZooKeeperServer active) {
        synchronized (monitor) {
            shown = active;
            if (adminServer != null) {
                adminServer.setZooKeeperServer(active);
            }
        }
    }

    /** Maintenance thread, several times a second. */
    public void tick(OrderingStatus status) {
        roleView.show(status);
        view.tick(status);
        view.sampleLoad();
        showRole();
    }

    @Override
    public void registerMetrics() {
        leaderGauges.register(server.proposalSizes());
    }

    @Override
    public void unregisterMetrics() {
        leaderGauges.unregister();
    }

    @Override
    public void registerBeans() {
        beans.register(server.self);
        showRole();
    }

    @Override
    public void unregisterBeans() {
        synchronized (roleLock) {
            beans.unregister();
            server.showBelow(null);
            shownRole = null;
        }
    }

    /** Brings the names of the JMX beans into line with role and configuration. Safe for use by any thread. */
    private void showRole() {
        synchronized (roleLock) {
            beans.showOthers(server.self);
            String state = server.getState();
            boolean first = shownRole == null;
            String role = LEADER.equals(state) || OBSERVER.equals(state) ? state : FOLLOWER;
            boolean isRole = role.equals(state);
            if (role.equals(shownRole) || !isRole && !first) {
                return;
            }
            shownRole = role;
            RoleBean bean = RoleBean.of(role, server, view);
            server.showBelow(beans.registerRole(bean, server) ? bean : null);
            if (!first) {
                JmxBeans.moveConnections(server.getServerCnxnFactory());
                JmxBeans.moveConnections(server.getSecureServerCnxnFactory());
                beans.dropFormerRole();
            }
        }
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
