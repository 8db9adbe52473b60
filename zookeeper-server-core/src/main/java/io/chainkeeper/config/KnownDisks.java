package io.chainkeeper.config;

import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * Which shared disks a directory has been used with: the small text file {@value #FILE_NAME} of the ordering directory.
 *
 * @param clusterId that the disks bear
 */
public record KnownDisks(long clusterId) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "shared-disks";

    private static final int FORMAT_VERSION = 1;
    private static final String CLUSTER_KEY = "clusterId=";

    /**
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @return null if the directory has been used with none
     * @throws IOException if the file cannot be read, or is damaged; the message names it
     */
    public static KnownDisks read(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            List<String> lines = FormatHead.lines(FormatHead.text(file));
            FormatHead.version(file, lines, FORMAT_VERSION);
            FormatHead.checkRelease(lines);
            if (lines.size() != FormatHead.LINES + 1
                    || !lines.get(FormatHead.LINES).matches(CLUSTER_KEY + "[0-9a-f]{16}")) {
                throw new IllegalArgumentException("no line " + CLUSTER_KEY);
            }
            return new KnownDisks(
                    HexFormat.fromHexDigitsToLong(lines.get(FormatHead.LINES).substring(CLUSTER_KEY.length())));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage() + "); it must name the shared disks that this"
                    + " directory belongs to");
        }
    }

    /**
     * Writes this, atomically and durably.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if it cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        String text = FormatHead.of(FORMAT_VERSION) + CLUSTER_KEY + String.format("%016x", clusterId) + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
