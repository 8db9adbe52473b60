package io.chainkeeper.server.maintenance;

import io.chainkeeper.config.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How {@code zkServer.sh drain} speaks with the server: a small file {@value #FILE_NAME} in the ordering directory asks
 * it to leave, and {@value #ANSWER_NAME} is its answer, in one line. What is wrong with these files is logged and ends
 * no server. Used by one thread.
 */
public final class DrainRequest {
    static final String FILE_NAME = "drain";
    static final String ANSWER_NAME = "drain-answer";

    /** What the answer of a server that goes on begins with. */
    static final String REFUSED = "refused: ";

    private static final Logger LOG = LoggerFactory.getLogger(DrainRequest.class);
    private static final long LONGEST_SECONDS = 3_600;
    private static final long DEFAULT_SECONDS = 10;

    private final Path file;
    private final Path answer;

    /** Whether the file is one that was refused and could not be deleted. */
    private boolean remains;

    /** @param orderingDirectory exists */
    public DrainRequest(Path orderingDirectory) {
        file = orderingDirectory.resolve(FILE_NAME);
        answer = orderingDirectory.resolve(ANSWER_NAME);
    }

    /** Refuses what was asked before this start: by somebody who has given up since, or who was too early. */
    public void refuseEarlier() {
        try {
            Files.deleteIfExists(answer);
            if (Files.deleteIfExists(file)) {
                refuse("it was asked before the server had started; ask again");
            }
        } catch (IOException e) {
            LOG.warn("What zkServer.sh drain asked of an earlier start cannot be deleted; delete it: {}", e.toString());
        }
    }

    /** @return whether the server is asked to leave */
    public boolean isMade() {
        boolean exists = Files.exists(file);
        remains = remains && exists;
        return exists;
    }

    /**
     * Takes the request, or refuses it if it cannot be read and deleted.
     *
     * @return so long it may take until somebody else leads, milliseconds; empty if it was refused
     */
    public OptionalLong take() {
        try {
            String text = readOnce();
            long seconds = text.matches("[0-9]{1,6}") ? Long.parseLong(text) : DEFAULT_SECONDS;
            return OptionalLong.of(1_000 * Math.min(LONGEST_SECONDS, seconds));
        } catch (IOException e) {
            if (!remains) {
                refuse(file + " cannot be read and deleted: " + e
                        + "; run zkServer.sh drain as the user of the server");
            }
            remains = Files.exists(file);
            return OptionalLong.empty();
        }
    }

    private String readOnce() throws IOException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8).trim();
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Says why the server stays.
     *
     * @param reason one line
     */
    public void refuse(String reason) {
        LOG.warn("Not drained: {}", reason);
        answer(REFUSED + reason);
    }

    /**
     * Says what was done; the server ends now.
     *
     * @param done one line
     */
    public void answer(String done) {
        try {
            AtomicFile.write(answer, (done + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}; zkServer.sh drain does not learn: {}", answer, e.toString(), done);
        }
    }
}
