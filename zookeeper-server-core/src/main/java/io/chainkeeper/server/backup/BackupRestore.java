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
import java.util.List;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.Util;

/**
 * Makes data directories that a new ensemble starts from, as of one transaction of a backup: one exact snapshot in
 * each, which has been proved by then. Used by one thread.
 */
public final class BackupRestore {
    private static final String MY_ID = "myid";
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
     * @param reach how to get there
     * @param zxid the last transaction
     */
    public record Goal(Reach reach, long zxid) {}

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
        BackupVerification.check(
                directory, goal.reach().base().fileName(), goal.reach().base().content());
        for (Piece piece : goal.reach().pieces()) {
            if (piece.first() <= goal.zxid()) {
                BackupVerification.check(directory, piece.fileName(), piece.content());
            }
        }
        ReplayedTree tree = BackupVerification.replayed(directory, goal.reach(), goal.zxid());
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
                                .toList());
    }

    private static void requireEmpty(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        for (Path file : DataFiles.all(target)) {
            if (!file.getFileName().toString().equals(MY_ID)) {
                throw new UserMistakeException(
                        Exit.CANNOT_START,
                        target + " holds data (" + file.getFileName()
                                + "): stop the server and move everything but myid away; nothing was changed");
            }
        }
    }

    private static Path written(ReplayedTree tree, DataDirectories target) throws IOException {
        Files.createDirectories(target.snapshots());
        Path temporary = target.snapshots().resolve(TEMPORARY_NAME);
        new FileSnap(target.snapshots().toFile()).serialize(tree.tree(), tree.sessions(), temporary.toFile(), true);
        return named(temporary, target, Util.makeSnapshotName(tree.zxid()));
    }

    private static Path copied(Path snapshot, DataDirectories target) throws IOException {
        Files.createDirectories(target.snapshots());
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
