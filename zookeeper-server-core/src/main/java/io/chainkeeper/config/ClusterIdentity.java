package io.chainkeeper.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Whose data a directory holds: kept in the small text file {@value #FILE_NAME} of the ordering directory, so that a
 * directory of another replica or another cluster is recognised before anything in it is touched.
 *
 * @param replicaId myid of the replica that wrote the directory
 * @param clusterId random name of the cluster; null until the cluster has been formed
 */
public record ClusterIdentity(int replicaId, UUID clusterId) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "identity";

    private static final int FORMAT_VERSION = 1;
    private static final String FORMAT_VERSION_KEY = "formatVersion=";
    private static final String REPLICA_ID_KEY = "replicaId=";
    private static final String CLUSTER_ID_KEY = "clusterId=";

    /**
     * Reads the identity of a directory.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @return null if the directory has none yet
     * @throws IOException if the file cannot be read, or holds anything but an identity; the message names the file
     */
    public static ClusterIdentity read(Path orderingDirectory) throws IOException {
        Path file = orderingDirectory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        String[] lines = Files.readString(file, StandardCharsets.UTF_8).split("\n", -1);
        try {
            if (lines.length != 4 || !lines[3].isEmpty()) {
                throw new IllegalArgumentException("expected three lines");
            }
            int version = Integer.parseInt(value(lines[0], FORMAT_VERSION_KEY));
            if (version != FORMAT_VERSION) {
                throw new IllegalArgumentException("format version " + version + " instead of " + FORMAT_VERSION);
            }
            String cluster = value(lines[2], CLUSTER_ID_KEY);
            return new ClusterIdentity(
                    Integer.parseInt(value(lines[1], REPLICA_ID_KEY)),
                    cluster.isEmpty() ? null : UUID.fromString(cluster));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage()
                    + "); it must name the replica and the cluster whose data lies beside it");
        }
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key)) {
            throw new IllegalArgumentException("no line " + key);
        }
        return line.substring(key.length());
    }

    /**
     * Writes this identity, atomically and durably.
     *
     * @param orderingDirectory an existing directory
     * @throws IOException if it cannot be written
     */
    public void write(Path orderingDirectory) throws IOException {
        String text = FORMAT_VERSION_KEY + FORMAT_VERSION + "\n" + REPLICA_ID_KEY + replicaId + "\n" + CLUSTER_ID_KEY
                + (clusterId == null ? "" : clusterId) + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
