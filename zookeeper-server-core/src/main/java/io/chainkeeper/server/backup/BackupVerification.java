package io.chainkeeper.server.backup;

import io.chainkeeper.server.backup.BackupChain.Reach;
import io.chainkeeper.server.backup.BackupManifest.Content;
import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.backup.BackupManifest.Snapshot;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves a backup: the checksum of every file, and that each snapshot loads and leads, with the digest that the member
 * had at every transaction, to the next one and to the end. Used by one thread.
 */
public final class BackupVerification {
    private final Path directory;

    /** @param directory holds the backup */
    public BackupVerification(Path directory) {
        this.directory = directory;
    }

    /**
     * Says what can be brought back; reads no more than the manifest.
     *
     * @return lines for people
     * @throws IOException if there is no backup, or its manifest is damaged
     */
    public List<String> list() throws IOException {
        BackupManifest manifest = new BackupDirectory(directory).require();
        long bytes = manifest.snapshots().stream()
                        .mapToLong(snapshot -> snapshot.content().bytes())
                        .sum()
                + manifest.pieces().stream()
                        .mapToLong(piece -> piece.content().bytes())
                        .sum();
        List<String> lines = new ArrayList<>();
        lines.add("Backup of cluster " + manifest.cluster() + ", taken last from server " + manifest.serverId() + " at "
                + Instant.ofEpochMilli(manifest.takenMillis()) + " by release " + manifest.release());
        lines.add("  " + manifest.snapshots().size() + " snapshots, "
                + manifest.pieces().size() + " pieces of the transaction log, " + bytes + " bytes");
        for (Reach reach : BackupChain.reaches(manifest)) {
            lines.add("  from snapshot " + Zxids.text(reach.base().zxid()) + ": any state from "
                    + Zxids.text(reach.from()) + " (" + Instant.ofEpochMilli(reach.fromMillis()) + ") to "
                    + Zxids.text(reach.to()) + " (" + Instant.ofEpochMilli(reach.toMillis()) + ")");
        }
        return lines;
    }

    /**
     * Proves everything.
     *
     * @return what was proved, one line
     * @throws IOException if anything is not as it should be; the message names the file
     */
    public String verify() throws IOException {
        BackupManifest manifest = new BackupDirectory(directory).require();
        for (Snapshot snapshot : manifest.snapshots()) {
            check(directory, snapshot.fileName(), snapshot.content());
        }
        for (Piece piece : manifest.pieces()) {
            check(directory, piece.fileName(), piece.content());
        }
        List<Reach> reaches = BackupChain.reaches(manifest);
        if (reaches.isEmpty()) {
            throw new IOException(directory + ": the log does not reach far enough behind any snapshot to make it"
                    + " whole; take another backup");
        }
        long compared = 0;
        ReplayedTree tree = null;
        for (int i = 0; i < reaches.size(); i++) {
            Reach reach = reaches.get(i);
            boolean leadsToNext = i + 1 < reaches.size() && reaches.get(i + 1).to() == reach.to();
            long upTo = leadsToNext ? reaches.get(i + 1).from() : reach.to();
            tree = replayed(directory, reach, upTo);
            compared += tree.comparedStates();
        }
        return "Whole: " + manifest.snapshots().size() + " snapshots and "
                + manifest.pieces().size()
                + " pieces of the log have their checksums; the tree had the member's digest at "
                + compared + " transactions, and ends at " + Zxids.text(tree.zxid()) + " with "
                + tree.tree().getNodeCount() + " znodes, digest "
                + Long.toHexString(tree.tree().getTreeDigest());
    }

    /** Loads and replays one way, comparing digests. */
    static ReplayedTree replayed(Path directory, Reach reach, long upTo) throws IOException {
        ReplayedTree tree = ReplayedTree.load(directory, reach.base());
        for (Piece piece : reach.pieces()) {
            if (piece.first() <= upTo) {
                tree.replay(directory, piece, upTo);
            }
        }
        return tree;
    }

    /** Compares a file with what the manifest says of it. */
    static void check(Path directory, String name, Content expected) throws IOException {
        Path file = directory.resolve(name);
        if (!Files.exists(file)) {
            BackupManifest present = BackupManifest.read(directory);
            if (present != null && !present.fileNames().contains(name)) {
                throw new IOException(
                        file + " was deleted by another zkBackup.sh, with what it no longer keeps: run this"
                                + " command again");
            }
            throw new IOException(file + " is missing although the manifest names it: the backup is incomplete");
        }
        Content found = BackupFiles.contentOf(file);
        if (!found.equals(expected)) {
            throw new IOException(file + " is damaged: it has " + found.bytes() + " bytes with sha256 " + found.sha256()
                    + ", the manifest says " + expected.bytes() + " with " + expected.sha256());
        }
    }
}
