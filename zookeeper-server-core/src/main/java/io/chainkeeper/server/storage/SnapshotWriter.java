package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.SnapshotInfo;
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
    private final Retention retention;
    private final LongConsumer coveredListener;
    private final RoomFor roomFor;
    private final LongSupplier clockNanos;
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
     * What stays behind a new snapshot.
     *
     * @param snapshots how many recovery may fall back to, at least 1
     * @param purges whether older ones, and logs that only they need, are deleted. Their checkpoints are in any case:
     *     the order is cut, so nothing can start from them.
     * @param mayForget whether that may begin by now
     */
    public record Retention(int snapshots, boolean purges, BooleanSupplier mayForget) {}

    /**
     * @param files where snapshots and log lie
     * @param database the tree
     * @param checkpoints where checkpoints lie
     * @param retention what stays
     * @param coveredListener told of the position that recovery no longer needs the order up to
     * @param roomFor asked before a file is written
     * @param clockNanos a monotonic clock
     * @param forcedZxid the log is on stable storage up to here
     */
    public SnapshotWriter(
            LoggedFiles files,
            ZKDatabase database,
            CheckpointStore checkpoints,
            Retention retention,
            LongConsumer coveredListener,
            RoomFor roomFor,
            LongSupplier clockNanos,
            long forcedZxid) {
        this.files = files;
        this.database = database;
        this.checkpoints = checkpoints;
        this.retention = retention;
        this.coveredListener = coveredListener;
        this.roomFor = roomFor;
        this.clockNanos = clockNanos;
        this.forcedZxid = forcedZxid;
    }

    /** What is written in pieces, each as long as the disk takes for it. Used by one thread at a time. */
    abstract static class Writing {
        private Iterator<Piece> pieces;

        /**
         * Does the next piece.
         *
         * @return whether more follow
         * @throws SnapshotPostponedException if there is no room for it, or its file could not be written
         * @throws IOException if anything else could not be written; what was being written then does not exist
         */
        final boolean step() throws IOException {
            if (pieces == null) {
                pieces = pieces().iterator();
            }
            pieces.next().write();
            return pieces.hasNext();
        }

        abstract List<Piece> pieces();

        /** What has been written, once it has its name; null for a checkpoint of the log. */
        abstract Path file();

        /** One of them. */
        @FunctionalInterface
        interface Piece {
            void write() throws IOException;
        }
    }

    /**
     * Begins to write a snapshot that belongs to a captured state; at the end what is no longer needed is deleted.
     *
     * @param request captured before
     * @return to be gone through before anything else is written
     */
    Writing snapshot(CheckpointRequest request) {
        return new WritingSnapshot(request);
    }

    private final class WritingSnapshot extends Writing {
        private final CheckpointRequest request;
        private final Path temporary = files.snapshotDirectory().resolve(TEMPORARY_NAME);
        private long startNanos;
        private long snapshotZxid;
        private long coveredZxid;
        private Path snapshot;
        private SnapshotInfo info;

        private WritingSnapshot(CheckpointRequest request) {
            this.request = request;
        }

        @Override
        List<Piece> pieces() {
            return List.of(this::begin, this::copyTree, this::cover, this::writeCheckpoint, this::name, this::forget);
        }

        @Override
        Path file() {
            return snapshot;
        }

        private void begin() throws IOException {
            startNanos = clockNanos.getAsLong();
            snapshotZxid = database.getDataTreeLastProcessedZxid();
            String refusal = roomFor.refusal(files.snapshotDirectory(), estimatedBytes());
            if (refusal != null) {
                throw new SnapshotPostponedException(refusal, null);
            }
        }

        private void copyTree() throws IOException {
            try {
                info = serialize(temporary);
            } catch (IOException e) {
                throw postponed(temporary, e);
            }
        }

        private void cover() throws IOException {
            // What was copied may hold a part of a transaction that is being applied. It has been appended before.
            coveredZxid = Math.max(database.getDataTreeLastProcessedZxid(), files.lastAppendedZxid());
            // This hands all of it to the operating system.
            database.commit();
            forceLogs(files.logDirectory(), forcedZxid);
            forcedZxid = coveredZxid;
        }

        private void writeCheckpoint() throws IOException {
            try {
                checkpoints.write(new Checkpoint(
                        request.position(),
                        request.zxid(),
                        snapshotZxid,
                        coveredZxid,
                        request.proposers(),
                        request.replicatedState()));
            } catch (IOException e) {
                throw postponed(temporary, e);
            }
        }

        private void name() throws IOException {
            Path file = files.snapshotDirectory().resolve(Util.makeSnapshotName(snapshotZxid));
            AtomicFile.rename(temporary, file);
            snapshot = file;
            // ZooKeeper's class has taken it from the temporary name, which has none.
            info.zxid = snapshotZxid;
            files.snapshotTaken(info);
            long millis = (clockNanos.getAsLong() - startNanos) / 1_000_000;
            ServerMetrics.getMetrics().SNAPSHOT_TIME.add(millis);
            LOG.info("Snapshot {} taken in {} ms", file, millis);
        }

        private void forget() throws IOException {
            List<Path> all = DataFiles.snapshots(files.snapshotDirectory());
            long oldest = DataFiles.snapshotZxid(all.get(Math.min(retention.snapshots(), all.size()) - 1));
            if (retention.mayForget().getAsBoolean()) {
                if (retention.purges()) {
                    purge(oldest);
                }
                checkpoints.deleteBefore(oldest);
            }
            reportCovered(oldest);
        }
    }

    /**
     * Begins to bring the transaction log to stable storage and to write a checkpoint of it. What was executed when the
     * state was captured has been handed to the operating system, and the log has been rolled behind it. The order is
     * not cut: a start that cannot read this checkpoint goes back to one of a snapshot.
     *
     * @param request captured before
     * @return to be gone through before anything else is written
     */
    Writing checkpointOfLog(CheckpointRequest request) {
        return new WritingOfLog(request);
    }

    private final class WritingOfLog extends Writing {
        private final CheckpointRequest request;

        private WritingOfLog(CheckpointRequest request) {
            this.request = request;
        }

        @Override
        List<Piece> pieces() {
            return List.of(this::force, this::writeCheckpoint);
        }

        @Override
        Path file() {
            return null;
        }

        private void force() throws IOException {
            forceLogs(files.logDirectory(), forcedZxid);
            forcedZxid = Math.max(forcedZxid, request.zxid());
        }

        private void writeCheckpoint() throws IOException {
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
    }

    private SnapshotInfo serialize(Path temporary) throws IOException {
        Files.deleteIfExists(temporary);
        FileSnap writer = new FileSnap(files.getSnapDir());
        // Forced below: ZooKeeper's class would do it without the file system that the path is of.
        writer.serialize(database.getDataTree(), database.getSessionWithTimeOuts(), temporary.toFile(), false);
        force(temporary);
        return writer.getLastSnapshotInfo();
    }

    private static SnapshotPostponedException postponed(Path temporary, IOException cause) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new SnapshotPostponedException(temporary + " could not be written: " + cause.getMessage(), cause);
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
            long begin = System.nanoTime();
            force(file);
            SlowForces.OF_PROCESS.transactionLog(file::toString, Files.size(file), System.nanoTime() - begin);
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
        purgeLogs(files.logDirectory(), oldest);
    }

    /**
     * Deletes log files that hold only transactions before a zxid. The executor may begin files meanwhile; they are
     * later than all that are looked at, and stay.
     */
    static void purgeLogs(Path directory, long oldest) throws IOException {
        List<Path> needed = DataFiles.logs(directory, oldest);
        long firstNeeded = needed.isEmpty() ? 0 : DataFiles.logZxid(needed.get(0));
        for (Path log : DataFiles.logs(directory, 0)) {
            deleteIf(DataFiles.logZxid(log) < firstNeeded, log);
        }
    }

    private static void deleteIf(boolean superfluous, Path file) throws IOException {
        if (superfluous) {
            LOG.info("Deleting {}: newer snapshots are kept", file);
            Files.deleteIfExists(file);
        }
    }
}
