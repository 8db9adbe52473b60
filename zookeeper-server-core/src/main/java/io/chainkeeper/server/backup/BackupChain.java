package io.chainkeeper.server.backup;

import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.backup.BackupManifest.Snapshot;
import io.chainkeeper.server.state.Zxids;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which states a backup can bring back: a snapshot, and the transactions that follow it without a gap. Stateless. */
final class BackupChain {
    private BackupChain() {}

    /**
     * The states that one snapshot leads to.
     *
     * @param base where it begins
     * @param pieces the log behind it, without a gap
     * @param from zxid of the earliest
     * @param to zxid of the latest, not below {@code from}
     */
    record Reach(Snapshot base, List<Piece> pieces, long from, long to) {
        Reach {
            pieces = List.copyOf(pieces);
        }

        long fromMillis() {
            return base.timeMillis();
        }

        long toMillis() {
            return pieces.isEmpty()
                    ? base.timeMillis()
                    : pieces.get(pieces.size() - 1).last().timeMillis();
        }
    }

    /** @return one for each snapshot that leads to any, ascending */
    static List<Reach> reaches(BackupManifest manifest) {
        List<Reach> reaches = new ArrayList<>();
        for (Snapshot snapshot : manifest.snapshots()) {
            List<Piece> pieces = behind(manifest, snapshot);
            long to = pieces.isEmpty()
                    ? snapshot.zxid()
                    : pieces.get(pieces.size() - 1).last().zxid();
            if (to >= snapshot.covered()) {
                reaches.add(new Reach(snapshot, pieces, snapshot.covered(), to));
            }
        }
        return reaches;
    }

    private static List<Piece> behind(BackupManifest manifest, Snapshot snapshot) {
        List<Piece> pieces = new ArrayList<>();
        long last = snapshot.zxid();
        for (Piece piece : manifest.pieces()) {
            if (piece.last().zxid() <= snapshot.zxid()) {
                continue;
            }
            boolean follows = pieces.isEmpty() ? piece.after() <= last : piece.after() == last;
            if (!follows) {
                break;
            }
            pieces.add(piece);
            last = piece.last().zxid();
        }
        return pieces;
    }

    /** The ways to a state, the shortest first. */
    static List<Reach> to(BackupManifest manifest, long zxid) throws UserMistakeException {
        List<Reach> found = new ArrayList<>();
        for (Reach reach : reaches(manifest)) {
            if (reach.from() <= zxid && zxid <= reach.to()) {
                found.add(0, reach);
            }
        }
        if (found.isEmpty()) {
            throw new UserMistakeException(
                    Exit.CANNOT_START, "The backup cannot bring back " + Zxids.text(zxid) + ": " + text(manifest));
        }
        return found;
    }

    /**
     * Finds the last transaction that was not later than a time.
     *
     * @param manifest of the backup
     * @param time any
     * @return the states among which it is, the last of them that the shortest way leads to
     * @throws UserMistakeException if the backup does not know
     */
    static Reach at(BackupManifest manifest, Instant time) throws UserMistakeException {
        long millis = time.toEpochMilli();
        Reach found = null;
        Reach last = null;
        for (Reach reach : reaches(manifest)) {
            if (reach.fromMillis() <= millis && millis <= reach.toMillis()) {
                found = reach;
            }
            last = reach;
        }
        if (found == null) {
            // Whoever was copied may have been stopped or behind: when that was says nothing of what it lacked.
            String reason = last != null && millis > last.toMillis()
                    ? "the last transaction that it holds is " + Zxids.text(last.to()) + " of "
                            + Instant.ofEpochMilli(last.toMillis())
                            + ", and there may have been later ones; to get the state that it led to, give no time"
                    : text(manifest);
            throw new UserMistakeException(
                    Exit.CANNOT_START, "The backup does not say what was there at " + time + ": " + reason);
        }
        return found;
    }

    /** @return in words, one line: what can be brought back */
    static String text(BackupManifest manifest) {
        List<String> parts = new ArrayList<>();
        List<Reach> reaches = reaches(manifest);
        for (int i = 0; i < reaches.size(); i++) {
            boolean leadsFurther = i + 1 < reaches.size()
                    && reaches.get(i + 1).to() == reaches.get(i).to();
            boolean isPartOfFormer =
                    i > 0 && reaches.get(i - 1).to() == reaches.get(i).to();
            if (!isPartOfFormer || leadsFurther && i == 0) {
                Reach reach = reaches.get(i);
                parts.add(Zxids.text(reach.from()) + " (" + Instant.ofEpochMilli(reach.fromMillis()) + ") to "
                        + Zxids.text(reach.to()) + " (" + Instant.ofEpochMilli(reach.toMillis()) + ")");
            }
        }
        return "it goes from " + String.join(", and from ", parts) + "; it was taken last at "
                + Instant.ofEpochMilli(manifest.takenMillis());
    }

    /** @return the manifest without what is older than so many snapshots */
    static BackupManifest retained(BackupManifest manifest, int keep) {
        int surplus = manifest.snapshots().size() - keep;
        if (keep == BackupRun.KEEP_ALL || surplus <= 0) {
            return manifest;
        }
        List<Snapshot> snapshots =
                manifest.snapshots().subList(surplus, manifest.snapshots().size());
        Set<Piece> needed = new HashSet<>();
        for (Snapshot snapshot : snapshots) {
            needed.addAll(behind(manifest, snapshot));
        }
        long oldest = snapshots.get(0).zxid();
        return manifest.with(
                snapshots,
                manifest.pieces().stream()
                        .filter(piece -> needed.contains(piece) || piece.first() > oldest)
                        .toList());
    }
}
