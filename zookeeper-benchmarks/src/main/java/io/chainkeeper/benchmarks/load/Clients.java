package io.chainkeeper.benchmarks.load;

import io.chainkeeper.benchmarks.statistics.Latency;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;

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
     * Opens sessions of ZooKeeper's client at replicas in turn. They are not connected yet.
     *
     * @param addresses client addresses of the replicas
     * @param sessionCount how many sessions in all
     * @return the sessions
     * @throws IOException if a client cannot be created
     */
    public static Clients open(List<String> addresses, int sessionCount) throws IOException, InterruptedException {
        return open(addresses, sessionCount, ZooKeeperSession::new);
    }

    /**
     * Opens connections of etcd's protocol at servers in turn. They are not connected yet.
     *
     * @param addresses client addresses of the servers
     * @param sessionCount how many connections in all
     * @param linearizable whether reads are, or may be answered from a server's own state
     * @return the sessions
     * @throws IOException if a client cannot be created
     */
    public static Clients openEtcd(List<String> addresses, int sessionCount, boolean linearizable)
            throws IOException, InterruptedException {
        return open(addresses, sessionCount, (address, failures) -> new EtcdSession(address, linearizable, failures));
    }

    private static Clients open(List<String> addresses, int sessionCount, ClientSession.Opening opening)
            throws IOException, InterruptedException {
        Clients clients = new Clients();
        try {
            for (int i = 0; i < sessionCount; i++) {
                clients.sessions.add(opening.open(addresses.get(i % addresses.size()), clients::noteFailure));
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
        Semaphore free = new Semaphore(PRELOAD_OUTSTANDING);
        create(Workload.PARENT, new byte[0], free);
        acquire(free, PRELOAD_OUTSTANDING);
        free.release(PRELOAD_OUTSTANDING);
        for (int key = 0; key < workload.keys(); key++) {
            create(Workload.path(key), workload.randomValue(), free);
        }
        acquire(free, PRELOAD_OUTSTANDING);
        checkHealthy();
    }

    private void create(String path, byte[] value, Semaphore free) throws IOException, InterruptedException {
        acquire(free, 1);
        sessions.get(0).create(path, value, problem -> {
            if (problem != null) {
                noteFailure("cannot create " + path + ": " + problem);
            }
            free.release();
        });
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
            zooKeeper(session)
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

    /**
     * @param index of a session, from 0
     * @return ZooKeeper's client under it; the session must be of {@link #open}
     */
    public ZooKeeper zooKeeper(int index) {
        return ((ZooKeeperSession) sessions.get(index)).client();
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
        return drain(session -> "").all();
    }

    /**
     * Latencies since the last call, also of groups of sessions.
     *
     * @param groupOf name of an address's group
     * @return of reads and of writes
     */
    public GroupedLatencies drain(Function<String, String> groupOf) {
        SortedMap<String, Histograms> groups = new TreeMap<>();
        Histograms all = new Histograms();
        for (ClientSession session : sessions) {
            Histograms group = groups.computeIfAbsent(groupOf.apply(session.address()), name -> new Histograms());
            session.drainTo(group.reads, group.writes);
        }
        SortedMap<String, Latencies> latencies = new TreeMap<>();
        groups.forEach((name, group) -> {
            all.add(group);
            latencies.put(name, group.latencies());
        });
        return new GroupedLatencies(all.latencies(), latencies);
    }

    private static final class Histograms {
        private final Histogram reads = new Histogram(SIGNIFICANT_DIGITS);
        private final Histogram writes = new Histogram(SIGNIFICANT_DIGITS);

        void add(Histograms other) {
            reads.add(other.reads);
            writes.add(other.writes);
        }

        Latencies latencies() {
            return new Latencies(Latency.of(reads), Latency.of(writes));
        }
    }

    /**
     * Latencies of an interval, as a whole and by groups of sessions.
     *
     * @param all of all sessions
     * @param groups by name
     */
    public record GroupedLatencies(Latencies all, SortedMap<String, Latencies> groups) {}

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
