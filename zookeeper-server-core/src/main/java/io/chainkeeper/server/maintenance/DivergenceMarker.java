package io.chainkeeper.server.maintenance;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The small text file {@value #FILE_NAME} in the ordering directory: the state of this directory is not what the order
 * says, and must not be served.
 *
 * @param fromPeer a member whose state was right
 * @param why what was found, one line
 */
public record DivergenceMarker(int fromPeer, String why) {
    /** Name of the file. */
    static final String FILE_NAME = "diverged";

    /** The first one that names the release; version 1, of releases before 0.2.0, is read. */
    private static final int FORMAT_VERSION = 2;

    private static final String PEER_KEY = "fromPeer=";
    private static final String WHY_KEY = "why=";

    static Path file(Path orderingDirectory) {
        return orderingDirectory.resolve(FILE_NAME);
    }

    /** Reads the marker of a directory, null if there is none. */
    public static DivergenceMarker read(Path orderingDirectory) throws IOException {
        Path file = file(orderingDirectory);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            List<String> lines = FormatHead.text(file).lines().toList();
            List<String> rest = FormatHead.behind(file, lines, FORMAT_VERSION);
            if (rest.size() != 2
                    || !rest.get(0).startsWith(PEER_KEY)
                    || !rest.get(1).startsWith(WHY_KEY)) {
                throw new IllegalArgumentException("unexpected lines");
            }
            return new DivergenceMarker(
                    Integer.parseInt(rest.get(0).substring(PEER_KEY.length())),
                    rest.get(1).substring(WHY_KEY.length()));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "); it says that the state beside it"
                    + " differs from the other members', so replace that state before you delete it");
        }
    }

    /** Writes this marker, atomically and durably. */
    void write(Path orderingDirectory) throws IOException {
        String text = FormatHead.of(FORMAT_VERSION) + PEER_KEY + fromPeer + "\n" + WHY_KEY + why + "\n";
        AtomicFile.write(file(orderingDirectory), text.getBytes(StandardCharsets.UTF_8));
    }

    /** The state has been replaced by a right one. */
    public static void delete(Path orderingDirectory) throws IOException {
        if (Files.deleteIfExists(file(orderingDirectory))) {
            AtomicFile.forceDirectory(orderingDirectory);
        }
    }
}
