package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.ordering.MalformedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoint files: one per snapshot, {@code checkpoint.<zxid of the snapshot in hex>}, and the newest that belongs
 * to no snapshot, {@value #OF_LOG}. Used by one thread at a time.
 */
public final class CheckpointStore {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);

    /** Name of the directory in the ordering directory that holds them. */
    public static final String DIRECTORY = "checkpoints";

    private static final String PREFIX = "checkpoint.";

    /** Name of the file that holds a checkpoint of the transaction log alone. */
    static final String OF_LOG = "checkpoint.log";

    /**
     * Of one position that of the later snapshot is newer: there may be two, if a snapshot is taken before anything
     * follows what the start has recovered. What the older one needs may be deleted while it is still there.
     */
    private static final Comparator<Checkpoint> NEWEST_FIRST = Comparator.comparingLong(Checkpoint::position)
            .thenComparingLong(Checkpoint::snapshotZxid)
            .thenComparingLong(Checkpoint::coveredZxid)
            .reversed();

    private final Path directory;

    /**
     * Makes durable which files are there: whoever gave one its name may have crashed before that, and what a start
     * goes on from must not be gone at the next one.
     *
     * @param directory where the files lie
     * @throws IOException if it cannot be created or forced
     */
    public CheckpointStore(Path directory) throws IOException {
        this.directory = directory;
        AtomicFile.createDirectories(directory);
        AtomicFile.forceDirectory(directory);
    }

    /** @return where the files lie */
    public Path directory() {
        return directory;
    }

    /**
     * Writes a checkpoint durably.
     *
     * @param checkpoint the checkpoint
     * @throws IOException if it cannot be written
     */
    public void write(Checkpoint checkpoint) throws IOException {
        AtomicFile.write(file(checkpoint.snapshotZxid()), checkpoint.encode());
    }

    /**
     * Writes a checkpoint that belongs to no snapshot durably, in the place of the one before.
     *
     * @param checkpoint the checkpoint
     * @throws IOException if it cannot be written
     */
    void writeOfLog(Checkpoint checkpoint) throws IOException {
        AtomicFile.write(directory.resolve(OF_LOG), checkpoint.encode());
    }

    /**
     * @param snapshotZxid names a snapshot
     * @return the file that holds its checkpoint, or would
     */
    public Path file(long snapshotZxid) {
        return directory.resolve(PREFIX + Long.toHexString(snapshotZxid));
    }

    /**
     * Reads everything that a start may continue from: that of the log, which counts only beside others, and those of
     * snapshots.
     *
     * @return the newest, by position, first; empty if there is none of a snapshot
     * @throws IOException as {@link #readAll}
     */
    public List<Checkpoint> readForStart() throws IOException {
        List<Checkpoint> checkpoints = new ArrayList<>(readAll());
        Path file = directory.resolve(OF_LOG);
        if (checkpoints.isEmpty() || !Files.exists(file)) {
            return checkpoints;
        }
        try {
            checkpoints.add(Checkpoint.decode(Files.readAllBytes(file), file.toString()));
        } catch (MalformedMessageException e) {
            LOG.warn("Checkpoint {} {}; going on from an older one", file, e.getMessage());
        }
        checkpoints.sort(NEWEST_FIRST);
        return checkpoints;
    }

    /**
     * Reads the checkpoints of all snapshots. A damaged one is left out with a warning if there is another to start
     * from.
     *
     * @return the newest, by position, first; empty if there is no file
     * @throws IOException if files cannot be read, all are damaged, or a later release wrote one
     */
    public List<Checkpoint> readAll() throws IOException {
        List<Checkpoint> checkpoints = new ArrayList<>();
        String damage = null;
        for (Path file : DataFiles.all(directory)) {
            String name = file.getFileName().toString();
            if (!name.startsWith(PREFIX) || name.endsWith(AtomicFile.TEMPORARY_SUFFIX) || name.equals(OF_LOG)) {
                continue;
            }
            try {
                checkpoints.add(Checkpoint.decode(Files.readAllBytes(file), file.toString()));
            } catch (MalformedMessageException e) {
                damage = file + " " + e.getMessage();
                LOG.warn("Checkpoint {}; looking for an older one", damage);
            }
        }
        if (checkpoints.isEmpty() && damage != null) {
            throw new IOException("no checkpoint can be read: " + damage
                    + ". Replace this replica's data directories by those of a healthy member");
        }
        checkpoints.sort(NEWEST_FIRST);
        return checkpoints;
    }

    /**
     * Deletes the checkpoints of snapshots that are gone, and what starts have left that ended while they wrote one.
     * Only for the thread that writes checkpoints of snapshots.
     *
     * @param oldestSnapshotZxid the oldest snapshot that is kept
     * @throws IOException if a file cannot be deleted
     */
    public void deleteBefore(long oldestSnapshotZxid) throws IOException {
        for (Checkpoint checkpoint : readAll()) {
            if (checkpoint.snapshotZxid() < oldestSnapshotZxid) {
                Files.deleteIfExists(file(checkpoint.snapshotZxid()));
            }
        }
        for (Path file : DataFiles.all(directory)) {
            String name = file.getFileName().toString();
            boolean isOfLog = name.equals(OF_LOG + AtomicFile.TEMPORARY_SUFFIX);
            if (name.startsWith(PREFIX) && name.endsWith(AtomicFile.TEMPORARY_SUFFIX) && !isOfLog) {
                Files.deleteIfExists(file);
            }
        }
    }
}
