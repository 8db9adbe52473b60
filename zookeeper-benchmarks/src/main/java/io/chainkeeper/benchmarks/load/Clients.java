package io.chainkeeper.benchmarks.load;

import io.chainkeeper.benchmarks.statistics.Latency;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;

/** All client sessions of a measurement, in this process. */
public final class Clients implements AutoCloseable {
    private static final long CONNECT_SECONDS = 60;
    private static final long PRELOAD_SECONDS = 300;
    private static final int PRELOAD_OUTSTANDING = 200;
    private static final int SIGNIFICANT_DIGITS = 3;

    private final List<ClientSession> sessions = new ArrayList<>();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final LongAdder completed = new LongAdder();
    private final LongAdder watchEvents = new LongAdder();

    private Clients() {}

    /**
     * Opens sessions at replicas in turn. They are not connected yet.
     *
     * @param addresses client addresses of the replicas
     * @param sessionCount how many sessions in all
     * @return the sessions
     * @throws IOException if a client cannot be created
     */
    public static Clients open(List<String> addresses, int sessionCount) throws IOException, InterruptedException {
        Clients clients = new Clients();
        try {
            for (int i = 0; i < sessionCount; i++) {
                clients.sessions.add(new ClientSession(addresses.get(i % addresses.size()), clients::noteFailure));
            }
            return clients;
        } catch (IOException | RuntimeException e) {
            clients.close();
            throw e;
        }
    }

    /**
     * Waits until all sessions are connected.
     *
     * @throws IOException if one cannot connect in time
     */
    public void awaitConnected() throws IOException, InterruptedException {
        for (ClientSession session : sessions) {
            session.awaitConnected(CONNECT_SECONDS);
        }
    }

    private void noteFailure(String message) {
        failure.compareAndSet(null, message);
    }

    /**
     * Makes sure that nothing has failed.
     *
     * @throws IOException the first failure
     */
    public void checkHealthy() throws IOException {
        if (failure.get() != null) {
            throw new IOException("a client failed: " + failure.get());
        }
    }

    /** @return all sessions */
    public List<ClientSession> sessions() {
        return sessions;
    }

    /** @return counts operations that have succeeded */
    public LongAdder completed() {
        return completed;
    }

    /** @return counts watch events that have arrived */
    public LongAdder watchEvents() {
        return watchEvents;
    }

    /** @return operations on their way, all sessions */
    long outstanding() {
        return sessions.stream().mapToLong(ClientSession::outstanding).sum();
    }

    /**
     * Creates the znodes.
     *
     * @param workload how many, how large
     * @throws IOException if one cannot be created
     */
    public void preload(Workload workload) throws IOException, InterruptedException {
        try {
            sessions.get(0).client().create(Workload.PARENT, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException e) {
            throw new IOException("cannot create " + Workload.PARENT + ": " + e.getMessage(), e);
        }
        Semaphore free = new Semaphore(PRELOAD_OUTSTANDING);
        for (int key = 0; key < workload.keys(); key++) {
            acquire(free, 1);
            sessions.get(0)
                    .client()
                    .create(
                            Workload.path(key),
                            workload.randomValue(),
                            Ids.OPEN_ACL_UNSAFE,
                            CreateMode.PERSISTENT,
                            (rc, path, context, name) -> {
                                if (rc != Code.OK.intValue()) {
                                    noteFailure("cannot create " + path + ": " + Code.get(rc));
                                }
                                free.release();
                            },
                            null);
        }
        acquire(free, PRELOAD_OUTSTANDING);
        checkHealthy();
    }

    /**
     * Sets persistent watches on the znodes that are written: each of them in turn gets one more, of another session
     * each time. So each write fires as many watches as the znode has.
     *
     * @param workload the znodes
     * @param watches how many in all, at most znodes times sessions
     * @throws IOException if one cannot be set
     */
    public void watch(Workload workload, int watches) throws IOException, InterruptedException {
        Semaphore free = new Semaphore(PRELOAD_OUTSTANDING);
        for (int i = 0; i < watches; i++) {
            acquire(free, 1);
            int key = i % workload.keys();
            int session = (int) ((key + (long) i / workload.keys()) % sessions.size());
            sessions.get(session)
                    .client()
                    .addWatch(
                            Workload.path(key),
                            event -> {
                                if (event.getType() == EventType.NodeDataChanged) {
                                    watchEvents.increment();
                                }
                            },
                            AddWatchMode.PERSISTENT,
                            (rc, path, context) -> {
                                if (rc != Code.OK.intValue()) {
                                    noteFailure("cannot watch " + path + ": " + Code.get(rc));
                                }
                                free.release();
                            },
                            null);
        }
        acquire(free, PRELOAD_OUTSTANDING);
        checkHealthy();
    }

    private void acquire(Semaphore free, int permits) throws IOException, InterruptedException {
        if (!free.tryAcquire(permits, PRELOAD_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no answer to a request after " + PRELOAD_SECONDS + " s");
        }
        checkHealthy();
    }

    /**
     * Latencies since the last call.
     *
     * @return of reads and of writes
     */
    public Latencies drain() {
        Histogram reads = new Histogram(SIGNIFICANT_DIGITS);
        Histogram writes = new Histogram(SIGNIFICANT_DIGITS);
        sessions.forEach(s -> s.drainTo(reads, writes));
        return new Latencies(Latency.of(reads), Latency.of(writes));
    }

    /**
     * Latencies of an interval.
     *
     * @param reads of reads; a zab read counts from its sync
     * @param writes of writes
     */
    public record Latencies(Latency reads, Latency writes) {}

    /** A session whose server is gone takes about a second to close; all of them are closed at the same time. */
    @Override
    public void close() throws InterruptedException {
        sessions.forEach(ClientSession::expectClose);
        List<Thread> closers =
                sessions.stream().map(s -> new Thread(s::close, "close-" + s)).toList();
        closers.forEach(Thread::start);
        for (Thread closer : closers) {
            closer.join();
        }
    }

    @Override
    public String toString() {
        return sessions.size() + " client sessions";
    }
}
