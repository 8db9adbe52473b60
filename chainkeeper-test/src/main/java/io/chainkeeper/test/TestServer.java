package io.chainkeeper.test;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.main.ReplicaPlatform;
import io.chainkeeper.main.ReplicaStarter;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;

/**
 * One server of a {@link ChainkeeperCluster}. It keeps its ports and its directory over all starts. Methods may be
 * called by any thread, one after the other.
 */
public final class TestServer {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final int id;
    private final int clientPort;
    private final int linkPort;
    private final Path directory;
    private final TestClock clock;
    private final CutLinks cuts = new CutLinks();
    private final PauseGate gate = new PauseGate();
    private Map<String, String> settings;
    private GatedScheduler scheduler;
    private volatile LinkRuntime links;
    private volatile ChainkeeperServer running;

    TestServer(int id, int clientPort, int linkPort, Path directory, TestClock clock) {
        this.id = id;
        this.clientPort = clientPort;
        this.linkPort = linkPort;
        this.directory = directory;
        this.clock = clock;
    }

    void configure(Map<String, String> lines) {
        settings = Map.copyOf(lines);
    }

    /** @return its number in the ensemble, from 1 */
    public int id() {
        return id;
    }

    /** @return the port for clients */
    public int clientPort() {
        return clientPort;
    }

    int linkPort() {
        return linkPort;
    }

    /** @return what a client needs to connect to this server */
    public String connectString() {
        return "127.0.0.1:" + clientPort;
    }

    /** @return where its files are */
    public Path directory() {
        return directory;
    }

    /**
     * Starts it, unless it runs, with what its directory holds. Does not wait until it lets clients in: see
     * {@link #awaitServing}.
     *
     * @throws IOException if it cannot start; the message says why
     */
    public synchronized void start() throws IOException {
        if (running != null) {
            return;
        }
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("myid"), id + "\n");
        Path file = directory.resolve("zoo.cfg");
        write(file);
        GatedScheduler ofServer = new GatedScheduler(clock, gate);
        // The order is about real machines and links: to it, time does not jump.
        GatedScheduler ofOrder = new GatedScheduler(new TestClock(), gate);
        ReplicaPlatform platform = new ReplicaPlatform(ofOrder, ofServer, () -> links = new LinkRuntime(cuts, gate));
        running = JvmState.startServer(() -> ReplicaStarter.startReplica(read(file), platform));
        scheduler = ofServer;
    }

    private void write(Path file) throws IOException {
        Properties escaped = new Properties();
        escaped.putAll(settings);
        try (OutputStream out = Files.newOutputStream(file)) {
            escaped.store(out, null);
        }
    }

    private static StartupConfig read(Path file) throws IOException {
        try {
            return new OrderingConfigParser(ServiceLoader.load(
                            OrderingProtocolFactory.class, OrderingProtocolFactory.class.getClassLoader()))
                    .parse(file)
                    .orElseThrow(() -> new IOException(file + " asks for ZooKeeper's own server; a test has it by"
                            + " Apache Curator's TestingServer"));
        } catch (UserMistakeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Waits until it lets clients in.
     *
     * @throws IOException if it does not within a minute, or has failed; the message says why
     */
    public void awaitServing() throws IOException {
        boolean serves = Await.within(START_LIMIT, () -> {
            ChainkeeperServer server = requireRunning();
            if (server.failureMessage() != null) {
                throw new IOException("server " + id + " has failed: " + server.failureMessage());
            }
            return isServing();
        });
        if (!serves) {
            throw new IOException("server " + id + " has let nobody in for " + START_LIMIT.toSeconds()
                    + " s: a majority of the servers has to run, not paused, and to reach each other");
        }
    }

    private ChainkeeperServer requireRunning() throws IOException {
        ChainkeeperServer server = running;
        if (server == null) {
            throw new IOException("server " + id + " does not run: start it");
        }
        return server;
    }

    /** @return whether it has been started, and neither been stopped nor killed since */
    public boolean isRunning() {
        return running != null;
    }

    /** @return whether it lets clients in; false while it is paused */
    public boolean isServing() {
        OrderedZooKeeperServer server = server();
        return server != null && server.isServing() && !gate.isClosed();
    }

    /** @return whether it leads the order now, as far as it knows; with several leaders (ISS) the coordinator */
    public boolean isLeader() {
        ChainkeeperServer server = running;
        OrderView view = server == null ? null : server.view();
        return view != null && view.leads();
    }

    /** @return the server inside; null if it does not run */
    OrderedZooKeeperServer server() {
        ChainkeeperServer server = running;
        return server == null ? null : server.server();
    }

    /** @return the open connections of clients, with TLS and without */
    List<ServerCnxn> connections() {
        OrderedZooKeeperServer inside = server();
        List<ServerCnxn> open = new ArrayList<>();
        if (inside != null) {
            addConnections(inside.getServerCnxnFactory(), open);
            addConnections(inside.getSecureServerCnxnFactory(), open);
        }
        return open;
    }

    private static void addConnections(ServerCnxnFactory factory, List<ServerCnxn> open) {
        if (factory != null) {
            factory.getConnections().forEach(open::add);
        }
    }

    /** @return the replica; null if it does not run */
    ChainkeeperServer replica() {
        return running;
    }

    GatedScheduler scheduler() {
        return scheduler;
    }

    CutLinks cuts() {
        return cuts;
    }

    /**
     * Stops it in an orderly way, if it runs, and waits until its files are closed, also if the thread is interrupted;
     * it stays so. Its directory stays.
     */
    public synchronized void stop() {
        ChainkeeperServer server = running;
        if (server == null) {
            return;
        }
        resume();
        ClientSide clients = ClientSide.of(server());
        clients.endWithConnections();
        Await.throughInterrupts(server::shutdown);
        Await.throughInterrupts(clients::awaitEnd);
        running = null;
        JvmState.serverEnded();
    }

    /**
     * Ends it, if it runs, as a crash of its process does: clients and servers lose it at once, and it tells nobody
     * anything before. What it has acknowledged is in its directory.
     *
     * @param others the other servers of the ensemble
     */
    synchronized void kill(List<TestServer> others) {
        ChainkeeperServer server = running;
        if (server == null) {
            return;
        }
        List<TestServer> cut =
                others.stream().filter(other -> !cuts.isCut(other.linkPort)).toList();
        cut.forEach(other -> cutBetween(this, other));
        stop();
        cut.forEach(other -> mendBetween(this, other));
    }

    static void cutBetween(TestServer one, TestServer other) {
        one.cuts.cut(other.linkPort);
        other.cuts.cut(one.linkPort);
    }

    static void mendBetween(TestServer one, TestServer other) {
        one.cuts.mend(other.linkPort);
        other.cuts.mend(one.linkPort);
    }

    /**
     * Stops it, if it runs, starts it again on its directory, and waits until it lets clients in.
     *
     * @throws IOException if it does not
     */
    public void restart() throws IOException {
        stop();
        start();
        awaitServing();
    }

    /**
     * Holds it as a long pause of its process does: connections stay open, and nothing is answered, until
     * {@link #resume}.
     *
     * @throws IOException if it does not run
     */
    public synchronized void pause() throws IOException {
        requireRunning();
        gate.close();
        links.pause();
        ClientSide.of(server()).pause(gate);
    }

    /** Ends a pause. */
    public void resume() {
        gate.open();
    }

    @Override
    public String toString() {
        return "server " + id + " at " + connectString();
    }
}
