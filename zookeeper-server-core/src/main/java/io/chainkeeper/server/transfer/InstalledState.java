package io.chainkeeper.server.transfer;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * Says that the state in a directory was installed from another member, in the small text file {@value #FILE_NAME} of
 * the ordering directory. What the acceptor log beside it accepted up to that position no longer counts: every start
 * discards it before it reads the log, so a crash between the installation and that changes nothing.
 *
 * @param position that the installed checkpoint stands for
 * @param newDirectory whether the directory belonged to no cluster before: then nothing is known of what this replica
 *     may have promised with an earlier directory
 * @param promise what the member had promised whose state it is, as its protocol records it; may be empty
 */
public record InstalledState(long position, boolean newDirectory, ByteSlice promise) {
    /** Name of the file. */
    public static final String FILE_NAME = "installed";

    /** The first one with a version and a release; those of releases before 0.2.0 begin with the position. */
    private static final int FORMAT_VERSION = 2;

    private static final String POSITION_KEY = "position=";
    private static final String NEW_DIRECTORY_KEY = "newDirectory=";
    private static final String PROMISE_KEY = "promise=";

    /**
     * Tells of which directory the state may lack what its cluster began with.
     *
     * @param orderingDirectory see {@link io.chainkeeper.config.OrderingConfig#orderingDirectory()}; need not exist
     * @return whether it belongs to no cluster yet, and its state is not that of another member
     * @throws IOException if a file cannot be read or is damaged; the message names it
     */
    static boolean mayLackOrigin(Path orderingDirectory) throws IOException {
        ClusterIdentity identity = ClusterIdentity.read(orderingDirectory);
        boolean isNamed = identity != null && identity.clusterId() != null;
        return !isNamed && read(orderingDirectory) == null;
    }

    /**
     * Reads what is known of a directory.
     *
     * @param orderingDirectory see {@link io.chainkeeper.config.OrderingConfig#orderingDirectory()}; need not exist
     * @return null if no state was ever installed in it
     * @throws IOException if the file cannot be read or is damaged; the message names it
     */
    public static InstalledState read(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            List<String> lines = FormatHead.lines(FormatHead.text(file));
            boolean hasHead = !lines.isEmpty() && !lines.get(0).startsWith(POSITION_KEY);
            if (hasHead) {
                FormatHead.version(file, lines, FORMAT_VERSION);
                FormatHead.checkRelease(lines);
            }
            return of(hasHead ? lines.subList(FormatHead.LINES, lines.size()) : lines, hasHead);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged; it must say which state was installed beside it: " + POSITION_KEY
                    + "N, " + NEW_DIRECTORY_KEY + "true or false, and " + PROMISE_KEY + "HEX, on a line each");
        }
    }

    private static InstalledState of(List<String> lines, boolean hasHead) {
        boolean namesPromise = hasHead || lines.size() == 3; // the first ones did not
        if (lines.size() != (namesPromise ? 3 : 2)
                || !lines.get(0).matches(POSITION_KEY + "\\d{1,18}")
                || !lines.get(1).matches(NEW_DIRECTORY_KEY + "(true|false)")
                || namesPromise && !lines.get(2).matches(PROMISE_KEY + "([0-9a-f]{2})*")) {
            throw new IllegalArgumentException("unexpected lines");
        }
        return new InstalledState(
                Long.parseLong(lines.get(0).substring(POSITION_KEY.length())),
                Boolean.parseBoolean(lines.get(1).substring(NEW_DIRECTORY_KEY.length())),
                namesPromise
                        ? ByteSlice.of(HexFormat.of().parseHex(lines.get(2).substring(PROMISE_KEY.length())))
                        : ByteSlice.EMPTY);
    }

    /**
     * Writes this, atomically and durably.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if it cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        String text = FormatHead.of(FORMAT_VERSION) + POSITION_KEY + position + "\n" + NEW_DIRECTORY_KEY + newDirectory
                + "\n" + PROMISE_KEY + HexFormat.of().formatHex(promise.toByteArray()) + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
