package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/**
 * A ZooKeeper client connected to one replica, with latencies of its operations. {@link #issue} may be called by any
 * thread; latencies are recorded by the client's event thread. Any failed operation, and any loss of the connection, is
 * given to the failure handler: a measurement with failures is worth nothing.
 */
public final class ClientSession {
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;
    private static final int SIGNIFICANT_DIGITS = 3;

    private final ZooKeeper client;
    private final String address;
    private final CountDownLatch connected = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    private final FailureHandler failures;
    private final SingleWriterRecorder reads = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final SingleWriterRecorder writes = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final AtomicLong outstanding = new AtomicLong();

    /** Called by client threads. */
    @FunctionalInterface
    interface FailureHandler {
        /** @param message what failed */
        void failed(String message);
    }

    /** Called by the client's event thread when an operation has succeeded. */
    @FunctionalInterface
    interface Completion {
        /** @param session whose operation it was */
        void completed(ClientSession session);
    }

    /**
     * Begins to connect.
     *
     * @param address the replica's client address
     * @param failures told of anything that goes wrong
     * @throws IOException if the client cannot be created
     */
    ClientSession(String address, FailureHandler failures) throws IOException {
        this.address = address;
        this.failures = failures;
        this.client = new ZooKeeper(address, SESSION_TIMEOUT_MILLIS, new ConnectionWatcher());
    }

    private final class ConnectionWatcher implements Watcher {
        @Override
        public void process(WatchedEvent event) {
            if (event.getType() != EventType.None) {
                return;
            }
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            } else if (connected.getCount() == 0 && !closing.get()) {
                failures.failed("session at " + address + ": " + event.getState());
            }
        }
    }

    /**
     * @param seconds how long to wait at most
     * @throws IOException if there is no connection by then
     */
    void awaitConnected(long seconds) throws IOException, InterruptedException {
        if (!connected.await(seconds, TimeUnit.SECONDS)) {
            throw new IOException("no session at " + address + " after " + seconds + " s");
        }
    }

    /** @return ZooKeeper's client under it */
    public ZooKeeper client() {
        return client;
    }

    /** @return operations on their way */
    long outstanding() {
        return outstanding.get();
    }

    /**
     * Starts one operation.
     *
     * @param workload chooses the operation and the znode
     * @param intendedNanos when it was due, by {@link System#nanoTime}; latency is counted from there
     * @param completion called when it has succeeded
     */
    void issue(Workload workload, long intendedNanos, Completion completion) {
        outstanding.incrementAndGet();
        String path = workload.randomPath();
        if (!workload.nextIsRead()) {
            client.setData(
                    path,
                    workload.randomValue(),
                    -1,
                    (rc, p, context, stat) -> done(rc, p, writes, intendedNanos, completion),
                    null);
            return;
        }
        if (workload.syncBeforeRead()) {
            // Both are sent at once: the server answers a session's requests in order.
            client.sync(path, (rc, p, context) -> checkSynced(rc, p), null);
        }
        client.getData(
                path, false, (rc, p, context, data, stat) -> done(rc, p, reads, intendedNanos, completion), null);
    }

    private void checkSynced(int rc, String path) {
        if (rc != Code.OK.intValue() && !closing.get()) {
            failures.failed(KeeperException.create(Code.get(rc), path).getMessage() + " (sync)");
        }
    }

    private void done(int rc, String path, SingleWriterRecorder recorder, long intendedNanos, Completion completion) {
        outstanding.decrementAndGet();
        if (rc != Code.OK.intValue()) {
            if (!closing.get()) {
                failures.failed(KeeperException.create(Code.get(rc), path).getMessage());
            }
            return;
        }
        recorder.recordValue(Math.max(0, System.nanoTime() - intendedNanos));
        completion.completed(this);
    }

    /**
     * Adds the latencies since the last call to histograms. One thread only.
     *
     * @param readNanos receives those of reads
     * @param writeNanos receives those of writes
     */
    void drainTo(Histogram readNanos, Histogram writeNanos) {
        readNanos.add(reads.getIntervalHistogram());
        writeNanos.add(writes.getIntervalHistogram());
    }

    /** From now on the loss of the connection is expected. */
    void expectClose() {
        closing.set(true);
    }

    /** Ends the session; an interrupt ends the wait for the server's answer. */
    void close() {
        expectClose();
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "session at " + address;
    }
}
