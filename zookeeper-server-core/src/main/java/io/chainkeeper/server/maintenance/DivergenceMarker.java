package io.chainkeeper.server.maintenance;

import io.chainkeeper.config.AtomicFile;
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

    private static final String FORMAT = "formatVersion=1";
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
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        try {
            if (lines.size() != 3
                    || !lines.get(0).equals(FORMAT)
                    || !lines.get(1).startsWith(PEER_KEY)
                    || !lines.get(2).startsWith(WHY_KEY)) {
                throw new IllegalArgumentException("unexpected lines");
            }
            return new DivergenceMarker(
                    Integer.parseInt(lines.get(1).substring(PEER_KEY.length())),
                    lines.get(2).substring(WHY_KEY.length()));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "); it says that the state beside it"
                    + " differs from the other members', so replace that state before you delete it");
        }
    }

    /** Writes this marker, atomically and durably. */
    void write(Path orderingDirectory) throws IOException {
        String text = FORMAT + "\n" + PEER_KEY + fromPeer + "\n" + WHY_KEY + why + "\n";
        AtomicFile.write(file(orderingDirectory), text.getBytes(StandardCharsets.UTF_8));
    }

    /** The state has been replaced by a right one. */
    public static void delete(Path orderingDirectory) throws IOException {
        if (Files.deleteIfExists(file(orderingDirectory))) {
            AtomicFile.forceDirectory(orderingDirectory);
        }
    }
}
