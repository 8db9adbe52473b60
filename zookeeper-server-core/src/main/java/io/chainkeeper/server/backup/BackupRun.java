package io.chainkeeper.server.backup;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.server.backup.BackupManifest.Content;
import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.backup.BackupManifest.Snapshot;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.zookeeper.server.persistence.FileTxnLog;

/**
 * Takes from a member what a backup directory lacks: its newest snapshot, and the transactions behind the last one that
 * is there. A run that is cut short leaves the backup as it was. Used by one thread.
 */
public final class BackupRun {
    /** Keeps every snapshot, and all of the log. */
    public static final int KEEP_ALL = 0;

    private static final long NEVER_TAKEN = 0;

    /** The member may delete a file between its being found and its being opened, but not that often. */
    private static final int ATTEMPTS = 5;

    private final BackupSource source;
    private final BackupDirectory directory;
    private final String release;
    private final int keep;

    /**
     * @param member directories of the member
     * @param to the backup directory; created if need be
     * @param release that writes it
     * @param keep so many snapshots stay, with the log behind them; {@link #KEEP_ALL}
     */
    public BackupRun(DataDirectories member, Path to, String release, int keep) {
        this.source = new BackupSource(member);
        this.directory = new BackupDirectory(to);
        this.release = release;
        this.keep = keep;
    }

    /**
     * Runs once.
     *
     * @param now by the clock of this machine
     * @return what was done, one line
     * @throws UnusableBackupException if the directory is not for this member's backup; nothing was changed
     * @throws UserMistakeException if the directory is none for a backup, or the member cannot be backed up yet
     * @throws IOException if something could not be read or written; the backup is as it was
     */
    public String run(Instant now) throws IOException {
        ClusterIdentity identity = source.identity();
        begun(identity);
        try (BackupDirectory.Lock lock = directory.lock()) {
            // Another run may have been faster.
            BackupManifest base = begun(identity);
            if (base == null) {
                base = new BackupManifest(
                        release, identity.clusterId(), identity.replicaId(), NEVER_TAKEN, List.of(), List.of());
                // From now on what lies here is known to be a backup's, also if this run is cut short.
                base.write(directory.path());
            }
            directory.deleteStrangers(base);
            BackupManifest taken = taken(base);
            BackupManifest kept = BackupChain.retained(
                    new BackupManifest(
                            release,
                            identity.clusterId(),
                            identity.replicaId(),
                            now.toEpochMilli(),
                            taken.snapshots(),
                            taken.pieces()),
                    keep);
            kept.write(directory.path());
            directory.deleteStrangers(kept);
            return report(base, kept);
        }
    }

    /** What there is already; null if the directory is empty. */
    private BackupManifest begun(ClusterIdentity identity) throws IOException {
        BackupManifest found = directory.read();
        if (found == null) {
            directory.create();
        } else {
            requireSameCluster(found, identity);
        }
        return found;
    }

    private void requireSameCluster(BackupManifest old, ClusterIdentity identity) throws UnusableBackupException {
        if (!old.cluster().equals(identity.clusterId())) {
            throw new UnusableBackupException(directory.path() + " holds backups of cluster " + old.cluster() + ", and "
                    + source.name() + " is of cluster " + identity.clusterId() + ": give another directory");
        }
    }

    private BackupManifest taken(BackupManifest base) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                BackupSource.Found snapshot = source.newestSnapshot();
                BackupManifest withLog = withTransactions(base, snapshot);
                return withSnapshot(withLog, snapshot);
            } catch (NoSuchFileException e) {
                if (attempt == ATTEMPTS) {
                    throw new IOException(e.getFile() + " has vanished while it was to be copied", e);
                }
            }
        }
    }

    private BackupManifest withTransactions(BackupManifest base, BackupSource.Found snapshot) throws IOException {
        long from = 0;
        BackupSource.Log log = null;
        for (Iterator<Long> ends = endsOf(base).iterator(); log == null && ends.hasNext(); ) {
            from = ends.next();
            BackupSource.Log behind = source.log(from);
            requireSameHistory(base, behind.known());
            log = behind.followsOn(from) ? behind : null;
        }
        if (log == null) {
            // It is the first run, the member has deleted what lies between, or it has got a state from elsewhere.
            from = snapshot.zxid();
            log = source.log(from);
            requireBegin(log, snapshot);
        }
        List<Piece> pieces = new ArrayList<>(base.pieces());
        for (BackupSource.Stretch stretch : log.later()) {
            long after = stretch.after() != 0 ? stretch.after() : from;
            Content content = BackupFiles.write(
                    directory.path().resolve(logName(stretch.first().zxid())), out -> {
                        ByteBuffer header = ByteBuffer.allocate(Integer.BYTES * 2 + Long.BYTES);
                        header.putInt(FileTxnLog.TXNLOG_MAGIC).putInt(FileTxnLog.VERSION);
                        out.write(header.array());
                        copy(stretch.file(), stretch.from(), stretch.to(), out);
                    });
            pieces.add(new Piece(
                    after,
                    stretch.first().zxid(),
                    stretch.last(),
                    stretch.first().timeMillis(),
                    content));
        }
        return base.with(base.snapshots(), pieces);
    }

    /** Where a backup can be gone on with: behind its log, and behind a snapshot that none of its log follows. */
    private static List<Long> endsOf(BackupManifest base) {
        List<Long> ends = new ArrayList<>();
        Transaction last = lastOf(base);
        if (last != null) {
            ends.add(last.zxid());
        }
        if (!base.snapshots().isEmpty()) {
            long newest = base.snapshots().get(base.snapshots().size() - 1).zxid();
            if (last == null || newest > last.zxid()) {
                ends.add(newest);
            }
        }
        return ends;
    }

    private void requireSameHistory(BackupManifest base, Transaction known) throws UnusableBackupException {
        Transaction last = lastOf(base);
        if (last != null && known != null && known.zxid() == last.zxid() && !known.equals(last)) {
            throw new UnusableBackupException(source.name() + " holds another transaction " + Zxids.text(last.zxid())
                    + " than the backup in " + directory.path() + ": their histories differ; give another directory");
        }
    }

    private static Transaction lastOf(BackupManifest base) {
        List<Piece> pieces = base.pieces();
        return pieces.isEmpty() ? null : pieces.get(pieces.size() - 1).last();
    }

    /** The log may be of a state that is just being put into the place of the one that the snapshot is of. */
    private void requireBegin(BackupSource.Log log, BackupSource.Found snapshot) throws IOException {
        if (log.later().isEmpty() || log.later().get(0).after() != 0) {
            return;
        }
        long first = log.later().get(0).first().zxid();
        if (Zxids.epoch(first) == Zxids.epoch(snapshot.zxid()) && first != Zxids.next(snapshot.zxid())) {
            throw new IOException("transaction log of " + source.name() + " begins with " + Zxids.text(first)
                    + " behind snapshot " + Zxids.text(snapshot.zxid()) + ": transactions are missing");
        }
    }

    private static String logName(long first) {
        return FileTxnLog.LOG_FILE_PREFIX + "." + Long.toHexString(first);
    }

    private BackupManifest withSnapshot(BackupManifest base, BackupSource.Found found) throws IOException {
        if (base.snapshots().stream().anyMatch(snapshot -> snapshot.zxid() >= found.zxid())) {
            return base;
        }
        String name = found.file().getFileName().toString();
        long time = source.timeOf(found.covered(), found.file());
        Content content = BackupFiles.write(
                directory.path().resolve(name), out -> copy(found.file(), 0, Files.size(found.file()), out));
        List<Snapshot> snapshots = new ArrayList<>(base.snapshots());
        snapshots.add(new Snapshot(name, found.zxid(), found.covered(), time, content));
        return base.with(snapshots, base.pieces());
    }

    private static void copy(Path file, long from, long to, OutputStream out) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                InputStream in = Channels.newInputStream(channel.position(from))) {
            BackupFiles.copy(in, out, to - from);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(file + " could not be copied: " + e.getMessage(), e);
        }
    }

    private String report(BackupManifest before, BackupManifest after) {
        long bytes = 0;
        List<String> done = new ArrayList<>();
        for (Snapshot snapshot : after.snapshots()) {
            if (!before.snapshots().contains(snapshot)) {
                done.add("snapshot " + Zxids.text(snapshot.zxid()));
                bytes += snapshot.content().bytes();
            }
        }
        List<Piece> pieces = after.pieces().stream()
                .filter(piece -> !before.pieces().contains(piece))
                .toList();
        if (!pieces.isEmpty()) {
            done.add("transactions " + Zxids.text(pieces.get(0).first()) + " to "
                    + Zxids.text(pieces.get(pieces.size() - 1).last().zxid()));
            bytes += pieces.stream().mapToLong(piece -> piece.content().bytes()).sum();
        }
        return "Server " + after.serverId() + " to " + directory.path() + ": "
                + (done.isEmpty() ? "nothing new" : String.join(", ", done) + " (" + bytes + " bytes)")
                + "; the backup reaches " + Zxids.text(after.end());
    }
}
