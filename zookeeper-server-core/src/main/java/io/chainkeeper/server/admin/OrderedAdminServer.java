package io.chainkeeper.server.admin;

import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.security.GeneralSecurityException;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AdminServer;
import org.apache.zookeeper.server.admin.DummyAdminServer;
import org.apache.zookeeper.server.admin.JettyAdminServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper's AdminServer, with all its settings ({@code admin.*}), and at the same port {@code /live}, {@code /ready}
 * and the status page. Started and stopped by one thread.
 */
public final class OrderedAdminServer implements AdminServer {
    private static final Logger LOG = LoggerFactory.getLogger(OrderedAdminServer.class);
    private static final String ENABLED = "zookeeper.admin.enableServer";

    private final ZooKeeperServer restored;
    private final AdminServer served;
    private final WriteProbe probe;
    private final MemberReports members;
    private final AdminCommands commands;

    private OrderedAdminServer(
            ZooKeeperServer server,
            AdminServer served,
            WriteProbe probe,
            MemberReports members,
            AdminCommands commands) {
        this.restored = server;
        this.served = served;
        this.probe = probe;
        this.members = members;
        this.commands = commands;
    }

    /**
     * Creates the AdminServer that zoo.cfg asks for; it does not listen yet.
     *
     * @param server the server that it is about
     * @param view what this replica knows about the order
     * @param report what this server says about itself
     * @param members opens connections to the other members, to ask them for theirs
     * @param lock keeps execution away from who looks at the tree
     * @param proposer for {@code restore}, and the no-ops of {@code /ready?write}
     * @param guards say whether writes are refused
     * @param watch has the traces of requests
     * @param clockMillis a monotonic clock
     * @return it, or one that does nothing if {@code admin.enableServer=false} or its settings cannot be used
     */
    public static AdminServer create(
            OrderedZooKeeperServer server,
            OrderView view,
            MemberReport report,
            MemberConnector members,
            ExecutionLock lock,
            Proposer proposer,
            ResourceGuards guards,
            RequestWatch watch,
            LongSupplier clockMillis) {
        if ("false".equalsIgnoreCase(System.getProperty(ENABLED))) {
            return new DummyAdminServer();
        }
        AdminSettings settings = new AdminSettings(System::getProperty);
        try {
            settings.check();
            JettyAdminServer jetty = new JettyAdminServer();
            WriteProbe probe =
                    new WriteProbe(view.replicaId(), waiter -> proposer.proposeNoOp(waiter, () -> true), clockMillis);
            MemberReports others = new MemberReports(view.replicaId(), members, clockMillis);
            Health health = new Health(report.readiness(), guards::refusalOfWrites, probe);
            AdminCommands commands = new AdminCommands(server, view, watch);
            StatusServlet status = new StatusServlet(
                    new StatusReport(server, view, report, settings.showsTree()),
                    new EnsembleReport(server, view, report, others));
            addPages(jetty, settings.commandUrl(), health, status, commands);
            if (settings.showsTree()) {
                addTree(jetty, new TreeServlet(new TreeReader(server, lock)));
            }
            jetty.setZooKeeperServer(server);
            SnapshotCommand.register();
            // Last: where there is no AdminServer nobody unregisters.
            RestoreCommand.register(server, new OrderedRestore(server, proposer, guards));
            return new OrderedAdminServer(server, jetty, probe, others, commands);
        } catch (IOException | GeneralSecurityException | AdminServerException e) {
            // As ZooKeeper does: a replica without its AdminServer still serves clients.
            LOG.warn("This server runs without its AdminServer: {}", e.getMessage());
            return new DummyAdminServer();
        }
    }

    private static void addPages(
            JettyAdminServer jetty, String prefix, Health health, StatusServlet pages, AdminCommands commands) {
        ServletContextHandler context = contextOf(jetty);
        ServletHolder checks = new ServletHolder(new HealthServlet(health));
        context.addServlet(checks, HealthServlet.LIVE);
        context.addServlet(checks, HealthServlet.READY);
        ServletHolder status = new ServletHolder(pages);
        context.addServlet(status, StatusServlet.ROOT);
        context.addServlet(status, StatusServlet.PAGE);
        context.addServlet(status, StatusServlet.JSON);
        context.addServlet(status, StatusServlet.HISTORY);
        context.addServlet(status, StatusServlet.ENSEMBLE);
        ServletHolder ours = new ServletHolder(commands);
        commands.names().forEach(name -> context.addServlet(ours, prefix + "/" + name));
    }

    private static void addTree(JettyAdminServer jetty, TreeServlet tree) {
        ServletHolder holder = new ServletHolder(tree);
        contextOf(jetty).addServlet(holder, TreeServlet.PAGE);
        contextOf(jetty).addServlet(holder, TreeServlet.JSON);
    }

    private static ServletContextHandler contextOf(JettyAdminServer jetty) {
        return (ServletContextHandler) serverOf(jetty).getHandler();
    }

    /** ZooKeeper's class has all of TLS and port unification, but no way to add a page. */
    private static Server serverOf(JettyAdminServer jetty) {
        try {
            Field field = JettyAdminServer.class.getDeclaredField("server");
            field.setAccessible(true);
            return (Server) field.get(jetty);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this version of ZooKeeper keeps its AdminServer elsewhere: " + e, e);
        }
    }

    @Override
    public void start() throws AdminServerException {
        served.start();
    }

    @Override
    public void shutdown() throws AdminServerException {
        probe.close();
        members.close();
        try {
            served.shutdown();
        } finally {
            RestoreCommand.unregister(restored);
        }
    }

    @Override
    public void setZooKeeperServer(ZooKeeperServer server) {
        served.setZooKeeperServer(server);
        commands.setServer(server);
    }
}
