package io.chainkeeper.server.backup;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a backup directory holds, as its file {@value #FILE_NAME} says: text, one line for each file, and in the last
 * line a checksum of those before. Replaced as a whole, after the files that it names; the first one, which names none,
 * comes before all files. Immutable.
 *
 * @param release that wrote it last
 * @param cluster whose data it is
 * @param serverId the member that it was taken from last
 * @param takenMillis when that was, by the clock of the machine that took it
 * @param snapshots ascending
 * @param pieces of the transaction log, ascending
 */
record BackupManifest(
        String release, UUID cluster, int serverId, long takenMillis, List<Snapshot> snapshots, List<Piece> pieces) {
    static final String FILE_NAME = "manifest";

    private static final String KIND = "chainkeeper-backup";
    private static final int FORMAT_VERSION = 1;
    private static final String SNAPSHOT = "snapshot";
    private static final String LOG = "log";
    private static final String CHECKSUM = "sha256";

    BackupManifest {
        snapshots = snapshots.stream()
                .sorted(Comparator.comparingLong(Snapshot::zxid))
                .toList();
        pieces = pieces.stream().sorted(Comparator.comparingLong(Piece::first)).toList();
    }

    /**
     * Bytes that a file holds.
     *
     * @param bytes its length
     * @param sha256 lower-case hexadecimal
     */
    record Content(long bytes, String sha256) {}

    /**
     * A fuzzy snapshot.
     *
     * @param fileName its name, as the member had it: what it ends with says how it is compressed
     * @param zxid that names it
     * @param covered it may hold effects of transactions up to this one, so it stands for no earlier state
     * @param timeMillis of that transaction
     * @param content the file
     */
    record Snapshot(String fileName, long zxid, long covered, long timeMillis, Content content) {}

    /**
     * Consecutive transactions, in a file of ZooKeeper's format.
     *
     * @param after zxid of the transaction before the first one
     * @param first zxid of the first one
     * @param last what the last one is
     * @param firstMillis agreed time of the first one
     * @param content the file
     */
    record Piece(long after, long first, Transaction last, long firstMillis, Content content) {
        String fileName() {
            return LOG + "." + Long.toHexString(first);
        }
    }

    /** @return an equal one with other files */
    BackupManifest with(List<Snapshot> otherSnapshots, List<Piece> otherPieces) {
        return new BackupManifest(release, cluster, serverId, takenMillis, otherSnapshots, otherPieces);
    }

    /** @return zxid of the last transaction, or of the newest snapshot behind it; 0 if there is nothing */
    long end() {
        long ofLog = pieces.isEmpty() ? 0 : pieces.get(pieces.size() - 1).last().zxid();
        long ofSnapshots =
                snapshots.isEmpty() ? 0 : snapshots.get(snapshots.size() - 1).covered();
        return Math.max(ofLog, ofSnapshots);
    }

    /** @return names of the files that belong to it, besides its own */
    Set<String> fileNames() {
        Set<String> names = new HashSet<>();
        snapshots.forEach(snapshot -> names.add(snapshot.fileName()));
        pieces.forEach(piece -> names.add(piece.fileName()));
        return names;
    }

    /** Replaces the file of a directory, durably. */
    void write(Path directory) throws IOException {
        StringBuilder text = new StringBuilder(KIND + " " + FORMAT_VERSION + " release=" + release + "\n")
                .append("cluster=" + cluster + " server=" + serverId + " taken=" + takenMillis + "\n");
        for (Snapshot snapshot : snapshots) {
            text.append(SNAPSHOT + " file=" + snapshot.fileName() + " zxid=" + Zxids.text(snapshot.zxid()) + " covered="
                    + Zxids.text(snapshot.covered()) + " time=" + snapshot.timeMillis() + text(snapshot.content()));
        }
        for (Piece piece : pieces) {
            Transaction last = piece.last();
            text.append(LOG + " after=" + Zxids.text(piece.after()) + " first=" + Zxids.text(piece.first()) + " last="
                    + Zxids.text(last.zxid()) + " firstTime=" + piece.firstMillis() + " lastTime=" + last.timeMillis()
                    + " lastSession=" + Zxids.text(last.session()) + " lastCxid=" + last.cxid()
                    + text(piece.content()));
        }
        text.append(CHECKSUM + "=" + sha256(text.toString()) + "\n");
        Path file = directory.resolve(FILE_NAME);
        try {
            AtomicFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw BackupFiles.notWritten(file, e);
        }
    }

    private static String text(Content content) {
        return " bytes=" + content.bytes() + " sha256=" + content.sha256() + "\n";
    }

    private static String sha256(String text) {
        MessageDigest digest = BackupFiles.sha256();
        return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Reads the file of a directory.
     *
     * @param directory a backup directory
     * @return null if there is no such file
     * @throws UnusableBackupException if it is damaged, or a later release has written it
     * @throws IOException if it cannot be read
     */
    static BackupManifest read(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        // Damage may have made it no text at all, which the checksum tells.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        String[] lines = text.isBlank() ? new String[] {""} : text.split("\n");
        Map<String, String> head = values(lines[0]);
        if (lines[0].matches(KIND + " [0-9]{1,9}( .*)?")) {
            int version = Integer.parseInt(lines[0].split(" ")[1]);
            if (version > FORMAT_VERSION) {
                throw new UnusableBackupException(
                        file + " was written by release " + head.get("release") + " (format " + version
                                + "; this release knows up to " + FORMAT_VERSION
                                + "): use zkBackup.sh of that release");
            }
        }
        try {
            return parse(text, lines, head);
        } catch (IllegalArgumentException e) {
            throw new UnusableBackupException(file + " is damaged (" + e.getMessage() + "): nothing in " + directory
                    + " can be trusted; take another copy of this backup, or begin one in another directory");
        }
    }

    private static BackupManifest parse(String text, String[] lines, Map<String, String> head) {
        int lastLine = text.lastIndexOf("\n" + CHECKSUM + "=") + 1;
        String said = lastLine == 0 ? "" : text.substring(lastLine + CHECKSUM.length() + 1);
        if (!said.equals(sha256(text.substring(0, lastLine)) + "\n") || !text.startsWith(KIND + " ")) {
            throw new IllegalArgumentException("its checksum is not that of its content");
        }
        Map<String, String> whose = values(lines[1]);
        List<Snapshot> snapshots = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        for (int i = 2; i < lines.length - 1; i++) {
            Map<String, String> of = values(lines[i]);
            Content content = new Content(Long.parseLong(of.get("bytes")), of.get("sha256"));
            if (lines[i].startsWith(SNAPSHOT + " ")) {
                snapshots.add(new Snapshot(
                        of.get("file"),
                        zxid(of, "zxid"),
                        zxid(of, "covered"),
                        Long.parseLong(of.get("time")),
                        content));
            } else {
                Transaction last = new Transaction(
                        zxid(of, "last"),
                        Long.parseLong(of.get("lastTime")),
                        zxid(of, "lastSession"),
                        Integer.parseInt(of.get("lastCxid")));
                pieces.add(new Piece(
                        zxid(of, "after"), zxid(of, "first"), last, Long.parseLong(of.get("firstTime")), content));
            }
        }
        return new BackupManifest(
                head.get("release"),
                UUID.fromString(whose.get("cluster")),
                Integer.parseInt(whose.get("server")),
                Long.parseLong(whose.get("taken")),
                snapshots,
                pieces);
    }

    private static Map<String, String> values(String line) {
        Map<String, String> values = new HashMap<>();
        for (String word : line.split(" ")) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                values.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return values;
    }

    private static long zxid(Map<String, String> values, String key) {
        return Long.parseUnsignedLong(values.get(key).substring("0x".length()), 16);
    }
}
