package io.chainkeeper.server.backup;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The directories of a member, running or not, of which nothing is changed. A snapshot has its name when it is whole,
 * and a file of the transaction log only grows: what is whole of it stays what it is. Used by one thread.
 */
final class BackupSource {
    private static final String CHECKPOINTS = "checkpoints";
    private static final String CHECKPOINT = "checkpoint.";

    private final DataDirectories directories;

    BackupSource(DataDirectories directories) {
        this.directories = directories;
    }

    /**
     * @return whose directories they are
     * @throws UserMistakeException if they are no member's
     * @throws IOException if that cannot be found out
     */
    ClusterIdentity identity() throws IOException {
        ClusterIdentity identity = ClusterIdentity.read(directories.orderingDirectory());
        if (identity == null || identity.clusterId() == null) {
            throw new UserMistakeException(
                    Exit.CANNOT_START,
                    directories.orderingDirectory() + " belongs to no cluster yet: start the server and wait until it"
                            + " serves clients; servers with ordering.protocol=zab cannot be backed up");
        }
        return identity;
    }

    /**
     * A snapshot that the member can recover from.
     *
     * @param file where it lies, unless the member has deleted it meanwhile
     * @param zxid that names it
     * @param covered see {@link Checkpoint#coveredZxid}
     */
    record Found(Path file, long zxid, long covered) {}

    /**
     * @return the newest snapshot
     * @throws UserMistakeException if there is none
     * @throws IOException if it cannot be found out
     */
    Found newestSnapshot() throws IOException {
        Path checkpoints = directories.orderingDirectory().resolve(CHECKPOINTS);
        for (Path file : DataFiles.snapshots(directories.snapshots())) {
            long zxid = DataFiles.snapshotZxid(file);
            Path checkpoint = checkpoints.resolve(CHECKPOINT + Long.toHexString(zxid));
            if (Files.exists(checkpoint)) {
                try {
                    return new Found(
                            file,
                            zxid,
                            Checkpoint.decode(Files.readAllBytes(checkpoint), checkpoint.toString())
                                    .coveredZxid());
                } catch (MalformedMessageException e) {
                    throw new IOException(checkpoint + " " + e.getMessage());
                }
            }
        }
        throw new UserMistakeException(
                Exit.CANNOT_START,
                directories.snapshots() + " holds no snapshot with its checkpoint in " + checkpoints
                        + ": wait until the server serves clients, then try again");
    }

    /**
     * A stretch of one file of the transaction log.
     *
     * @param file where it lies
     * @param after zxid of the transaction before it; 0 if the member's log begins here
     * @param first its first transaction
     * @param last its last one
     * @param from where it begins in the file
     * @param to where it ends
     */
    record Stretch(Path file, long after, Transaction first, Transaction last, long from, long to) {}

    /**
     * What a member's log holds.
     *
     * @param known the transaction that was asked about; null if the log does not hold it
     * @param later the transactions behind it, by file
     * @param last zxid of the last transaction, 0 if there is none
     */
    record Log(Transaction known, List<Stretch> later, long last) {
        /** @return whether nothing is missing between what was asked about and what is later, if anything is */
        boolean followsOn(long after) {
            return known != null || later.isEmpty() || later.get(0).first().zxid() == Zxids.next(after);
        }
    }

    /**
     * Reads the transaction log.
     *
     * @param after what is wanted comes behind this zxid
     * @return what there is
     * @throws IOException if a file cannot be read, or is damaged before its end
     */
    Log log(long after) throws IOException {
        List<Path> files = DataFiles.logs(directories.transactions(), after);
        Transaction known = null;
        long last = 0;
        List<Stretch> later = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            Path file = files.get(i);
            try (TxnLogScanner scanner = new TxnLogScanner(file)) {
                long before = last;
                long from = TxnLogScanner.HEADER_BYTES;
                Transaction first = null;
                Transaction newest = null;
                for (long zxid = scanner.next(); zxid != 0; zxid = scanner.next()) {
                    requireNoGap(file, last, zxid);
                    newest = Transaction.of(scanner.entry());
                    last = zxid;
                    if (zxid <= after) {
                        known = zxid == after ? newest : known;
                        from = scanner.goodBytes();
                        before = zxid;
                    } else if (first == null) {
                        first = newest;
                    }
                }
                if (scanner.torn() && i < files.size() - 1) {
                    throw new IOException("transaction log " + file + " is damaged at byte " + scanner.goodBytes());
                }
                if (first != null) {
                    later.add(new Stretch(file, before, first, newest, from, scanner.goodBytes()));
                }
            }
        }
        return new Log(known, later, last);
    }

    private static void requireNoGap(Path file, long last, long zxid) throws IOException {
        if (last != 0 && Zxids.epoch(last) == Zxids.epoch(zxid) && zxid != Zxids.next(last)) {
            throw new IOException("transaction log " + file + " goes on with " + Zxids.text(zxid) + " after "
                    + Zxids.text(last) + ": transactions are missing");
        }
    }

    /**
     * @param zxid of a transaction
     * @param file to go by if the log does not hold it
     * @return when it was
     * @throws IOException if a file cannot be read
     */
    long timeOf(long zxid, Path file) throws IOException {
        Transaction known = log(zxid).known();
        return known != null
                ? known.timeMillis()
                : Files.getLastModifiedTime(file).toMillis();
    }

    /** @return what messages call it */
    Path name() {
        return directories.dataDirectory();
    }
}
