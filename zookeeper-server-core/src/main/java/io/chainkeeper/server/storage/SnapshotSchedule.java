package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.server.execution.Zxids;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When snapshots are taken: every {@code snapCount} transactions, less a random part of up to a half so that replicas
 * do not all write at once; on a thread of its own, one at a time.
 */
public final class SnapshotSchedule implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotSchedule.class);
    private static final int RETRY_SECONDS = 30;

    private final ZKDatabase database;
    private final SnapshotWriter writer;
    private final FailureHandler failureHandler;
    private final ExecutorService thread;
    private final int snapCount;
    private volatile boolean writing;
    private volatile boolean postponed;
    private volatile long retryNanos;
    private long dueZxid;

    /**
     * @param database the tree and its log
     * @param writer writes them
     * @param failureHandler told when a snapshot cannot be written
     * @param zxid last zxid of the tree
     * @param replicaId names the thread
     */
    public SnapshotSchedule(
            ZKDatabase database, SnapshotWriter writer, FailureHandler failureHandler, long zxid, int replicaId) {
        this.database = database;
        this.writer = writer;
        this.failureHandler = failureHandler;
        this.snapCount = ZooKeeperServer.getSnapCount();
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread created = new Thread(task, "snapshot-" + replicaId);
            created.setDaemon(true);
            return created;
        });
        schedule(zxid);
    }

    private void schedule(long zxid) {
        dueZxid = zxid + snapCount - ThreadLocalRandom.current().nextInt(snapCount / 2 + 1);
    }

    /**
     * Executor thread.
     *
     * @param zxid last zxid taken
     * @return whether a snapshot is due and none is being written
     */
    public boolean due(long zxid) {
        return !writing && (postponed ? System.nanoTime() - retryNanos >= 0 : zxid >= dueZxid);
    }

    /**
     * Executor thread: begins a new log file and writes a snapshot in the background.
     *
     * @param request the state beside the tree, captured between two positions
     */
    public void start(CheckpointRequest request) {
        schedule(request.zxid());
        writing = true;
        try {
            database.rollLog();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "transaction log after " + Zxids.text(request.zxid()) + " cannot be rolled: " + e, e);
        }
        thread.execute(() -> {
            try {
                writer.write(request);
                postponed = false;
            } catch (SnapshotPostponedException e) {
                retryNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
                postponed = true;
                LOG.warn(
                        "Snapshot not taken: {}. It is tried again in {} s; free space there",
                        e.getMessage(),
                        RETRY_SECONDS);
            } catch (IOException | RuntimeException e) {
                failureHandler.failed("snapshot could not be written: " + e.getMessage(), e);
            } finally {
                writing = false;
            }
        });
    }

    /**
     * Writes a snapshot now and waits for it; any thread but the executor.
     *
     * @param request the state beside the tree, captured between two positions
     * @return the snapshot file
     * @throws IOException if it cannot be written
     */
    public File takeNow(CheckpointRequest request) throws IOException {
        Future<File> snapshot = thread.submit(() -> writer.write(request));
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

    /** Waits for the snapshot that is being written, and takes no more. */
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
