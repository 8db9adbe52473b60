package io.chainkeeper.server.storage;

import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts off what a crash left incomplete at the end of ZooKeeper's transaction log. The log is forced to stable storage
 * only up to the newest checkpoint; what lies behind may be torn and is brought back by the order. Damage before that
 * point is refused. ZooKeeper's own reader would stop the server in both cases.
 */
public final class TxnLogTail {
    private static final int PART_BYTES = 1 << 16;

    private static final Logger LOG = LoggerFactory.getLogger(TxnLogTail.class);

    private TxnLogTail() {}

    private record Scan(long firstZxid, long lastZxid, long goodBytes, boolean torn) {
        boolean holdsNothing() {
            return lastZxid == 0;
        }
    }

    /**
     * Makes the log readable. No file is left that holds no transaction behind what was forced: the next transactions
     * may lie in one of an earlier name, and whoever deletes old files goes by the names.
     *
     * @param directory the directory with the {@code log.*} files
     * @param fromZxid files that hold only transactions before it are not looked at
     * @param forcedZxid transactions up to here must be there, or -1 if nothing is known: then only the end of the last
     *     file may be torn
     * @throws IOException if the log is damaged where it must not be; the message names the file
     */
    public static void cut(Path directory, long fromZxid, long forcedZxid) throws IOException {
        List<Path> files = DataFiles.logs(directory, fromZxid);
        long last = lastBefore(files, fromZxid);
        for (int i = 0; i < files.size(); i++) {
            Scan scan = scan(files.get(i));
            if (forcedZxid >= 0 && isGap(last, scan.firstZxid)) {
                requireForced(files.get(i), 0, last, forcedZxid);
                deleteFrom(files, i);
                return;
            }
            if (!scan.holdsNothing()) {
                last = scan.lastZxid;
            } else if (!scan.torn && forcedZxid >= 0 && DataFiles.logZxid(files.get(i)) > forcedZxid) {
                truncate(files.get(i), 0);
            }
            if (scan.torn) {
                if (forcedZxid < 0 && i < files.size() - 1) {
                    throw damaged(files.get(i), scan.goodBytes);
                }
                requireForced(files.get(i), scan.goodBytes, last, forcedZxid);
                deleteFrom(files, i + 1);
                truncate(files.get(i), scan.holdsNothing() && forcedZxid >= 0 ? 0 : scan.goodBytes);
                return;
            }
        }
    }

    /**
     * Writes again what may never have been forced: after a failed force the system may hold bytes in memory that
     * neither it nor a later force will write. Files that end with what is on stable storage stay as they are, so what
     * is written is what the newest checkpoint does not cover, and at most one file more.
     *
     * @param directory the directory with the {@code log.*} files, readable by now
     * @param forcedZxid what is on stable storage for certain
     * @throws IOException if a file cannot be read or written
     */
    static void writeAgain(Path directory, long forcedZxid) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(PART_BYTES);
        for (Path file : DataFiles.logs(directory, Zxids.next(forcedZxid))) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long offset = 0;
                while (channel.read(buffer.clear(), offset) > 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        offset += channel.write(buffer, offset);
                    }
                }
            }
        }
    }

    /**
     * Looks whether what was on stable storage is whole, and changes nothing.
     *
     * @param directory the directory with the {@code log.*} files
     * @param fromZxid files that hold only transactions before it are not looked at
     * @param forcedZxid transactions up to here must be there
     * @throws IOException if the log is damaged before; the message names the file
     */
    static void check(Path directory, long fromZxid, long forcedZxid) throws IOException {
        List<Path> files = DataFiles.logs(directory, fromZxid);
        long last = lastBefore(files, fromZxid);
        for (Path file : files) {
            if (last >= forcedZxid) {
                return;
            }
            Scan scan = scan(file);
            if (isGap(last, scan.firstZxid)) {
                throw damaged(file, 0);
            }
            if (!scan.holdsNothing()) {
                last = scan.lastZxid;
            }
            if (scan.torn) {
                requireForced(file, scan.goodBytes, last, forcedZxid);
            }
        }
        if (last < forcedZxid) {
            throw new IOException("transaction log in " + directory + " ends at " + Zxids.text(last)
                    + " although it was on stable storage up to " + Zxids.text(forcedZxid)
                    + ". Replace this replica's data directories by those of a healthy member");
        }
    }

    /** Whether something other than zeroes follows the last good entry of a file. */
    static boolean isTorn(Path file) throws IOException {
        return scan(file).torn;
    }

    /**
     * A file is named after its first transaction. Where the first file begins later than it has to, a crash has lost a
     * whole one before it.
     */
    private static long lastBefore(List<Path> files, long fromZxid) {
        return files.isEmpty() ? 0 : Math.min(DataFiles.logZxid(files.get(0)) - 1, fromZxid);
    }

    private static boolean isGap(long last, long first) {
        return first != 0 && Zxids.epoch(last) == Zxids.epoch(first) && first != Zxids.next(last);
    }

    private static void requireForced(Path file, long offset, long last, long forcedZxid) throws IOException {
        if (last < forcedZxid) {
            throw damaged(file, offset);
        }
    }

    private static IOException damaged(Path file, long offset) {
        return new IOException("transaction log " + file + " is damaged at byte " + offset
                + ", in a part that was on stable storage. Replace this replica's data directories by those of a"
                + " healthy member");
    }

    private static void truncate(Path file, long goodBytes) throws IOException {
        if (goodBytes < TxnLogScanner.HEADER_BYTES) {
            LOG.warn("Deleting transaction log {}: a crash left no transaction in it", file);
            Files.delete(file);
            return;
        }
        LOG.warn("Cutting transaction log {} at byte {}: a crash left its last entry incomplete", file, goodBytes);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(goodBytes);
            channel.force(true);
        }
    }

    private static void deleteFrom(List<Path> files, int first) throws IOException {
        for (int i = files.size() - 1; i >= first; i--) {
            LOG.warn("Deleting transaction log {}: a crash lost what comes before it", files.get(i));
            Files.delete(files.get(i));
        }
    }

    private static Scan scan(Path file) throws IOException {
        try (TxnLogScanner scanner = new TxnLogScanner(file)) {
            long first = 0;
            for (long zxid = scanner.next(); zxid != 0; zxid = scanner.next()) {
                first = first == 0 ? zxid : first;
            }
            return new Scan(first, scanner.lastZxid(), scanner.goodBytes(), scanner.torn());
        }
    }
}
