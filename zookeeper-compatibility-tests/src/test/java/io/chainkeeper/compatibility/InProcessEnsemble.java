package io.chainkeeper.compatibility;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.zookeeper.PortAssignment;
import org.apache.zookeeper.server.quorum.QuorumPeer;

/**
 * Replicas in this JVM, each with directories, a client port and a replica port of its own. In the same JVM because the
 * tests that use them look inside their servers and configure them by system properties. Not for use by several
 * threads.
 */
public final class InProcessEnsemble implements AutoCloseable {
    /** Replicas of an ensemble unless said otherwise. */
    public static final int DEFAULT_SIZE = 3;

    private static final Map<QuorumPeer, Runnable> STOPS = new ConcurrentHashMap<>();

    private final Path directory;
    private final Map<String, String> settings;
    private final Map<Integer, Integer> clientPorts = new TreeMap<>();
    private final Map<Integer, Integer> linkPorts = new TreeMap<>();
    private final Map<Integer, EnsembleMember> running = new TreeMap<>();
    private int observers;

    /**
     * Names the ensemble; starts nothing.
     *
     * @param directory holds the replicas' directories {@code replica-1}, ...; what is there is what they start with
     * @param size number of replicas
     * @param settings lines of every zoo.cfg, in addition to or instead of the default ones
     */
    public InProcessEnsemble(Path directory, int size, Map<String, String> settings) {
        this.directory = directory;
        this.settings = new LinkedHashMap<>(settings);
        if (EnsembleMember.hasDisks()) {
            this.settings.putAll(MemberDisks.lines(directory));
        }
        for (int id = 1; id <= size; id++) {
            clientPorts.put(id, PortAssignment.unique());
            linkPorts.put(id, PortAssignment.unique());
        }
    }

    /** Sets a replica's port for clients; before it is started. */
    public void useClientPort(int id, int port) {
        clientPorts.put(id, port);
    }

    /** Makes the last so many replicas observers; before any is started. */
    public void setObservers(int count) {
        observers = count;
    }

    /** Adds or replaces a line of the zoo.cfg of replicas that are started later. */
    public void set(String key, String value) {
        settings.put(key, value);
    }

    /** Starts the replicas that do not run, and waits until all let clients in. */
    public void startAll() throws IOException {
        try {
            for (int id : clientPorts.keySet()) {
                if (!running.containsKey(id)) {
                    start(id);
                }
            }
            for (EnsembleMember member : running.values()) {
                member.awaitServing();
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Starts a replica; does not wait until it serves. */
    public void start(int id) throws IOException {
        Path home = Files.createDirectories(directory(id));
        Files.writeString(home.resolve("myid"), id + "\n");
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("tickTime", "3000");
        lines.put("initLimit", "10");
        lines.put("syncLimit", "5");
        lines.putAll(settings);
        lines.put("dataDir", home.toString());
        lines.put("clientPortAddress", "127.0.0.1");
        lines.put("clientPort", clientPorts.get(id).toString());
        // The second port of a server line belongs to ZooKeeper's leader election; nobody listens there.
        linkPorts.forEach((member, port) ->
                lines.put("server." + member, "127.0.0.1:" + port + ":" + member + ":" + role(member)));
        EnsembleMember member = EnsembleMember.start(home, lines);
        running.put(id, member);
        STOPS.put(member.server().self, () -> stop(id));
    }

    private String role(int id) {
        return id > linkPorts.size() - observers ? "observer" : "participant";
    }

    /** Returns the directory of a replica. */
    public Path directory(int id) {
        return directory.resolve("replica-" + id);
    }

    /** Waits until a replica lets clients in. */
    public void awaitServing(int id) throws IOException {
        running.get(id).awaitServing();
    }

    /** Returns a running replica's server. */
    public OrderedZooKeeperServer server(int id) {
        return running.get(id).server();
    }

    /** Returns whether the replica has been started and not been stopped. */
    public boolean isRunning(int id) {
        return running.containsKey(id);
    }

    /** Returns the port of a replica for clients. */
    public int clientPort(int id) {
        return clientPorts.get(id);
    }

    /** Returns what a client needs to connect to any of the replicas. */
    public String connectString() {
        return clientPorts.values().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    /** Stops a replica if it runs, and waits until its files are closed. */
    public void stop(int id) {
        EnsembleMember member = running.remove(id);
        if (member != null) {
            STOPS.remove(member.server().self);
            member.close();
        }
    }

    /** Stops the replica that this is the passive peer of, if it runs, and waits until its files are closed. */
    public static void stop(QuorumPeer peer) {
        Runnable stop = STOPS.get(peer);
        if (stop != null) {
            stop.run();
        }
    }

    /** Stops all replicas that run. */
    @Override
    public void close() {
        for (int id : List.copyOf(running.keySet())) {
            stop(id);
        }
    }
}
