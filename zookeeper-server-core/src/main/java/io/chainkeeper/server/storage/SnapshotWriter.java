package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
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
    private static final String SNAPSHOT_PREFIX = "snapshot";
    private static final String LOG_PREFIX = "log";

    /** Length fields, a reference to the ACL, and a Stat. */
    private static final int NODE_OVERHEAD_BYTES = 96;

    private static final int SESSION_BYTES = 12;
    private static final int FIXED_BYTES = 1 << 16;

    private final FileTxnSnapLog files;
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
            FileTxnSnapLog files,
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
    File write(CheckpointRequest request) throws IOException {
        File directory = files.getSnapDir();
        File temporary = new File(directory, TEMPORARY_NAME);
        long startNanos = System.nanoTime();
        long snapshotZxid = database.getDataTreeLastProcessedZxid();
        serialize(directory, temporary);
        long coveredZxid = database.getDataTreeLastProcessedZxid();
        // What has been applied has been appended before; this hands all of it to the operating system.
        database.commit();
        forceLogs(files.getDataLogDir(), forcedZxid);
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
        File snapshot = new File(directory, Util.makeSnapshotName(snapshotZxid));
        AtomicFile.rename(temporary.toPath(), snapshot.toPath());
        LOG.info("Snapshot {} taken in {} ms", snapshot, (System.nanoTime() - startNanos) / 1_000_000);
        List<File> kept = new FileSnap(files.getSnapDir()).findNRecentSnapshots(retainCount);
        long oldest = Util.getZxidFromName(kept.get(kept.size() - 1).getName(), SNAPSHOT_PREFIX);
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
        forceLogs(files.getDataLogDir(), forcedZxid);
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

    private void serialize(File directory, File temporary) throws IOException {
        String refusal = roomFor.refusal(directory.toPath(), estimatedBytes());
        if (refusal != null) {
            throw new SnapshotPostponedException(refusal, null);
        }
        try {
            Files.deleteIfExists(temporary.toPath());
            new FileSnap(directory)
                    .serialize(database.getDataTree(), database.getSessionWithTimeOuts(), temporary, true);
        } catch (IOException e) {
            throw postponed(temporary, e);
        }
    }

    private static SnapshotPostponedException postponed(File temporary, IOException cause) {
        try {
            Files.deleteIfExists(temporary.toPath());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new SnapshotPostponedException(temporary + " could not be written: " + cause.getMessage(), cause);
    }

    private void writeCheckpoint(Checkpoint checkpoint, File temporary) throws IOException {
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
    public static void forceLogs(File directory, long afterZxid) throws IOException {
        for (File file : FileTxnLog.getLogFiles(directory.listFiles(), afterZxid)) {
            try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
        AtomicFile.forceDirectory(directory.toPath());
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
        deleteBefore(files.getSnapDir(), SNAPSHOT_PREFIX, oldest);
        File[] neededLogs = FileTxnLog.getLogFiles(files.getDataLogDir().listFiles(), oldest);
        if (neededLogs.length > 0) {
            deleteBefore(files.getDataLogDir(), LOG_PREFIX, Util.getZxidFromName(neededLogs[0].getName(), LOG_PREFIX));
        }
        checkpoints.deleteBefore(oldest);
    }

    private static void deleteBefore(File directory, String prefix, long zxid) throws IOException {
        File[] found = directory.listFiles((in, name) -> isBefore(name, prefix, zxid));
        for (File file : found == null ? new File[0] : found) {
            LOG.info("Deleting {}: newer snapshots are kept", file);
            Files.deleteIfExists(file.toPath());
        }
    }

    /** Other files in the directory have no zxid of this sort in their name. */
    private static boolean isBefore(String name, String prefix, long zxid) {
        long of = Util.getZxidFromName(name, prefix);
        return of >= 0 && of < zxid;
    }
}
