package io.chainkeeper.server.maintenance;

import io.chainkeeper.config.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How {@code zkServer.sh drain} speaks with the server: a small file {@value #FILE_NAME} in the ordering directory asks
 * it to leave, and {@value #ANSWER_NAME} is its answer, in one line. Used by one thread.
 */
public final class DrainRequest {
    static final String FILE_NAME = "drain";
    static final String ANSWER_NAME = "drain-answer";

    /** What the answer of a server that goes on begins with. */
    static final String REFUSED = "refused: ";

    private static final long LONGEST_SECONDS = 3_600;
    private static final long DEFAULT_SECONDS = 10;

    private final Path file;
    private final Path answer;

    /** @param orderingDirectory exists */
    public DrainRequest(Path orderingDirectory) {
        file = orderingDirectory.resolve(FILE_NAME);
        answer = orderingDirectory.resolve(ANSWER_NAME);
    }

    /**
     * Forgets what a server that has ended was asked.
     *
     * @throws IOException if a file cannot be deleted
     */
    public void forget() throws IOException {
        Files.deleteIfExists(file);
        Files.deleteIfExists(answer);
    }

    /** @return whether the server is asked to leave */
    public boolean isMade() {
        return Files.exists(file);
    }

    /**
     * Takes the request.
     *
     * @return so long it may take until somebody else leads, milliseconds
     * @throws IOException if the file cannot be read or deleted
     */
    public long take() throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8).trim();
        Files.delete(file);
        long seconds = text.matches("[0-9]{1,6}") ? Long.parseLong(text) : DEFAULT_SECONDS;
        return 1_000 * Math.min(LONGEST_SECONDS, seconds);
    }

    /**
     * Says why the server stays.
     *
     * @param reason one line
     * @throws IOException if it cannot be written
     */
    public void refuse(String reason) throws IOException {
        answer(REFUSED + reason);
    }

    /**
     * Says what was done; the server ends now.
     *
     * @param done one line
     * @throws IOException if it cannot be written
     */
    public void answer(String done) throws IOException {
        AtomicFile.write(answer, (done + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
