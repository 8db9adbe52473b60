package io.chainkeeper.config;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The operator's wish for a higher feature level: the small text file {@value #FILE_NAME} of the ordering directory,
 * which the running server takes away; and its answer if it refuses, {@value #REFUSED_FILE_NAME}.
 *
 * @param level at least 1
 */
public record FeatureLevelRequest(int level) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "raise-feature-level";

    /** Name of the answer. */
    public static final String REFUSED_FILE_NAME = "raise-feature-level.refused";

    private static final int FORMAT_VERSION = 2;
    private static final String LEVEL_KEY = "level=";

    /**
     * Takes the request of a directory, which ends it.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @return null if there is none
     * @throws IOException if the file cannot be read or deleted
     */
    public static FeatureLevelRequest take(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            List<String> rest =
                    FormatHead.behind(file, FormatHead.text(file).lines().toList(), FORMAT_VERSION);
            Files.delete(file);
            if (rest.size() != 1 || !rest.get(0).matches(LEVEL_KEY + "[1-9]\\d{0,8}")) {
                throw new IllegalArgumentException("no line " + LEVEL_KEY);
            }
            return new FeatureLevelRequest(Integer.parseInt(rest.get(0).substring(LEVEL_KEY.length())));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IllegalArgumentException e) {
            Files.deleteIfExists(file);
            return new FeatureLevelRequest(FeatureRange.NO_LEVEL);
        }
    }

    /**
     * Asks the server that runs on a directory.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if the file cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        Files.deleteIfExists(orderingDirectory.resolve(REFUSED_FILE_NAME));
        String text = FormatHead.of(FORMAT_VERSION) + LEVEL_KEY + level + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Answers that the level is not raised.
     *
     * @param orderingDirectory an existing directory
     * @param reason one line
     * @throws IOException if the file cannot be written
     */
    public static void refuse(Path orderingDirectory, String reason) throws IOException {
        AtomicFile.write(
                orderingDirectory.resolve(REFUSED_FILE_NAME), (reason + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @return why the last request was refused; null if it was not, or there is no answer yet
     * @throws IOException if the file cannot be read
     */
    public static String refusal(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(REFUSED_FILE_NAME);
        return Files.exists(file)
                ? Files.readString(file, StandardCharsets.UTF_8).strip()
                : null;
    }

    /**
     * Gives a request up that nobody has taken.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @return whether it had not been taken
     * @throws IOException if the file cannot be deleted
     */
    public static boolean giveUp(Path orderingDirectory) throws IOException {
        return Files.deleteIfExists(orderingDirectory.resolve(FILE_NAME));
    }
}
