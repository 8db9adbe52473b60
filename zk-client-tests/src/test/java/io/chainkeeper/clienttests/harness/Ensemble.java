package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * <p>System property {@code ensemble.protocol} chooses {@code ordering.protocol} where a test does not; {@code zab}
 * runs the tests against the stock quorum server.
 */
public final class Ensemble extends ExternalResource implements AutoCloseable {
    /** The ensembles' tick: short, so that sessions may be short. */
    public static final int TICK_MILLIS = 500;

    static final int MAX_SESSION_TIMEOUT_MILLIS = 3 * Clients.SESSION_TIMEOUT_MILLIS;

    private static final Duration LEADER_LIMIT = Duration.ofSeconds(60);
    private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(60);
    private static final int LOG_LINES_OF_A_FAILURE = 60;

    private final Map<String, String> settings;
    private final Path directory;
    private final Network network;
    private final List<ServerProcess> servers = new ArrayList<>();
    private boolean failed;

    private Ensemble(Builder builder) {
        this.settings = new LinkedHashMap<>(builder.settings);
        this.directory = Path.of("target", "ensembles", builder.name).toAbsolutePath();
        this.network = builder.network;
        for (int id = 1; id <= builder.servers; id++) {
            servers.add(new ServerProcess(id, network, FreePorts.next(), directory.resolve("server-" + id)));
        }
    }

    /** Collects what an ensemble is to be. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private int servers = 3;
        private Network network = new Loopback();

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

        /** Adds or replaces a line of every server's zoo.cfg. */
        public Builder set(String key, String value) {
            settings.put(key, value);
            return this;
        }

        /** Returns the ensemble; nothing is started yet. */
        public Ensemble build() {
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
        deleteDirectory();
        List<String> members = new ArrayList<>();
        for (ServerProcess server : servers) {
            int quorumPort = FreePorts.next();
            int electionPort = FreePorts.next();
            network.open(server.id(), quorumPort);
            network.open(server.id(), electionPort);
            members.add("server." + server.id() + "=" + network.memberHost(server.id()) + ":" + quorumPort + ":"
                    + electionPort);
        }
        for (ServerProcess server : servers) {
            Path data = Files.createDirectories(server.directory().resolve("data"));
            Files.writeString(data.resolve("myid"), server.id() + "\n");
            List<String> lines = new ArrayList<>();
            settings.forEach((key, value) -> lines.add(key + "=" + value));
            lines.add("dataDir=" + data);
            lines.add("clientPort=" + server.clientPort());
            lines.add("clientPortAddress=" + server.clientHost());
            lines.addAll(members);
            Files.write(server.configFile(), lines);
        }
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
        return servers.get(id - 1);
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

    /** Waits until every server runs and has executed all that one of them had executed at the call. */
    public void awaitCaughtUp() throws Exception {
        for (ServerProcess server : servers) {
            server.awaitServing();
        }
        long goal = servers.stream().mapToLong(ServerProcess::zxid).max().orElseThrow();
        for (ServerProcess server : servers) {
            Await.until(
                    "server " + server.id() + " reaches zxid 0x" + Long.toHexString(goal),
                    CATCH_UP_LIMIT,
                    () -> server.zxid() >= goal);
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
            killAll();
            network.close();
            if (!failed) {
                deleteDirectory();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while killing the servers of " + directory, e);
        } catch (Exception e) {
            throw new IllegalStateException("the network of " + directory + " cannot be taken down", e);
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

    private void deleteDirectory() throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(path);
            }
        }
    }
}
