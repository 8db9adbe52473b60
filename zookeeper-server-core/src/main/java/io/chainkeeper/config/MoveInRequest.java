package io.chainkeeper.config;

import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The user's decision that old data is moved in although some servers are missing or have lost theirs: kept in the
 * small text file {@value #FILE_NAME} of the ordering directory until the cluster has been formed.
 *
 * @param without replica ids, ascending
 */
public record MoveInRequest(List<Integer> without) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "move-in";

    /** The first one that names the release; version 1, of releases before 0.2.0, is read. */
    private static final int FORMAT_VERSION = 2;

    private static final String WITHOUT_KEY = "without=";
    private static final String SEPARATOR = ",";

    /** Copies the ids. */
    public MoveInRequest {
        without = List.copyOf(without);
    }

    /**
     * Reads the request of a directory.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @return null if there is none
     * @throws IOException if the file cannot be read, or holds anything else; the message names the file
     */
    public static MoveInRequest read(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        try {
            List<String> lines = FormatHead.text(file).lines().toList();
            List<String> rest = FormatHead.behind(file, lines, FORMAT_VERSION);
            if (rest.size() != 1 || !rest.get(0).startsWith(WITHOUT_KEY)) {
                throw new IllegalArgumentException("expected " + WITHOUT_KEY + "...");
            }
            return new MoveInRequest(ids(rest.get(0).substring(WITHOUT_KEY.length())));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + " is damaged (" + e.getMessage() + "); delete it and run zkServer.sh move-in again");
        }
    }

    /**
     * Reads replica ids that commas separate.
     *
     * @param text for instance {@code 2,3}
     * @return the ids, ascending
     * @throws IllegalArgumentException if it is anything else; names what is wrong
     */
    public static List<Integer> ids(String text) {
        try {
            return Arrays.stream(text.split(SEPARATOR))
                    .map(Integer::valueOf)
                    .sorted()
                    .distinct()
                    .toList();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no list of server ids such as 2,3");
        }
    }

    /**
     * Writes this request, atomically and durably.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if it cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        String ids = without.stream().map(String::valueOf).collect(Collectors.joining(SEPARATOR));
        String text = FormatHead.of(FORMAT_VERSION) + WITHOUT_KEY + ids + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Ends the request durably: the cluster has been formed.
     *
     * @param orderingDirectory its directory
     * @throws IOException if the file cannot be deleted
     */
    public static void delete(Path orderingDirectory) throws IOException {
        if (Files.deleteIfExists(orderingDirectory.resolve(FILE_NAME))) {
            AtomicFile.forceDirectory(orderingDirectory);
        }
    }
}
