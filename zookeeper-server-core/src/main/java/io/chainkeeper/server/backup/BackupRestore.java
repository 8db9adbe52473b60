package io.chainkeeper.server.backup;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.backup.BackupChain.Reach;
import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.Util;

/**
 * Makes data directories that a new ensemble starts from, as of one transaction of a backup: one exact snapshot in
 * each, which has been proved by then. Used by one thread.
 */
public final class BackupRestore {
    /** What a directory holds that has been prepared for a server, besides a directory for its files that is empty. */
    private static final Set<String> NO_DATA = Set.of("myid", "initialize", BackupFiles.LOST_AND_FOUND);

    private static final String TEMPORARY_NAME = "writing-restored-snapshot";

    private final Path directory;
    private final BackupManifest manifest;

    /**
     * @param directory holds the backup
     * @throws IOException if there is none, or its manifest is damaged
     */
    public BackupRestore(Path directory) throws IOException {
        this.directory = directory;
        this.manifest = new BackupDirectory(directory).require();
    }

    /**
     * What is to come back.
     *
     * @param ways how to get there; the first one that is whole is taken
     * @param zxid the last transaction
     */
    public record Goal(List<Reach> ways, long zxid) {
        /** Copies the ways. */
        public Goal {
            ways = List.copyOf(ways);
        }
    }

    /** @return the last state that the backup has */
    public Goal last() throws UserMistakeException {
        return at(manifest.end());
    }

    /**
     * @param zxid of a transaction
     * @return the state that it led to
     * @throws UserMistakeException if the backup cannot bring it back
     */
    public Goal at(long zxid) throws UserMistakeException {
        return new Goal(BackupChain.to(manifest, zxid), zxid);
    }

    /**
     * @param time any
     * @return the state that there was then
     * @throws UserMistakeException if the backup does not know it
     * @throws IOException if a file cannot be read
     */
    public Goal at(Instant time) throws IOException {
        Reach reach = BackupChain.at(manifest, time);
        long zxid = reach.from();
        for (Piece piece : reach.pieces()) {
            if (piece.firstMillis() <= time.toEpochMilli()) {
                zxid = Math.max(zxid, lastUntil(piece, time.toEpochMilli()));
            }
        }
        return at(zxid);
    }

    private long lastUntil(Piece piece, long millis) throws IOException {
        if (piece.last().timeMillis() <= millis) {
            return piece.last().zxid();
        }
        Path file = directory.resolve(piece.fileName());
        BackupVerification.check(directory, piece.fileName(), piece.content());
        long last = piece.after();
        try (TxnLogScanner scanner = new TxnLogScanner(file)) {
            while (scanner.next() != 0) {
                Transaction transaction = Transaction.of(scanner.entry());
                if (transaction.timeMillis() > millis) {
                    break;
                }
                last = transaction.zxid();
            }
        }
        return last;
    }

    /**
     * Writes the directories.
     *
     * @param goal what is to come back
     * @param into directories of servers, none of which has run; each may hold {@code myid}
     * @return what was done, one line
     * @throws UserMistakeException if a directory holds data; nothing was changed
     * @throws IOException if the backup is damaged, and nothing was changed; or if a directory cannot be written
     */
    public String restore(Goal goal, List<DataDirectories> into) throws IOException {
        for (DataDirectories target : into) {
            requireEmpty(target.dataDirectory());
            requireEmpty(target.logDirectory());
        }
        Set<String> damages = new LinkedHashSet<>();
        ReplayedTree tree = proved(goal, damages);
        if (tree.zxid() != goal.zxid()) {
            throw new UserMistakeException(
                    Exit.CANNOT_START,
                    "There is no transaction " + Zxids.text(goal.zxid()) + ": the one before it is "
                            + Zxids.text(tree.zxid()));
        }
        tree.forgetConfiguration();
        Path first = null;
        for (DataDirectories target : into) {
            first = first == null ? written(tree, target) : copied(first, target);
        }
        return "Restored " + Zxids.text(tree.zxid()) + " of " + Instant.ofEpochMilli(tree.lastMillis()) + " with "
                + tree.tree().getNodeCount() + " znodes and " + tree.sessions().size() + " sessions into "
                + String.join(
                        ", ",
                        into.stream()
                                .map(target -> target.dataDirectory().toString())
                                .toList())
                + (damages.isEmpty()
                        ? ""
                        : ", from snapshot " + Zxids.text(tree.snapshotZxid()) + " and the log behind it, because "
                                + String.join("; ", damages) + ": begin another backup");
    }

    /** A snapshot that is damaged does no harm if an older one and the log lead to the same state. */
    private ReplayedTree proved(Goal goal, Set<String> damages) throws IOException {
        for (Reach way : goal.ways()) {
            try {
                return proved(way, goal.zxid());
            } catch (IOException e) {
                damages.add(e.getMessage());
            }
        }
        throw new IOException(String.join("; ", damages));
    }

    private ReplayedTree proved(Reach way, long zxid) throws IOException {
        BackupVerification.check(directory, way.base().fileName(), way.base().content());
        for (Piece piece : way.pieces()) {
            if (piece.first() <= zxid) {
                BackupVerification.check(directory, piece.fileName(), piece.content());
            }
        }
        return BackupVerification.replayed(directory, way, zxid);
    }

    private static void requireEmpty(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        for (Path file : DataFiles.all(target)) {
            String name = file.getFileName().toString();
            boolean isEmpty = name.equals(DataDirectories.VERSION_DIRECTORY)
                    && Files.isDirectory(file)
                    && DataFiles.all(file).isEmpty();
            if (!isEmpty && !NO_DATA.contains(name)) {
                throw new UserMistakeException(
                        Exit.CANNOT_START,
                        target + " holds data (" + file.getFileName()
                                + "): stop the server and move everything but myid away; nothing was changed");
            }
        }
    }

    private static Path written(ReplayedTree tree, DataDirectories target) throws IOException {
        AtomicFile.createDirectories(target.snapshots());
        Path temporary = target.snapshots().resolve(TEMPORARY_NAME);
        write(tree, temporary);
        return named(temporary, target, Util.makeSnapshotName(tree.zxid()));
    }

    static void write(ReplayedTree tree, Path file) throws IOException {
        try {
            new FileSnap(file.getParent().toFile()).serialize(tree.tree(), tree.sessions(), file.toFile(), true);
        } catch (IOException e) {
            throw BackupFiles.notWritten(file, e);
        }
    }

    private static Path copied(Path snapshot, DataDirectories target) throws IOException {
        AtomicFile.createDirectories(target.snapshots());
        Path file = target.snapshots().resolve(snapshot.getFileName());
        BackupFiles.write(file, out -> Files.copy(snapshot, out));
        return file;
    }

    private static Path named(Path temporary, DataDirectories target, String name) throws IOException {
        Path file = target.snapshots().resolve(name);
        AtomicFile.rename(temporary, file);
        return file;
    }
}
