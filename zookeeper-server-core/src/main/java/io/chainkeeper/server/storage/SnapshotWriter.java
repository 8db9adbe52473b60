package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.Util;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a fuzzy snapshot with its checkpoint. A snapshot gets its name only after everything that it rests on is on
 * stable storage: its own bytes, the transactions whose effects it may hold, and its checkpoint. So a crash at any
 * moment leaves either the state before, or a snapshot that can be continued from. Used by one thread.
 */
public final class SnapshotWriter {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotWriter.class);
    private static final String TEMPORARY_NAME = "writing-snapshot";

    /** Length fields, a reference to the ACL, and a Stat. */
    private static final int NODE_OVERHEAD_BYTES = 96;

    private static final int SESSION_BYTES = 12;
    private static final int FIXED_BYTES = 1 << 16;

    private final LoggedFiles files;
    private final ZKDatabase database;
    private final CheckpointStore checkpoints;
    private final int retainCount;
    private final boolean purges;
    private final LongConsumer coveredListener;
    private final RoomFor roomFor;
    private long forcedZxid;

    /** Says whether a file fits. */
    @FunctionalInterface
    public interface RoomFor {
        /**
         * @param directory where to
         * @param bytes its size
         * @return null if it does, else why not, one line
         */
        String refusal(Path directory, long bytes);
    }

    /**
     * @param files where snapshots and log lie
     * @param database the tree
     * @param checkpoints where checkpoints lie
     * @param retainCount how many snapshots recovery may fall back to, at least 1
     * @param purges whether what is older than those is deleted
     * @param coveredListener told of the position that recovery no longer needs the order up to
     * @param roomFor asked before a file is written
     * @param forcedZxid the log is on stable storage up to here
     */
    public SnapshotWriter(
            LoggedFiles files,
            ZKDatabase database,
            CheckpointStore checkpoints,
            int retainCount,
            boolean purges,
            LongConsumer coveredListener,
            RoomFor roomFor,
            long forcedZxid) {
        this.files = files;
        this.database = database;
        this.checkpoints = checkpoints;
        this.retainCount = retainCount;
        this.purges = purges;
        this.coveredListener = coveredListener;
        this.roomFor = roomFor;
        this.forcedZxid = forcedZxid;
    }

    /**
     * Writes a snapshot that belongs to a captured state, then deletes what is no longer needed.
     *
     * @param request captured before
     * @return the snapshot file
     * @throws SnapshotPostponedException if there is no room for it, or its file could not be written
     * @throws IOException if anything else could not be written; the snapshot then does not exist
     */
    Path write(CheckpointRequest request) throws IOException {
        Path directory = files.snapshotDirectory();
        Path temporary = directory.resolve(TEMPORARY_NAME);
        long startNanos = System.nanoTime();
        long snapshotZxid = database.getDataTreeLastProcessedZxid();
        serialize(directory, temporary);
        long coveredZxid = database.getDataTreeLastProcessedZxid();
        // What has been applied has been appended before; this hands all of it to the operating system.
        database.commit();
        forceLogs(files.logDirectory(), forcedZxid);
        forcedZxid = coveredZxid;
        writeCheckpoint(
                new Checkpoint(
                        request.position(),
                        request.zxid(),
                        snapshotZxid,
                        coveredZxid,
                        request.proposers(),
                        request.replicatedState()),
                temporary);
        Path snapshot = directory.resolve(Util.makeSnapshotName(snapshotZxid));
        AtomicFile.rename(temporary, snapshot);
        LOG.info("Snapshot {} taken in {} ms", snapshot, (System.nanoTime() - startNanos) / 1_000_000);
        List<Path> all = DataFiles.snapshots(directory);
        long oldest = DataFiles.snapshotZxid(all.get(Math.min(retainCount, all.size()) - 1));
        if (purges) {
            purge(oldest);
        }
        reportCovered(oldest);
        return snapshot;
    }

    /**
     * Brings the transaction log to stable storage and writes a checkpoint of it. What was executed when the state was
     * captured has been handed to the operating system, and the log has been rolled behind it. The order is not cut: a
     * start that cannot read this checkpoint goes back to one of a snapshot.
     *
     * @param request captured before
     * @throws SnapshotPostponedException if the checkpoint could not be written
     * @throws IOException if the log could not be forced
     */
    void writeOfLog(CheckpointRequest request) throws IOException {
        forceLogs(files.logDirectory(), forcedZxid);
        forcedZxid = Math.max(forcedZxid, request.zxid());
        try {
            checkpoints.writeOfLog(new Checkpoint(
                    request.position(),
                    request.zxid(),
                    request.zxid(),
                    forcedZxid,
                    request.proposers(),
                    request.replicatedState()));
        } catch (IOException e) {
            throw new SnapshotPostponedException(
                    "Checkpoint in " + checkpoints.directory() + " could not be written: " + e.getMessage(), e);
        }
    }

    private void serialize(Path directory, Path temporary) throws IOException {
        String refusal = roomFor.refusal(directory, estimatedBytes());
        if (refusal != null) {
            throw new SnapshotPostponedException(refusal, null);
        }
        try {
            Files.deleteIfExists(temporary);
            // Forced below: ZooKeeper's class would do it without the file system that the path is of.
            new FileSnap(directory.toFile())
                    .serialize(database.getDataTree(), database.getSessionWithTimeOuts(), temporary.toFile(), false);
            force(temporary);
        } catch (IOException e) {
            throw postponed(temporary, e);
        }
    }

    private static SnapshotPostponedException postponed(Path temporary, IOException cause) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new SnapshotPostponedException(temporary + " could not be written: " + cause.getMessage(), cause);
    }

    private void writeCheckpoint(Checkpoint checkpoint, Path temporary) throws IOException {
        try {
            checkpoints.write(checkpoint);
        } catch (IOException e) {
            throw postponed(temporary, e);
        }
    }

    /** Not less than the file will have, compression aside. */
    private long estimatedBytes() {
        return database.getDataTree().cachedApproximateDataSize()
                + (long) NODE_OVERHEAD_BYTES * database.getNodeCount()
                + (long) SESSION_BYTES * database.getSessionCount()
                + FIXED_BYTES;
    }

    /**
     * Forces the log files that may hold transactions after a zxid.
     *
     * @param directory where they lie
     * @param afterZxid what is on stable storage already
     * @throws IOException if a file cannot be forced
     */
    public static void forceLogs(Path directory, long afterZxid) throws IOException {
        for (Path file : DataFiles.logs(directory, afterZxid)) {
            force(file);
        }
        AtomicFile.forceDirectory(directory);
    }

    /** Forces a snapshot that ZooKeeper has written by itself. */
    static void forceSnapshot(Path directory, long zxid) throws IOException {
        for (Path file : DataFiles.snapshots(directory)) {
            if (DataFiles.snapshotZxid(file) == zxid) {
                force(file);
            }
        }
        AtomicFile.forceDirectory(directory);
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** The order's own log is cut below the oldest snapshot that may be needed, whether older ones stay or not. */
    private void reportCovered(long oldest) throws IOException {
        long position = Long.MAX_VALUE;
        for (Checkpoint checkpoint : checkpoints.readAll()) {
            if (checkpoint.snapshotZxid() >= oldest) {
                position = Math.min(position, checkpoint.position());
            }
        }
        coveredListener.accept(position);
    }

    private void purge(long oldest) throws IOException {
        for (Path snapshot : DataFiles.snapshots(files.snapshotDirectory())) {
            deleteIf(DataFiles.snapshotZxid(snapshot) < oldest, snapshot);
        }
        List<Path> neededLogs = DataFiles.logs(files.logDirectory(), oldest);
        for (Path log : DataFiles.logs(files.logDirectory(), 0)) {
            deleteIf(!neededLogs.contains(log), log);
        }
        checkpoints.deleteBefore(oldest);
    }

    private static void deleteIf(boolean superfluous, Path file) throws IOException {
        if (superfluous) {
            LOG.info("Deleting {}: newer snapshots are kept", file);
            Files.deleteIfExists(file);
        }
    }
}
