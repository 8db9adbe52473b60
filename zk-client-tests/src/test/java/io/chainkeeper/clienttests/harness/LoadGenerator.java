package io.chainkeeper.clienttests.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Write load from one client per server, each connected to that server alone, so that every role of the protocol has
 * clients at all times, and one more client that moves to another server when it loses its own. Half of the writes set
 * data of the client's own znodes, a quarter creates sequence znodes, a quarter is multis on a shared pair.
 */
public final class LoadGenerator implements AutoCloseable {
    /** Above all znodes of the load; holds no data. */
    public static final String ROOT = "/load";

    static final String SEQUENCE = ROOT + "/sequence";
    static final String PAIR = ROOT + "/pair";
    static final String LEFT = PAIR + "/left";
    static final String RIGHT = PAIR + "/right";

    /** What is tested are faults; servers that start while all others write as fast as they can take long for it. */
    private static final int OPERATIONS_PER_SECOND = 40;

    private static final Duration PROGRESS_LIMIT = Duration.ofSeconds(60);

    private final AcknowledgedWrites writes = new AcknowledgedWrites();
    private final List<LoadClient> clients = new ArrayList<>();
    private boolean stopped;

    /** Creates the znodes of the load; no client runs yet. */
    public LoadGenerator(Ensemble ensemble) throws Exception {
        this(ensemble, ensemble.servers(), OPERATIONS_PER_SECOND);
    }

    /** @param operationsPerSecond of each client, at most */
    LoadGenerator(Ensemble ensemble, int operationsPerSecond) throws Exception {
        this(ensemble, ensemble.servers(), operationsPerSecond);
    }

    /**
     * As {@link #LoadGenerator(Ensemble)}, but clients that stay at one server only at some of them.
     *
     * @param steady servers that will serve to the end
     */
    public LoadGenerator(Ensemble ensemble, List<ServerProcess> steady) throws Exception {
        this(ensemble, steady, OPERATIONS_PER_SECOND);
    }

    private LoadGenerator(Ensemble ensemble, List<ServerProcess> steady, int operationsPerSecond) throws Exception {
        for (ServerProcess server : steady) {
            clients.add(new LoadClient("at-" + server.id(), server.connectString(), operationsPerSecond, writes));
        }
        clients.add(new LoadClient("moving", ensemble.connectString(), operationsPerSecond, writes));
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            List<String> paths = new ArrayList<>(List.of(ROOT, SEQUENCE, PAIR, LEFT, RIGHT));
            clients.forEach(loadClient -> paths.addAll(LoadClient.keys(loadClient.name())));
            for (String path : paths) {
                client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
    }

    /** Starts the clients. */
    public void start() {
        clients.forEach(LoadClient::start);
    }

    /** Returns what was sent and answered so far. */
    public AcknowledgedWrites writes() {
        return writes;
    }

    /** Waits until this many more writes are acknowledged than at the call. */
    public void awaitProgress(long count) throws Exception {
        long goal = writes.acknowledgedCount() + count;
        Await.until(
                count + " more writes are acknowledged (" + writes + ")",
                PROGRESS_LIMIT,
                () -> writes.acknowledgedCount() >= goal);
    }

    /** Returns whether a write by the client of this server was acknowledged after this {@link System#nanoTime()}. */
    boolean hasWrittenAfter(ServerProcess server, long nanoTime) {
        return clientOf(server).acknowledgements().anyAfter(nanoTime);
    }

    /** Returns the longest time between these two in which no client of these servers had a write acknowledged. */
    public Duration longestGap(List<ServerProcess> servers, long fromNanoTime, long toNanoTime) {
        List<AnswerTimes> times = new ArrayList<>();
        servers.forEach(server -> times.add(clientOf(server).acknowledgements()));
        return AnswerTimes.longestGap(times, fromNanoTime, toNanoTime);
    }

    private LoadClient clientOf(ServerProcess server) {
        return clients.get(server.id() - 1);
    }

    /**
     * Sends no more, waits for every answer and closes the sessions.
     *
     * @throws AssertionError if a client got an answer that contradicts an earlier one, or none
     */
    public void stop() throws Exception {
        stopped = true;
        for (LoadClient client : clients) {
            client.stop();
        }
    }

    /** Stops the clients if {@link #stop()} has not. */
    @Override
    public void close() throws Exception {
        if (!stopped) {
            stop();
        }
    }
}
