package io.chainkeeper.server;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import io.chainkeeper.server.connection.ClientConnections;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.transport.PeerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/** Replicas in this JVM over an {@link InProcessOrder}, and real clients. */
public final class TestEnsemble implements AutoCloseable {
    static final int TICK_MILLIS = 200;
    static final int DEADLINE_SECONDS = 60;

    private final Path directory;
    private final ReadConsistency reads;
    private final Properties extra;
    private long maxWatches;
    private int auditSeconds = Safeguards.MAX_DIGEST_AUDIT_SECONDS;
    private final InProcessOrder order;
    private final Map<Integer, PeerAddress> members = new TreeMap<>();
    private final Map<Integer, PeerAddress> joiners = new TreeMap<>();
    private final Map<Integer, Integer> clientPorts = new TreeMap<>();
    private final Map<Integer, Integer> securePorts = new TreeMap<>();
    private final Map<Integer, ChainkeeperServer> servers = new TreeMap<>();
    private long checkpointBytes = OrderingConfig.DEFAULT_CHECKPOINT_BYTES;
    private long stateTransferBytesPerSecond = OrderingConfig.DEFAULT_STATE_TRANSFER_BYTES_PER_SECOND;
    private final List<ZooKeeper> clients = new ArrayList<>();

    public TestEnsemble(Path directory, int size, ReadConsistency reads, Map<String, String> extra) throws IOException {
        this.directory = directory;
        this.reads = reads;
        this.extra = new Properties();
        this.extra.putAll(extra);
        this.order = new InProcessOrder(2);
        for (int id = 1; id <= size; id++) {
            clientPorts.put(id, FreePorts.next());
            members.put(id, new PeerAddress("127.0.0.1", FreePorts.next()));
        }
    }

    /** Names a server that is no member yet; to be started with {@link #start}. */
    public String newServer(int id) throws IOException {
        clientPorts.put(id, FreePorts.next());
        joiners.put(id, new PeerAddress("127.0.0.1", FreePorts.next()));
        return serverLine(id, "participant");
    }

    /** The line of a server as reconfig takes it. */
    public String serverLine(int id, String role) {
        PeerAddress address = members.getOrDefault(id, joiners.get(id));
        return "server." + id + "=127.0.0.1:" + address.port() + ":1:" + role + ";127.0.0.1:" + clientPorts.get(id);
    }

    public TestEnsemble(Path directory, int size) throws IOException {
        this(directory, size, ReadConsistency.LINEARIZABLE, Map.of());
    }

    /** How often digests are compared; so seldom that it does not happen, unless a test says otherwise. */
    public TestEnsemble withAuditSeconds(int seconds) {
        auditSeconds = seconds;
        return this;
    }

    /** How many watches the clients of each member may have; without a bound unless a test says otherwise. */
    public TestEnsemble withMaxWatches(long watches) {
        maxWatches = watches;
        return this;
    }

    /** Gives each member a port for clients with TLS. */
    public TestEnsemble withSecurePorts() {
        for (int id : members.keySet()) {
            securePorts.put(id, FreePorts.next());
        }
        return this;
    }

    public String secureAddress(int id) {
        return "127.0.0.1:" + securePorts.get(id);
    }

    /** A line of the zoo.cfg of replicas that are started for the first time later. */
    public void set(String key, String value) {
        extra.setProperty(key, value);
    }

    public TestEnsemble startAll() throws Exception {
        for (int id : members.keySet()) {
            start(id);
        }
        for (int id : members.keySet()) {
            awaitServing(id);
        }
        return this;
    }

    /** Holds for replicas that are started later. */
    public void limitStateTransfer(long bytesPerSecond) {
        stateTransferBytesPerSecond = bytesPerSecond;
    }

    /** Holds for replicas that are started later. */
    public void checkpointEvery(long bytes) {
        checkpointBytes = bytes;
    }

    public Path dataDirectory(int id) {
        return directory.resolve("replica" + id);
    }

    public Path orderingDirectory(int id) {
        return dataDirectory(id).resolve("ordering");
    }

    public void start(int id) throws Exception {
        ChainkeeperServer server = prepare(id);
        server.start();
        servers.put(id, server);
    }

    /** As {@link #start}, with the AdminServer after the clients. */
    public void startClientsFirst(int id) throws Exception {
        ChainkeeperServer server = prepare(id);
        server.startClientsFirst();
        servers.put(id, server);
    }

    private ChainkeeperServer prepare(int id) throws Exception {
        Path data = Files.createDirectories(dataDirectory(id));
        Files.writeString(data.resolve("myid"), id + "\n");
        Properties properties = new Properties();
        properties.setProperty("tickTime", Integer.toString(TICK_MILLIS));
        // Twenty short ticks would be too little for clients on a machine with much to do.
        properties.setProperty("maxSessionTimeout", Integer.toString(DEADLINE_SECONDS * 1_000));
        properties.setProperty("initLimit", "10");
        properties.setProperty("syncLimit", "5");
        properties.setProperty("dataDir", data.toString());
        properties.setProperty("clientPortAddress", "127.0.0.1");
        properties.setProperty("clientPort", Integer.toString(clientPorts.get(id)));
        properties.setProperty("admin.enableServer", "false");
        properties.setProperty("autopurge.purgeInterval", "1");
        properties.setProperty("4lw.commands.whitelist", "*");
        members.forEach((member, address) -> properties.setProperty("server." + member, link(address)));
        if (joiners.containsKey(id)) {
            properties.setProperty("server." + id, link(joiners.get(id)));
        }
        if (securePorts.containsKey(id)) {
            properties.setProperty("secureClientPortAddress", "127.0.0.1");
            properties.setProperty("secureClientPort", Integer.toString(securePorts.get(id)));
        }
        properties.putAll(extra);
        QuorumPeerConfig config = parse(configFile(id), properties);
        ClientConnections.choose();
        OrderingConfig ordering = new OrderingConfig(
                "test",
                Durability.SYNC,
                LogStore.SEGMENTED,
                reads,
                id,
                addresses(config.getQuorumVerifier().getVotingMembers()),
                addresses(config.getQuorumVerifier().getObservingMembers()),
                orderingDirectory(id),
                Map.of(),
                1 << 20,
                new Safeguards(Safeguards.MIN_DISK_RESERVE_BYTES, auditSeconds, 0, maxWatches),
                stateTransferBytesPerSecond,
                checkpointBytes);
        return new ChainkeeperServer(config, ordering, order.factory(id));
    }

    private static String link(PeerAddress address) {
        return "127.0.0.1:" + address.port() + ":" + (address.port() == 1 ? 2 : 1);
    }

    /** The zoo.cfg that a replica was started with, or that a reconfig has left. */
    public Path configFile(int id) {
        return dataDirectory(id).resolve("zoo.cfg");
    }

    private static QuorumPeerConfig parse(Path file, Properties properties) throws Exception {
        if (!Files.exists(file)) {
            List<String> lines = new ArrayList<>();
            properties.forEach((key, value) -> lines.add(key + "=" + value));
            Files.write(file, lines);
        }
        boolean reconfigEnabled = "true".equals(properties.getProperty("reconfigEnabled"));
        QuorumPeerConfig config = new QuorumPeerConfig() {
            @Override
            public void parseProperties(Properties read) throws IOException, ConfigException {
                read.remove("reconfigEnabled");
                QuorumPeerConfig.setReconfigEnabled(false);
                super.parseProperties(read);
            }
        };
        config.parse(file.toString());
        QuorumPeerConfig.setReconfigEnabled(reconfigEnabled);
        return config;
    }

    private static Map<Integer, PeerAddress> addresses(Map<Long, QuorumServer> servers) {
        Map<Integer, PeerAddress> addresses = new TreeMap<>();
        servers.forEach((id, server) -> addresses.put(
                id.intValue(), new PeerAddress("127.0.0.1", server.addr.getOne().getPort())));
        return addresses;
    }

    /** Starts so many servers, of which 1 leads, waits until they are a cluster, and lets everybody change it. */
    void startForReconfig(int size) throws Exception {
        order.setMembers(IntStream.rangeClosed(1, size).boxed().toList());
        startAll();
        order.elect(1);
        for (int id = 1; id <= size; id++) {
            ChainkeeperServer replica = replica(id);
            await(
                    "the cluster is formed at " + id,
                    () -> replica.replicatedState().clusterId() != null);
            server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    public void stop(int id) {
        servers.remove(id).shutdown();
    }

    public ChainkeeperServer replica(int id) {
        return servers.get(id);
    }

    public OrderedZooKeeperServer server(int id) {
        return servers.get(id).server();
    }

    public InProcessOrder order() {
        return order;
    }

    public int clientPort(int id) {
        return clientPorts.get(id);
    }

    public void awaitServing(int id) throws Exception {
        await("replica " + id + " serves", () -> server(id).isServing());
    }

    public String address(int id) {
        return "127.0.0.1:" + clientPorts.get(id);
    }

    public ZooKeeper client(int id) throws Exception {
        return client(address(id), 10_000);
    }

    public ZooKeeper client(String addresses, int timeoutMillis) throws Exception {
        return connected(watcher -> new ZooKeeper(addresses, timeoutMillis, watcher, new ZKClientConfig()));
    }

    public ZooKeeperAdmin admin(int id) throws Exception {
        return (ZooKeeperAdmin) connected(watcher -> new ZooKeeperAdmin(address(id), 10_000, watcher));
    }

    /** ZooKeeper's peer inside a replica. */
    public QuorumPeer peer(int id) {
        return server(id).self;
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
            for (int id : servers.keySet()) {
                if (order.executedPosition(id) < order.lastPosition()) {
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

    /**
     * Waits until a replica has ended.
     *
     * @param what it is to end by, for the failure if it goes on
     * @return its exit code
     */
    public static int awaitShutdown(String what, ChainkeeperServer replica) throws Exception {
        FutureTask<Integer> ended = new FutureTask<>(replica::awaitShutdown);
        Thread waiting = new Thread(ended, "await-shutdown");
        waiting.setDaemon(true);
        waiting.start();
        try {
            return ended.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            waiting.interrupt();
            throw new AssertionError("not within " + DEADLINE_SECONDS + " s, the replica goes on: " + what);
        }
    }

    /** Closes the clients that it has opened so far. */
    public void closeClients() throws Exception {
        for (ZooKeeper client : clients) {
            client.close(1_000);
        }
        clients.clear();
    }

    @Override
    public void close() throws Exception {
        closeClients();
        for (int id : List.copyOf(servers.keySet())) {
            stop(id);
        }
        order.close();
    }
}
