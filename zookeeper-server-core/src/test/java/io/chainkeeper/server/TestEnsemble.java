package io.chainkeeper.server;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.LogStore;
import io.chainkeeper.config.OrderingConfig.PeerAddress;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.log.Durability;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/** Replicas in this JVM over an {@link InProcessOrder}, and real clients. */
public final class TestEnsemble implements AutoCloseable {
    static final int TICK_MILLIS = 200;
    static final int DEADLINE_SECONDS = 30;

    private final Path directory;
    private final ReadConsistency reads;
    private final Properties extra;
    private int auditSeconds = Safeguards.MAX_DIGEST_AUDIT_SECONDS;
    private final InProcessOrder order;
    private final Map<Integer, PeerAddress> members = new TreeMap<>();
    private final int[] clientPorts;
    private final ChainkeeperServer[] servers;
    private long stateTransferBytesPerSecond = OrderingConfig.DEFAULT_STATE_TRANSFER_BYTES_PER_SECOND;
    private final List<ZooKeeper> clients = new ArrayList<>();

    public TestEnsemble(Path directory, int size, ReadConsistency reads, Map<String, String> extra) throws IOException {
        this.directory = directory;
        this.reads = reads;
        this.extra = new Properties();
        this.extra.putAll(extra);
        this.order = new InProcessOrder(2);
        this.clientPorts = new int[size + 1];
        this.servers = new ChainkeeperServer[size + 1];
        for (int id = 1; id <= size; id++) {
            clientPorts[id] = freePort();
            members.put(id, new PeerAddress("127.0.0.1", freePort()));
        }
    }

    public TestEnsemble(Path directory, int size) throws IOException {
        this(directory, size, ReadConsistency.LINEARIZABLE, Map.of());
    }

    /** How often digests are compared; so seldom that it does not happen, unless a test says otherwise. */
    public TestEnsemble withAuditSeconds(int seconds) {
        auditSeconds = seconds;
        return this;
    }

    public TestEnsemble startAll() throws Exception {
        for (int id = 1; id < servers.length; id++) {
            start(id);
        }
        for (int id = 1; id < servers.length; id++) {
            awaitServing(id);
        }
        return this;
    }

    /** Holds for replicas that are started later. */
    public void limitStateTransfer(long bytesPerSecond) {
        stateTransferBytesPerSecond = bytesPerSecond;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public Path dataDirectory(int id) {
        return directory.resolve("replica" + id);
    }

    public Path orderingDirectory(int id) {
        return dataDirectory(id).resolve("ordering");
    }

    public void start(int id) throws Exception {
        Path data = Files.createDirectories(dataDirectory(id));
        Files.writeString(data.resolve("myid"), id + "\n");
        Properties properties = new Properties();
        properties.setProperty("tickTime", Integer.toString(TICK_MILLIS));
        properties.setProperty("initLimit", "10");
        properties.setProperty("syncLimit", "5");
        properties.setProperty("dataDir", data.toString());
        properties.setProperty("clientPortAddress", "127.0.0.1");
        properties.setProperty("clientPort", Integer.toString(clientPorts[id]));
        properties.setProperty("admin.enableServer", "false");
        properties.setProperty("autopurge.purgeInterval", "1");
        properties.setProperty("4lw.commands.whitelist", "*");
        members.forEach((member, address) -> properties.setProperty(
                "server." + member, "127.0.0.1:" + address.port() + ":" + (address.port() == 1 ? 2 : 1)));
        properties.putAll(extra);
        QuorumPeerConfig config = new QuorumPeerConfig();
        config.parseProperties(properties);
        OrderingConfig ordering = new OrderingConfig(
                "test",
                Durability.SYNC,
                LogStore.SEGMENTED,
                reads,
                id,
                members,
                orderingDirectory(id),
                Map.of(),
                1 << 20,
                new Safeguards(Safeguards.MIN_DISK_RESERVE_BYTES, auditSeconds),
                stateTransferBytesPerSecond);
        ChainkeeperServer server = new ChainkeeperServer(config, ordering, order.factory(id));
        server.start();
        servers[id] = server;
    }

    public void stop(int id) {
        servers[id].shutdown();
        servers[id] = null;
    }

    public ChainkeeperServer replica(int id) {
        return servers[id];
    }

    public OrderedZooKeeperServer server(int id) {
        return servers[id].server();
    }

    public InProcessOrder order() {
        return order;
    }

    public int clientPort(int id) {
        return clientPorts[id];
    }

    public void awaitServing(int id) throws Exception {
        await("replica " + id + " serves", () -> server(id).isServing());
    }

    public String address(int id) {
        return "127.0.0.1:" + clientPorts[id];
    }

    public ZooKeeper client(int id) throws Exception {
        return client(address(id), 10_000);
    }

    public ZooKeeper client(String addresses, int timeoutMillis) throws Exception {
        return connected(watcher -> new ZooKeeper(addresses, timeoutMillis, watcher, new ZKClientConfig()));
    }

    /** A second client object for a session that another one opened. */
    public ZooKeeper clientOf(String addresses, int timeoutMillis, long sessionId, byte[] password) throws Exception {
        return connected(watcher -> new ZooKeeper(addresses, timeoutMillis, watcher, sessionId, password));
    }

    private interface Opener {
        ZooKeeper open(Watcher watcher) throws IOException;
    }

    private ZooKeeper connected(Opener opener) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = opener.open(event -> {
            if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
                connected.countDown();
            }
        });
        clients.add(client);
        if (!connected.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("client did not connect within " + DEADLINE_SECONDS + " s");
        }
        return client;
    }

    /** Waits until every running replica has executed everything decided so far. */
    public void awaitEqualPositions() throws Exception {
        await("all replicas have executed everything", () -> {
            for (int id = 1; id < servers.length; id++) {
                if (servers[id] != null && order.executedPosition(id) < order.lastPosition()) {
                    return false;
                }
            }
            return true;
        });
    }

    public static void await(String what, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what);
            }
            Thread.sleep(10);
        }
    }

    @Override
    public void close() throws Exception {
        for (ZooKeeper client : clients) {
            client.close(1_000);
        }
        for (int id = 1; id < servers.length; id++) {
            if (servers[id] != null) {
                stop(id);
            }
        }
        order.close();
    }
}
