package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints on a thread of their own, one at a time. A snapshot is due, as with ZooKeeper, after {@code snapCount}
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
    private final ExecutorService thread;
    private final int snapCount = ZooKeeperServer.getSnapCount();
    private final long snapBytes = ZooKeeperServer.getSnapSizeInBytes();
    private final long checkpointBytes;
    private volatile boolean writing;
    private volatile boolean postponed;
    private volatile long retryNanos;
    private long snapshotDueZxid;
    private long snapshotDueBytes;
    private long logDueZxid;
    private long logDueBytes;

    /**
     * @param database the tree and its log
     * @param loggedBytes how many bytes of transactions have been appended to it since the start
     * @param writer writes them
     * @param failureHandler told when a checkpoint cannot be written
     * @param zxid last zxid of the checkpoint that was started from
     * @param checkpointBytes bytes of transaction log between two checkpoints, at least 1
     * @param replicaId names the thread
     */
    public CheckpointSchedule(
            ZKDatabase database,
            LongSupplier loggedBytes,
            SnapshotWriter writer,
            FailureHandler failureHandler,
            long zxid,
            long checkpointBytes,
            int replicaId) {
        this.database = database;
        this.loggedBytes = loggedBytes;
        this.writer = writer;
        this.failureHandler = failureHandler;
        this.checkpointBytes = checkpointBytes;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread created = new Thread(task, "snapshot-" + replicaId);
            created.setDaemon(true);
            return created;
        });
        scheduleSnapshot(zxid);
        long recoveredZxid = database.getDataTreeLastProcessedZxid();
        logDueZxid = recoveredZxid > zxid ? recoveredZxid : Long.MAX_VALUE;
    }

    private void scheduleSnapshot(long zxid) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        snapshotDueZxid = zxid + snapCount - random.nextInt(snapCount / 2 + 1);
        long afterBytes = snapBytes > 0 ? snapBytes - random.nextLong(snapBytes / 2 + 1) : Long.MAX_VALUE / 2;
        snapshotDueBytes = loggedBytes.getAsLong() + afterBytes;
        scheduleLog();
    }

    private void scheduleLog() {
        logDueZxid = Long.MAX_VALUE;
        logDueBytes = loggedBytes.getAsLong() + checkpointBytes;
    }

    @Override
    public Due due(long zxid) {
        if (writing) {
            return Due.NOTHING;
        }
        long bytes = loggedBytes.getAsLong();
        boolean snapshot =
                postponed ? System.nanoTime() - retryNanos >= 0 : zxid >= snapshotDueZxid || bytes >= snapshotDueBytes;
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
        thread.execute(() -> {
            try {
                write(snapshot, request);
            } catch (IOException | RuntimeException e) {
                String kind = snapshot ? "snapshot" : "checkpoint of the transaction log";
                failureHandler.failed(kind + " could not be written: " + e.getMessage(), e);
            } finally {
                writing = false;
            }
        });
    }

    private void write(boolean snapshot, CheckpointRequest request) throws IOException {
        try {
            if (snapshot) {
                writer.write(request);
                postponed = false;
            } else {
                writer.writeOfLog(request);
            }
        } catch (SnapshotPostponedException e) {
            if (!snapshot) {
                LOG.warn("{}. The next start has to look back further; free space there", e.getMessage());
                return;
            }
            retryNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
            postponed = true;
            LOG.warn(
                    "Snapshot not taken: {}. It is tried again in {} s; free space there",
                    e.getMessage(),
                    RETRY_SECONDS);
        }
    }

    /**
     * Writes a snapshot now and waits for it; any thread but the executor.
     *
     * @param request the state beside the tree, captured between two positions
     * @return the snapshot file
     * @throws IOException if it cannot be written
     */
    public Path takeNow(CheckpointRequest request) throws IOException {
        Future<Path> snapshot = thread.submit(() -> writer.write(request));
        try {
            return snapshot.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a snapshot was being written", e);
        } catch (ExecutionException e) {
            throw new IOException(
                    "snapshot could not be written: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** Waits for what is being written, and takes no more. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            boolean ended = thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            InvariantViolated.check(ended, "the snapshot thread goes on although it was waited for");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
