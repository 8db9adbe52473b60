package io.chainkeeper.server.storage;

import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.background.BackgroundWork;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints in the background, one at a time. A snapshot is due, as with ZooKeeper, after {@code snapCount}
 * transactions or {@code zookeeper.snapSizeLimitInKb} of them (ZooKeeper counts what is reserved in the files), less a
 * random part of up to a half so that replicas do not all write at once. Between snapshots a checkpoint of the log
 * alone is due after so many bytes of it, and once behind what a start has brought back.
 */
public final class CheckpointSchedule implements Checkpoints, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointSchedule.class);
    private static final int RETRY_SECONDS = 30;

    private final ZKDatabase database;
    private final LongSupplier loggedBytes;
    private final SnapshotWriter writer;
    private final FailureHandler failureHandler;
    private final Background background;
    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final Intervals intervals;
    /** What is written and what waits for that; guarded by itself. */
    private final Deque<Order> orders = new ArrayDeque<>();

    private boolean closed;
    private volatile boolean writing;
    private volatile boolean postponed;
    private volatile long retryNanos;
    private long snapshotDueZxid;
    private long snapshotDueBytes;
    private long logDueZxid;
    private long logDueBytes;

    /**
     * When something is due.
     *
     * @param snapCount transactions between two snapshots, at least 1
     * @param snapBytes bytes of transactions between two snapshots; 0 for no limit
     * @param logBytes bytes of transactions between two checkpoints, at least 1
     */
    public record Intervals(int snapCount, long snapBytes, long logBytes) {
        /**
         * @param logBytes see {@link Intervals}
         * @return the others as ZooKeeper's settings say
         */
        public static Intervals configured(long logBytes) {
            return new Intervals(ZooKeeperServer.getSnapCount(), ZooKeeperServer.getSnapSizeInBytes(), logBytes);
        }
    }

    /**
     * What is to be written.
     *
     * @param writing it
     * @param isSnapshot or else a checkpoint of the log
     * @param taken who waits for it; null if it was due
     */
    private record Order(SnapshotWriter.Writing writing, boolean isSnapshot, CompletableFuture<Path> taken) {}

    /**
     * @param database the tree and its log
     * @param loggedBytes how many bytes of transactions have been appended to it since the start
     * @param writer writes them
     * @param failureHandler told when a checkpoint cannot be written
     * @param zxid last zxid of the checkpoint that was started from
     * @param intervals when something is due
     * @param scheduler gives time, chance and what writes in the background
     * @param replicaId names that
     */
    public CheckpointSchedule(
            ZKDatabase database,
            LongSupplier loggedBytes,
            SnapshotWriter writer,
            FailureHandler failureHandler,
            long zxid,
            Intervals intervals,
            Scheduler scheduler,
            int replicaId) {
        this.database = database;
        this.loggedBytes = loggedBytes;
        this.writer = writer;
        this.failureHandler = failureHandler;
        this.intervals = intervals;
        this.scheduler = scheduler;
        this.random = new SplittableRandom(scheduler.seed());
        this.background = new BackgroundWork(scheduler, "snapshot-" + replicaId);
        scheduleSnapshot(zxid);
        long recoveredZxid = database.getDataTreeLastProcessedZxid();
        logDueZxid = recoveredZxid > zxid ? recoveredZxid : Long.MAX_VALUE;
    }

    private void scheduleSnapshot(long zxid) {
        int snapCount = intervals.snapCount();
        long snapBytes = intervals.snapBytes();
        snapshotDueZxid = zxid + snapCount - random.nextInt(snapCount / 2 + 1);
        long afterBytes = snapBytes > 0 ? snapBytes - random.nextLong(snapBytes / 2 + 1) : Long.MAX_VALUE / 2;
        snapshotDueBytes = loggedBytes.getAsLong() + afterBytes;
        scheduleLog();
    }

    private void scheduleLog() {
        logDueZxid = Long.MAX_VALUE;
        logDueBytes = loggedBytes.getAsLong() + intervals.logBytes();
    }

    @Override
    public Due due(long zxid) {
        if (writing) {
            return Due.NOTHING;
        }
        long bytes = loggedBytes.getAsLong();
        boolean snapshot = postponed
                ? scheduler.nanoTime() - retryNanos >= 0
                : zxid >= snapshotDueZxid || bytes >= snapshotDueBytes;
        if (snapshot) {
            return Due.SNAPSHOT;
        }
        return zxid >= logDueZxid || bytes >= logDueBytes ? Due.LOG : Due.NOTHING;
    }

    /** Apply thread: begins a new log file, and writes in the background. */
    @Override
    public void start(Due what, CheckpointRequest request) {
        boolean snapshot = what == Due.SNAPSHOT;
        writing = true;
        try {
            database.rollLog();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "transaction log after " + Zxids.text(request.zxid()) + " cannot be rolled: " + e, e);
        }
        if (snapshot) {
            scheduleSnapshot(request.zxid());
        } else {
            scheduleLog();
        }
        add(new Order(snapshot ? writer.snapshot(request) : writer.checkpointOfLog(request), snapshot, null));
    }

    private boolean add(Order order) {
        synchronized (orders) {
            if (closed) {
                return false;
            }
            if (orders.isEmpty()) {
                // Before it is noted: whoever closes this would wait for a writer that cannot be started.
                background.execute(this::writePiece);
            }
            orders.add(order);
            return true;
        }
    }

    private Order current() {
        synchronized (orders) {
            return orders.peek();
        }
    }

    /** Anything else may happen between two pieces, the end of this process included. */
    private void writePiece() {
        Order order = current();
        boolean more = false;
        try {
            more = order.writing.step();
            if (!more) {
                written(order);
            }
        } catch (IOException | RuntimeException | Error e) {
            notWritten(order, e);
        } finally {
            if (more || ended(order)) {
                background.execute(this::writePiece);
            }
        }
    }

    private void written(Order order) {
        if (order.taken != null) {
            order.taken.complete(order.writing.file());
        } else if (order.isSnapshot) {
            postponed = false;
        }
    }

    private void notWritten(Order order, Throwable failure) {
        if (order.taken != null) {
            order.taken.completeExceptionally(
                    new IOException("snapshot could not be written: " + failure.getMessage(), failure));
        }
        // Whoever asked: a later force of the log would succeed without what a failed one has lost.
        if (!(failure instanceof SnapshotPostponedException)) {
            String kind = order.isSnapshot ? "snapshot" : "checkpoint of the transaction log";
            failureHandler.failed(kind + " could not be written: " + failure.getMessage(), failure);
        } else if (order.taken == null && order.isSnapshot) {
            retryNanos = scheduler.nanoTime() + TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
            postponed = true;
            LOG.warn(
                    "Snapshot not taken: {}. It is tried again in {} s; free space there",
                    failure.getMessage(),
                    RETRY_SECONDS);
        } else if (order.taken == null) {
            LOG.warn("{}. The next start has to look back further; free space there", failure.getMessage());
        }
    }

    /** Returns whether another one waits. */
    private boolean ended(Order order) {
        if (order.taken == null) {
            writing = false;
        }
        synchronized (orders) {
            orders.remove();
            orders.notifyAll();
            return !orders.isEmpty();
        }
    }

    /**
     * Writes a snapshot now, in the background.
     *
     * @param request the state beside the tree, captured between two positions
     * @return gives the snapshot file; fails with an {@link IOException} if it cannot be written
     */
    public CompletableFuture<Path> take(CheckpointRequest request) {
        CompletableFuture<Path> taken = new CompletableFuture<>();
        if (!add(new Order(writer.snapshot(request), true, taken))) {
            taken.completeExceptionally(new IOException("snapshot could not be written: this server is stopping"));
        }
        return taken;
    }

    /** Waits for what is being written, and takes no more. */
    @Override
    public void close() {
        synchronized (orders) {
            closed = true;
            scheduler.await(orders, "what is written in the background", orders::isEmpty);
        }
        background.close();
    }
}
