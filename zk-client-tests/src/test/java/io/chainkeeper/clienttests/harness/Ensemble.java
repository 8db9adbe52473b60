package io.chainkeeper.clienttests.harness;

import io.chainkeeper.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.rules.ExternalResource;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;
import org.junit.rules.TestWatcher;
import org.junit.rules.Timeout;
import org.junit.runner.Description;

/**
 * An ensemble of server processes, on 127.0.0.1 unless a {@link Network} says otherwise. As a JUnit rule it starts all
 * of them before and kills them after; a test that controls the servers itself calls {@link #start()} and
 * {@link #close()}.
 *
 * <p>System property {@code ensemble.protocol} chooses {@code ordering.protocol} where a test does not: {@code chain},
 * {@code iss}, {@code disk}, or {@code zab}, which runs the tests against the stock quorum server.
 */
public final class Ensemble extends ExternalResource implements AutoCloseable {
    /** The ensembles' tick: short, so that sessions may be short. */
    public static final int TICK_MILLIS = 500;

    static final int MAX_SESSION_TIMEOUT_MILLIS = 3 * Clients.SESSION_TIMEOUT_MILLIS;
    /** Name and password of the user who may do everything, after {@link Builder#superUser()}. */
    public static final String SUPER_USER = "super:secret";

    private static final Duration LEADER_LIMIT = Duration.ofSeconds(60);
    /** Of a server that does not answer in time, or does not serve. */
    private static final long NO_ZXID = -1;

    private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(60);
    private static final int LOG_LINES_OF_A_FAILURE = 60;

    private final Map<String, String> settings;
    private final Path directory;
    private final Network network;

    /** Clients of a test connect while it adds a server. */
    private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();

    private final Map<Integer, List<Integer>> linkPorts = new TreeMap<>();
    private final int observers;
    private final List<String> portSettings;

    /** Null with protocols that share none. */
    private final EnsembleDisks disks;

    private int lastId;
    private boolean failed;

    private Ensemble(Builder builder) {
        this.settings = new LinkedHashMap<>(builder.settings);
        this.directory = Path.of("target", "ensembles", builder.name).toAbsolutePath();
        this.network = builder.network;
        this.observers = builder.observers;
        this.portSettings = builder.portSettings;
        this.disks = builder.ordersOnDisks() ? builder.disks : null;
        if (disks != null) {
            disks.setDirectory(directory);
        }
        for (int id = 1; id <= builder.servers; id++) {
            newServer();
        }
    }

    private ServerProcess newServer() {
        lastId++;
        ServerProcess server =
                new ServerProcess(lastId, network, FreePorts.next(), directory.resolve("server-" + lastId));
        linkPorts.put(lastId, List.of(FreePorts.next(), FreePorts.next()));
        servers.add(server);
        return server;
    }

    private void openLinks(int id) throws Exception {
        for (int port : linkPorts.get(id)) {
            network.open(id, port);
        }
    }

    private String link(int id) {
        List<Integer> ports = linkPorts.get(id);
        return network.memberHost(id) + ":" + ports.get(0) + ":" + ports.get(1);
    }

    /** Collects what an ensemble is to be. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private final Map<String, String> protocolSettings = new LinkedHashMap<>();
        private int servers = 3;
        private Network network = new Loopback();
        private int observers;
        private EnsembleDisks disks = new EnsembleDisks(3);
        private final List<String> portSettings = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
            set("ordering.protocol", defaultProtocol());
            set("tickTime", Integer.toString(TICK_MILLIS));
            set("maxSessionTimeout", Integer.toString(MAX_SESSION_TIMEOUT_MILLIS));
            set("initLimit", "20");
            set("syncLimit", "10");
            set("admin.enableServer", "false");
            set("4lw.commands.whitelist", "*");
            set("snapCount", "2000");
            set("ordering.checkpointBytes", "65536");
            set("preAllocSize", "1024");
        }

        /** Sets the number of servers; three unless said. */
        public Builder servers(int count) {
            servers = count;
            return this;
        }

        /** Sets what connects the servers; it is closed with the ensemble. */
        public Builder network(Network connecting) {
            network = connecting;
            return this;
        }

        /** Makes the last so many servers observers; none unless said. */
        public Builder observers(int count) {
            observers = count;
            return this;
        }

        /** Lets {@link Ensemble#SUPER_USER} do everything. */
        public Builder superUser() {
            try {
                return set(
                        "DigestAuthenticationProvider.superDigest",
                        DigestAuthenticationProvider.generateDigest(SUPER_USER));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-1", e);
            }
        }

        /** Gives every server a port of its own under this key of zoo.cfg; see {@link ServerProcess#port}. */
        public Builder port(String key) {
            portSettings.add(key);
            return this;
        }

        /** Sets how long the leader may be silent before others try to lead; the stock server has its own timeouts. */
        public Builder suspicionTimeoutMillis(int millis) {
            protocolSettings.put("suspicionTimeoutMillis", Integer.toString(millis));
            return this;
        }

        /** Sets how long a server may be silent before its sessions are nobody's; the stock server has other rules. */
        public Builder memberSilenceMillis(int millis) {
            protocolSettings.put("memberSilenceMillis", Integer.toString(millis));
            return this;
        }

        /** Sets the disks that the servers share, if they order on disks; three files unless said. */
        public Builder disks(EnsembleDisks shared) {
            disks = shared;
            return this;
        }

        private boolean ordersOnDisks() {
            return settings.get("ordering.protocol").equals("disk");
        }

        /** Adds or replaces a line of every server's zoo.cfg. */
        public Builder set(String key, String value) {
            settings.put(key, value);
            return this;
        }

        /** Returns the ensemble; nothing is started yet. */
        public Ensemble build() {
            String protocol = settings.get("ordering.protocol");
            if (!protocol.equals("zab")) {
                protocolSettings.forEach((key, value) -> set(protocol + "." + key, value));
            }
            if (ordersOnDisks()) {
                disks.settings().forEach(settings::putIfAbsent);
            }
            return new Ensemble(this);
        }
    }

    /**
     * Begins a new ensemble.
     *
     * @param name of its directory under {@code target/ensembles}; what is there from an earlier run is deleted
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Returns the protocol under test. */
    public static String defaultProtocol() {
        return System.getProperty("ensemble.protocol", "chain");
    }

    /** Returns whether the servers are stock Apache ZooKeeper. */
    public boolean isStock() {
        return settings.get("ordering.protocol").equals("zab");
    }

    /** Returns whether any one server goes on alone, over shared disks. */
    public boolean hasDisks() {
        return "disk".equals(settings.get("ordering.protocol"));
    }

    /** Returns whether a read at any server sees all completed writes; if not, it needs a {@code sync} before it. */
    public boolean readsAreLinearizable() {
        return !isStock() && !"sequential".equals(settings.get("reads"));
    }

    /** Writes the configuration files, starts every server and waits until all serve. */
    public void start() throws Exception {
        writeConfigurations();
        startAll();
    }

    /** Writes the directories and configuration files of all servers. */
    public void writeConfigurations() throws Exception {
        Directories.delete(directory);
        List<String> members = new ArrayList<>();
        for (ServerProcess server : servers) {
            openLinks(server.id());
            boolean observer = server.id() > servers.size() - observers;
            members.add("server." + server.id() + "=" + link(server.id()) + (observer ? ":observer" : ""));
        }
        if (disks != null) {
            disks.create(servers.stream().map(ServerProcess::id).toList());
        }
        for (ServerProcess server : servers) {
            writeConfiguration(server, members);
        }
        if (disks != null) {
            disks.format(servers.get(0));
        }
    }

    private void writeConfiguration(ServerProcess server, List<String> members) throws IOException {
        Path data = Files.createDirectories(server.directory().resolve("data"));
        Files.writeString(data.resolve("myid"), server.id() + "\n");
        List<String> lines = new ArrayList<>();
        settings.forEach((key, value) -> lines.add(key + "=" + value));
        for (String key : portSettings) {
            lines.add(key + "=" + server.port(key));
        }
        if (disks != null) {
            lines.add("disk.paths=" + disks.list(server.id()));
        }
        lines.add("dataDir=" + data);
        lines.add("clientPort=" + server.clientPort());
        lines.add("clientPortAddress=" + server.clientHost());
        lines.addAll(members);
        Files.write(server.configFile(), lines);
    }

    /**
     * Adds a server that lists all others and itself and is no member yet; it is not started.
     *
     * @param role {@code participant} or {@code observer}
     */
    public ServerProcess addServer(String role) throws Exception {
        List<String> members = new ArrayList<>();
        for (ServerProcess server : servers) {
            members.add("server." + server.id() + "=" + link(server.id()));
        }
        ServerProcess joiner = newServer();
        openLinks(joiner.id());
        members.add("server." + joiner.id() + "=" + link(joiner.id()) + ":" + role);
        writeConfiguration(joiner, members);
        return joiner;
    }

    /** Returns what {@code reconfig} takes to add this server. */
    public String serverLine(int id, String role) {
        return "server." + id + "=" + link(id) + ":" + role + ";127.0.0.1:"
                + server(id).clientPort();
    }

    /** Leaves a server out of everything that is done to all; it must have ended. */
    public void forget(ServerProcess ended) {
        servers.remove(ended);
    }

    /** Starts the servers that do not run and waits until all serve. */
    public void startAll() throws Exception {
        for (ServerProcess server : servers) {
            if (!server.isRunning()) {
                server.start();
            }
        }
        for (ServerProcess server : servers) {
            server.awaitServing();
        }
    }

    /**
     * SIGKILL to all servers, one right after the other, also to those that the scripts have left in the background.
     */
    public void killAll() throws IOException, InterruptedException {
        for (ServerProcess server : servers) {
            if (server.isRunning()) {
                server.kill();
            }
            server.killBackground();
        }
    }

    /** Returns all servers, ascending by id. */
    public List<ServerProcess> servers() {
        return servers;
    }

    /** Returns the server with this id, from 1. */
    public ServerProcess server(int id) {
        return servers.stream()
                .filter(server -> server.id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no server " + id));
    }

    /** Returns the server that leads, after waiting for one if need be. */
    public ServerProcess leader() throws Exception {
        ServerProcess[] leader = new ServerProcess[1];
        Await.until("a server says that it is the leader", LEADER_LIMIT, () -> {
            for (ServerProcess server : servers) {
                if ("leader".equals(server.mode())) {
                    leader[0] = server;
                }
            }
            return leader[0] != null;
        });
        return leader[0];
    }

    /**
     * Returns the other servers in the order of the chain behind this one: by id, and behind the largest the smallest.
     */
    public List<ServerProcess> behind(ServerProcess head) {
        List<ServerProcess> chain = new ArrayList<>();
        for (int distance = 1; distance < servers.size(); distance++) {
            chain.add(servers.get((head.id() - 1 + distance) % servers.size()));
        }
        return chain;
    }

    /** Returns this server and those {@link #behind} it. */
    public List<ServerProcess> chainFrom(ServerProcess head) {
        List<ServerProcess> chain = new ArrayList<>(List.of(head));
        chain.addAll(behind(head));
        return chain;
    }

    /** Returns positions in {@link #chainFrom} a leader: one of each role. */
    public int[] headMiddleAndTail() {
        int last = servers.size() - 1;
        return new int[] {0, last / 2, last};
    }

    /** Returns what the server at this position in {@link #chainFrom} a leader is, in words. */
    public String roleAt(int position) {
        return position == 0 ? "leader" : position == servers.size() - 1 ? "tail" : "middle";
    }

    /** Waits until every server runs and has executed all that one of them had executed at the call. */
    public void awaitCaughtUp() throws Exception {
        for (ServerProcess server : servers) {
            server.awaitServing();
        }
        long[] goal = {NO_ZXID};
        for (ServerProcess server : servers) {
            // One that is slow to answer must not count as one that has nothing.
            Await.until("server " + server.id() + " tells its zxid", CATCH_UP_LIMIT, () -> {
                long zxid = server.zxid();
                goal[0] = Math.max(goal[0], zxid);
                return zxid != NO_ZXID;
            });
        }
        for (ServerProcess server : servers) {
            Await.until(
                    "server " + server.id() + " reaches zxid 0x" + Long.toHexString(goal[0]),
                    CATCH_UP_LIMIT,
                    () -> server.zxid() >= goal[0]);
        }
    }

    /** Returns what a client needs to connect to any of the servers. */
    public String connectString() {
        return servers.stream().map(ServerProcess::connectString).collect(Collectors.joining(","));
    }

    /** Returns, for each server, what a client needs to connect to it alone. */
    public List<String> connectStrings() {
        return servers.stream().map(ServerProcess::connectString).collect(Collectors.toList());
    }

    /** Returns the rule for tests that start the servers themselves: afterwards all are killed. */
    public TestRule startedByTheTest() {
        return new ExternalResource() {
            @Override
            protected void after() {
                close();
            }
        };
    }

    /**
     * Returns the rule for the tests of a class: each has this many seconds, and one that fails prints the ends of all
     * servers' logs. It has to lie within the rule that ends the servers.
     */
    public TestRule testLimit(long seconds) {
        return RuleChain.outerRule(new TestWatcher() {
                    @Override
                    protected void failed(Throwable e, Description description) {
                        printLogs(description.getDisplayName());
                    }
                })
                .around(Timeout.seconds(seconds));
    }

    @Override
    protected void before() throws Throwable {
        try {
            start();
        } catch (Exception | AssertionError e) {
            printLogs("start of the ensemble");
            close();
            throw e;
        }
    }

    @Override
    protected void after() {
        close();
    }

    /** Kills all servers; deletes their directories unless a test has failed. */
    @Override
    public void close() {
        try {
            if (disks != null) {
                disks.healAll(); // a server that waits for a disk cannot be ended
            }
            killAll();
            network.close();
            if (disks != null) {
                disks.close();
            }
            if (!failed) {
                Directories.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while killing the servers of " + directory, e);
        } catch (Exception e) {
            throw new IllegalStateException("the network or the disks of " + directory + " cannot be taken down", e);
        }
    }

    private void printLogs(String occasion) {
        failed = true;
        for (ServerProcess server : servers) {
            System.err.println("==== " + occasion + ": server " + server.id() + ", last lines of its log");
            try {
                server.lastLogLines(LOG_LINES_OF_A_FAILURE).forEach(System.err::println);
            } catch (IOException e) {
                System.err.println("cannot read it: " + e);
            }
        }
    }
}
