package io.chainkeeper.test;

import io.chainkeeper.server.session.SessionState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.ServerCnxn;

/**
 * An ensemble inside this JVM, with ports that the system chooses and a temporary directory. Several can run beside
 * each other. What a test does to it waits until it has happened, unless the method says otherwise.
 *
 * <p>When the last server of the JVM is closed, its system properties are what they were before the first one started,
 * and no thread of a server is left. Methods may be called by any thread, one after the other.
 */
public final class ChainkeeperCluster implements AutoCloseable {
    private static final Duration SESSION_LIMIT = Duration.ofSeconds(30);

    private final TestClock clock = new TestClock();
    private final List<TestServer> servers = new ArrayList<>();
    private final List<ReservedPort> reserved = new ArrayList<>();
    private final TestDirectory directory;
    private final Duration longestTimeout;
    private final Duration shortestTimeout;
    private boolean closed;

    private ChainkeeperCluster(Builder builder) throws IOException {
        directory = TestDirectory.of(builder.directory);
        shortestTimeout = Duration.ofMillis(builder.tickMillis * 2L);
        longestTimeout = Duration.ofMillis(Math.max(builder.tickMillis * 20L, Builder.LONGEST_TIMEOUT_MILLIS));
        boolean made = false;
        try {
            for (int id = 1; id <= builder.servers; id++) {
                int clientPort = builder.clientPorts.containsKey(id) ? builder.clientPorts.get(id) : reserve();
                Path home =
                        builder.directories.getOrDefault(id, directory.path().resolve("server-" + id));
                servers.add(new TestServer(id, clientPort, reserve(), home, clock));
            }
            servers.forEach(server -> server.configure(lines(builder, server)));
            made = true;
        } finally {
            if (!made) {
                releasePorts();
            }
        }
    }

    private int reserve() throws IOException {
        ReservedPort port = ReservedPort.choose();
        reserved.add(port);
        return port.port();
    }

    private Map<String, String> lines(Builder builder, TestServer server) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("tickTime", Integer.toString(builder.tickMillis));
        lines.put("initLimit", "10");
        lines.put("syncLimit", "5");
        lines.put("minSessionTimeout", Long.toString(shortestTimeout.toMillis()));
        lines.put("maxSessionTimeout", Long.toString(longestTimeout.toMillis()));
        lines.put("maxClientCnxns", "0");
        lines.put("standaloneEnabled", "false");
        lines.put("admin.enableServer", "false");
        lines.put("extendedTypesEnabled", "true");
        lines.put("4lw.commands.whitelist", "*");
        lines.put("ordering.durability", "async");
        lines.putAll(builder.settings);
        lines.put("dataDir", server.directory().toString());
        lines.put("clientPortAddress", "127.0.0.1");
        lines.put("clientPort", Integer.toString(server.clientPort()));
        // Nobody listens at the second port: it belongs to the election of Apache ZooKeeper.
        servers.forEach(each -> lines.put("server." + each.id(), "127.0.0.1:" + each.linkPort() + ":" + each.id()));
        return lines;
    }

    /** @return begins with one server, the protocol of the product's default, and a temporary directory */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts an ensemble and waits until all servers let clients in.
     *
     * @param servers how many
     * @return the ensemble
     * @throws IOException if it does not start
     */
    public static ChainkeeperCluster start(int servers) throws IOException {
        return builder().servers(servers).start();
    }

    /**
     * Starts the servers that do not run, and waits until all let clients in.
     *
     * @throws IOException if one does not; the message says why
     */
    public void start() throws IOException {
        for (TestServer server : servers) {
            server.start();
        }
        awaitServing();
    }

    /**
     * Waits until all servers that run let clients in.
     *
     * @throws IOException if one does not within a minute
     */
    public void awaitServing() throws IOException {
        for (TestServer server : servers) {
            if (server.isRunning()) {
                server.awaitServing();
            }
        }
    }

    /** @return all servers, running or not */
    public List<TestServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * @param id from 1
     * @return a server
     */
    public TestServer server(int id) {
        return servers.get(id - 1);
    }

    /**
     * Waits for a leader.
     *
     * @return the server that leads the order
     * @throws IOException if there is none for half a minute
     */
    public TestServer leader() throws IOException {
        List<TestServer> found = new ArrayList<>();
        boolean leads = Await.within(SESSION_LIMIT, () -> {
            servers.stream()
                    .filter(server -> server.isServing() && server.isLeader())
                    .findFirst()
                    .ifPresent(found::add);
            return !found.isEmpty();
        });
        if (!leads) {
            throw new IOException("no server leads: a majority has to run, not paused, and to reach each other");
        }
        return found.get(0);
    }

    /**
     * @param client connected to this ensemble
     * @return the server that it is connected to; null if it is connected to none
     */
    public TestServer serverOf(ZooKeeper client) {
        return servers.stream()
                .filter(server -> connectionOf(server, client.getSessionId()) != null)
                .findFirst()
                .orElse(null);
    }

    private static ServerCnxn connectionOf(TestServer server, long sessionId) {
        for (ServerCnxn connection : server.connections()) {
            if (connection.getSessionId() == sessionId) {
                return connection;
            }
        }
        return null;
    }

    /** @return what a client needs to connect to any of the servers */
    public String connectString() {
        return servers.stream().map(TestServer::connectString).collect(Collectors.joining(","));
    }

    /**
     * Ends a server as a crash of its process does: clients and servers lose it at once. What it has acknowledged is
     * in its directory, and {@link TestServer#start} starts it again.
     *
     * @param id of the server
     */
    public void kill(int id) {
        server(id).kill(servers.stream().filter(other -> other.id() != id).toList());
    }

    /**
     * Cuts links: those of the given servers to the others. Clients reach all. The servers notice at once; what they
     * do about it takes its time.
     *
     * @param ids of the servers on one side; all others are on the other
     */
    public void partition(int... ids) {
        Set<Integer> one = Arrays.stream(ids).boxed().collect(Collectors.toSet());
        between(one, TestServer::cutBetween);
    }

    /** Mends all links that have been cut. They are soon up again; {@link #awaitServing} waits for it. */
    public void heal() {
        for (TestServer one : servers) {
            between(Set.of(one.id()), TestServer::mendBetween);
        }
    }

    private void between(Set<Integer> ids, BiConsumer<TestServer, TestServer> change) {
        Predicate<TestServer> inside = server -> ids.contains(server.id());
        servers.stream()
                .filter(inside)
                .forEach(one -> servers.stream().filter(inside.negate()).forEach(other -> change.accept(one, other)));
    }

    /**
     * Ends a session as if its client had been silent for too long. Its client learns it when it connects again, which
     * it does at once.
     *
     * @param client of the session
     * @throws IOException if no majority of the servers can decide it
     */
    public void expireSession(ZooKeeper client) throws IOException {
        expireSession(client.getSessionId());
    }

    /**
     * As {@link #expireSession(ZooKeeper)}.
     *
     * @param sessionId of the session
     * @throws IOException if no majority of the servers can decide it
     */
    public void expireSession(long sessionId) throws IOException {
        TestServer through = servers.stream()
                .filter(TestServer::isServing)
                .min(Comparator.comparing(server -> connectionOf(server, sessionId) == null))
                .orElseThrow(() ->
                        new IOException("no server runs that could end session 0x" + Long.toHexString(sessionId)));
        through.server().closeSession(sessionId);
        boolean ended = Await.within(
                SESSION_LIMIT,
                () -> servers.stream()
                        .filter(TestServer::isServing)
                        .allMatch(server ->
                                server.replica().replicatedState().sessions().get(sessionId) == null));
        if (!ended) {
            throw new IOException("session 0x" + Long.toHexString(sessionId) + " has not ended within "
                    + SESSION_LIMIT.toSeconds() + " s: a majority of the servers has to run");
        }
    }

    /**
     * @param sessionId of a session
     * @return whether the servers know it
     */
    public boolean hasSession(long sessionId) {
        for (TestServer server : servers) {
            if (server.isServing()) {
                SessionState state =
                        server.replica().replicatedState().sessions().get(sessionId);
                return state != null;
            }
        }
        return false;
    }

    /**
     * Moves the servers' clocks on. Sessions without a connection whose timeout has passed by then end, and so do
     * znodes whose time to live has passed, and empty containers; this is decided when the method returns, and clients
     * see it with their next read. Clients that are connected keep their sessions: had the time really passed, they
     * would have been heard. The clocks of this JVM, and of the clients, stay as they are.
     *
     * @param duration how far
     * @throws IOException if no majority of the servers can decide it
     */
    public void advanceTime(Duration duration) throws IOException {
        new TimeTravel(clock, servers, shortestTimeout, longestTimeout).advance(duration);
    }

    /** @return whether {@link #close} has been called */
    public boolean isClosed() {
        return closed;
    }

    /** Stops all servers. */
    public void stop() {
        servers.forEach(TestServer::resume);
        // Nobody need lead in the place of a server when all are stopped.
        for (TestServer one : servers) {
            between(Set.of(one.id()), TestServer::cutBetween);
        }
        servers.forEach(TestServer::stop);
        heal();
    }

    /** Stops all servers and deletes the temporary directory. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            stop();
            releasePorts();
            directory.delete();
        }
    }

    private void releasePorts() throws IOException {
        for (ReservedPort port : reserved) {
            port.close();
        }
    }

    /** Says what ensemble it is to be. Not for use by several threads. */
    public static final class Builder {
        private static final int MOST_SERVERS = 9;
        private static final int LONGEST_TIMEOUT_MILLIS = 60_000;
        private static final int DEFAULT_TICK_MILLIS = 1_000;

        private final Map<String, String> settings = new LinkedHashMap<>();
        private final Map<Integer, Integer> clientPorts = new LinkedHashMap<>();
        private final Map<Integer, Path> directories = new LinkedHashMap<>();
        private int servers = 1;
        private int tickMillis = DEFAULT_TICK_MILLIS;
        private Path directory;

        private Builder() {}

        /**
         * @param count from 1 to 9; default 1
         * @return this
         */
        public Builder servers(int count) {
            if (count < 1 || count > MOST_SERVERS) {
                throw new IllegalArgumentException(count + " servers: an ensemble in a test has 1 to " + MOST_SERVERS);
            }
            servers = count;
            return this;
        }

        /**
         * @param name value of {@code ordering.protocol}: {@code chain} or {@code iss}
         * @return this
         */
        public Builder protocol(String name) {
            return setting("ordering.protocol", name);
        }

        /**
         * @param millis the tick of the servers; sessions last at least two of it; default 1000
         * @return this
         */
        public Builder tickTime(int millis) {
            if (millis < 1) {
                throw new IllegalArgumentException("a tick of " + millis + " ms: it has to be positive");
            }
            tickMillis = millis;
            return this;
        }

        /**
         * A line of every server's {@code zoo.cfg}, in addition to those that are there or instead. Some of ZooKeeper's
         * settings hold for the whole JVM: ensembles beside each other that differ in them disturb each other.
         *
         * @param key of the line
         * @param value of the line
         * @return this
         */
        public Builder setting(String key, String value) {
            settings.put(key, value);
            return this;
        }

        /**
         * @param path where the servers' directories are, and stay; without it they are in a temporary one, which is
         *     deleted in the end
         * @return this
         */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /**
         * @param id of a server
         * @param port for its clients, instead of one that the system chooses
         * @return this
         */
        public Builder clientPort(int id, int port) {
            clientPorts.put(id, port);
            return this;
        }

        /**
         * @param id of a server
         * @param path its own directory; stays
         * @return this
         */
        public Builder directory(int id, Path path) {
            directories.put(id, path);
            return this;
        }

        /**
         * @return the ensemble; no server has been started yet
         * @throws IOException if there is no port or no directory
         */
        public ChainkeeperCluster build() throws IOException {
            return new ChainkeeperCluster(this);
        }

        /**
         * @return the ensemble; all servers let clients in
         * @throws IOException if one does not
         */
        public ChainkeeperCluster start() throws IOException {
            ChainkeeperCluster cluster = build();
            boolean started = false;
            try {
                cluster.start();
                started = true;
                return cluster;
            } finally {
                if (!started) {
                    cluster.close();
                }
            }
        }
    }
}
