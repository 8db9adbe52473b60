package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.release.FormatHead;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small text file {@value #FILE_NAME} in the ordering directory: with which transaction ZooKeeper's log ended when
 * the replica stopped. If it ends later when the replica starts again, somebody else has written to it. A replica that
 * was killed has left no such file. Stateless.
 */
public final class StopMarker {
    private static final Logger LOG = LoggerFactory.getLogger(StopMarker.class);

    /** Name of the file. */
    public static final String FILE_NAME = "stopped";

    /** What is written: release, zxid, position. Earlier versions, of releases before 0.2.0, are read. */
    private static final int FORMAT_VERSION = 3;

    /** The version that has the position always. */
    private static final int WITH_POSITION = 2;

    private static final String ZXID_KEY = "zxid=0x";
    private static final String POSITION_KEY = "position=";

    /** The position of a replica whose state is not the cluster's. */
    public static final long NO_POSITION = -1;

    private StopMarker() {}

    /**
     * Brings the transaction log to stable storage, because whoever moves out takes it for all there is, and writes the
     * marker. What fails is said in the log.
     *
     * @param orderingDirectory of the replica, which has stopped
     * @param files hold the transaction log, of which a part may be on its way to its file
     * @param forcedZxid what is on stable storage already
     * @param position of the order that it has executed everything up to, or {@link #NO_POSITION}
     */
    public static void forceAndWrite(Path orderingDirectory, LoggedFiles files, long forcedZxid, long position) {
        try {
            files.commit();
        } catch (IOException e) {
            sayNotForced(files.logDirectory(), e);
            return;
        }
        forceAndWrite(orderingDirectory, files.logDirectory(), forcedZxid, position);
    }

    /**
     * As the other one, where the log's files hold all of it.
     *
     * @param orderingDirectory of the replica, which has stopped
     * @param logDirectory holds the transaction log
     * @param forcedZxid what is on stable storage already
     * @param position of the order that it has executed everything up to, or {@link #NO_POSITION}
     */
    public static void forceAndWrite(Path orderingDirectory, Path logDirectory, long forcedZxid, long position) {
        try {
            SnapshotWriter.forceLogs(logDirectory, forcedZxid);
        } catch (IOException e) {
            sayNotForced(logDirectory, e);
            return;
        }
        try {
            write(orderingDirectory, logDirectory, position);
        } catch (IOException e) {
            LOG.warn(
                    "{} cannot be written ({}): the next start will not notice if somebody else, as Apache ZooKeeper,"
                            + " writes to the transaction log in {} until then",
                    orderingDirectory.resolve(FILE_NAME),
                    e.getMessage(),
                    logDirectory);
        }
    }

    private static void sayNotForced(Path logDirectory, IOException e) {
        LOG.warn(
                "Transaction log in {} cannot be forced ({}): check the disk, and before anybody else uses these"
                        + " files start and stop this server once more",
                logDirectory,
                e.getMessage());
    }

    /**
     * Writes the marker. The replica has stopped, and its transaction log is on stable storage.
     *
     * @param orderingDirectory of the replica; exists
     * @param logDirectory holds the transaction log
     * @param position see {@link #forceAndWrite(Path, Path, long, long)}
     * @throws IOException if the log cannot be read or the file not be written; the message names it
     */
    static void write(Path orderingDirectory, Path logDirectory, long position) throws IOException {
        String text = FormatHead.of(FORMAT_VERSION) + ZXID_KEY + Long.toHexString(TxnLogScanner.lastZxid(logDirectory))
                + "\n" + POSITION_KEY + position + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Before anything is loaded or written: looks for transactions that are not this replica's, and deletes the marker
     * if there are none.
     *
     * @param orderingDirectory of the replica
     * @param logDirectory holds the transaction log
     * @throws IOException if there are some, and the marker stays; or if a file cannot be read or deleted
     */
    public static void check(Path orderingDirectory, Path logDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return;
        }
        Optional<Growth> growth = growth(orderingDirectory, logDirectory);
        if (growth.isPresent()) {
            throw new IOException("transaction log in " + logDirectory + " ends at "
                    + Zxids.text(growth.get().last()) + " but this server stopped at "
                    + Zxids.text(growth.get().stopped()) + ": it was changed outside this cluster's"
                    + " order, probably by Apache ZooKeeper. To form a new order from it, delete the ordering directory"
                    + " of every member");
        }
        Files.delete(file);
        AtomicFile.forceDirectory(orderingDirectory);
    }

    /**
     * Looks for transactions that are not this replica's, and changes nothing.
     *
     * @param orderingDirectory of the replica
     * @param logDirectory holds the transaction log; need not exist
     * @return from where to where the log has grown since the replica stopped; empty if it has not, and of a replica
     *     that was killed
     * @throws IOException if a file cannot be read, or the marker is damaged
     */
    public static Optional<Growth> growth(Path orderingDirectory, Path logDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Growth growth = new Growth(read(file).zxid(), TxnLogScanner.lastZxid(logDirectory));
        return growth.last() > growth.stopped() ? Optional.of(growth) : Optional.empty();
    }

    /**
     * What somebody else has written.
     *
     * @param stopped the replica's last transaction
     * @param last of the log
     */
    public record Growth(long stopped, long last) {}

    /**
     * Where the replica stopped.
     *
     * @param zxid its last transaction, 0 if there is none
     * @param position of the order that it has executed everything up to, or {@link #NO_POSITION}
     */
    public record Stopped(long zxid, long position) {}

    /**
     * Reads the marker.
     *
     * @param orderingDirectory of the replica
     * @return where the replica stopped; empty if it was killed, runs, or never ran
     * @throws IOException if the marker cannot be read or is damaged
     */
    public static Optional<Stopped> stopped(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key)) {
            throw new IllegalArgumentException("no line " + key);
        }
        return line.substring(key.length());
    }

    private static Stopped read(Path file) throws IOException {
        try {
            List<String> lines = FormatHead.text(file).lines().toList();
            int version = FormatHead.version(file, lines, FORMAT_VERSION);
            if (lines.size() != version + 1) {
                throw new IllegalArgumentException("unexpected lines");
            }
            if (version == FORMAT_VERSION) {
                FormatHead.checkRelease(lines);
            }
            List<String> rest = lines.subList(version == FORMAT_VERSION ? FormatHead.LINES : 1, lines.size());
            return new Stopped(
                    Long.parseLong(value(rest.get(0), ZXID_KEY), 16),
                    version < WITH_POSITION ? NO_POSITION : Long.parseLong(value(rest.get(1), POSITION_KEY)));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "); it says where the transaction log ended"
                    + " when this server stopped. Delete it if nobody else has written there");
        }
    }
}
