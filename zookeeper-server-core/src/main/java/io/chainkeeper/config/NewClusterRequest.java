package io.chainkeeper.config;

import io.chainkeeper.release.FormatHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.UUID;

/**
 * The user's order that this replica goes on alone, as the only member of a new cluster: kept in the small text file
 * {@value #FILE_NAME} of the ordering directory until the order bears the new cluster's name. That name tells a request
 * that has been carried out from one that has not (docs/decisions/054-a-forced-start-is-one-replicas.md).
 *
 * @param replicaId myid of the replica that goes on
 * @param clusterId random name of the new cluster
 * @param requestedAt when the user asked for it
 */
public record NewClusterRequest(int replicaId, UUID clusterId, Instant requestedAt) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "force-new-cluster";

    /** The first one that names the release; version 1, of releases before 0.2.0, is read. */
    private static final int FORMAT_VERSION = 2;

    private static final String REPLICA_ID_KEY = "replicaId=";
    private static final String CLUSTER_ID_KEY = "clusterId=";
    private static final String REQUESTED_AT_KEY = "requestedAt=";

    /**
     * Reads the request of a directory.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @return null if there is none
     * @throws IOException if the file cannot be read, or holds anything else; the message names the file
     */
    public static NewClusterRequest read(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        try {
            // Asking for the file first would leave a moment in which the running replica may delete it.
            List<String> lines = FormatHead.text(file).lines().toList();
            List<String> rest = FormatHead.behind(file, lines, FORMAT_VERSION);
            if (rest.size() != 3) {
                throw new IllegalArgumentException("expected replica, cluster and time");
            }
            return new NewClusterRequest(
                    Integer.parseInt(value(rest.get(0), REPLICA_ID_KEY)),
                    UUID.fromString(value(rest.get(1), CLUSTER_ID_KEY)),
                    Instant.parse(value(rest.get(2), REQUESTED_AT_KEY)));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new IOException(file + " is damaged (" + e.getMessage()
                    + "); delete it and run zkServer.sh force-new-cluster again");
        }
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key)) {
            throw new IllegalArgumentException("no line " + key);
        }
        return line.substring(key.length());
    }

    /**
     * Writes this request, atomically and durably.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if it cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        String text = FormatHead.of(FORMAT_VERSION) + REPLICA_ID_KEY + replicaId + "\n" + CLUSTER_ID_KEY + clusterId
                + "\n" + REQUESTED_AT_KEY + requestedAt + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Ends the request durably: it has been carried out.
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
