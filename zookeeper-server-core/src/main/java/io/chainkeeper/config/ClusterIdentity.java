package io.chainkeeper.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Whose data a directory holds: kept in the small text file {@value #FILE_NAME} of the ordering directory, so that a
 * directory of another replica or another cluster is recognised before anything in it is touched.
 *
 * @param replicaId myid of the replica that wrote the directory
 * @param clusterId random name of the cluster; null until the cluster has been formed
 * @param formerClusterIds names that the cluster had before the user forced a new one, the oldest first
 */
public record ClusterIdentity(int replicaId, UUID clusterId, List<UUID> formerClusterIds) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "identity";

    private static final int FORMAT_VERSION = 1;

    /** Has one more line, the former names; written only when there are some. */
    private static final int FORMAT_VERSION_WITH_FORMER = 2;

    private static final String FORMAT_VERSION_KEY = "formatVersion=";
    private static final String REPLICA_ID_KEY = "replicaId=";
    private static final String CLUSTER_ID_KEY = "clusterId=";
    private static final String FORMER_CLUSTER_IDS_KEY = "formerClusterIds=";
    private static final String SEPARATOR = ",";

    /** Copies the former names. */
    public ClusterIdentity {
        formerClusterIds = List.copyOf(formerClusterIds);
    }

    /**
     * The identity of a cluster that has had one name at most.
     *
     * @param replicaId see {@link ClusterIdentity}
     * @param clusterId see {@link ClusterIdentity}
     */
    public ClusterIdentity(int replicaId, UUID clusterId) {
        this(replicaId, clusterId, List.of());
    }

    /**
     * @param newClusterId the name of a forced new cluster
     * @return this identity under that name, the present one among the former ones
     */
    public ClusterIdentity renamed(UUID newClusterId) {
        List<UUID> former = new ArrayList<>(formerClusterIds);
        if (clusterId != null) {
            former.add(clusterId);
        }
        return new ClusterIdentity(replicaId, newClusterId, former);
    }

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
            if (lines.length < 4 || lines.length > 5 || !lines[lines.length - 1].isEmpty()) {
                throw new IllegalArgumentException("expected three lines");
            }
            int version = Integer.parseInt(value(lines[0], FORMAT_VERSION_KEY));
            if (version != (lines.length == 4 ? FORMAT_VERSION : FORMAT_VERSION_WITH_FORMER)) {
                throw new IllegalArgumentException(
                        "format version " + version + " with " + (lines.length - 1) + " lines");
            }
            String cluster = value(lines[2], CLUSTER_ID_KEY);
            return new ClusterIdentity(
                    Integer.parseInt(value(lines[1], REPLICA_ID_KEY)),
                    cluster.isEmpty() ? null : UUID.fromString(cluster),
                    lines.length == 4 ? List.of() : formerIds(value(lines[3], FORMER_CLUSTER_IDS_KEY)));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage()
                    + "); it must name the replica and the cluster whose data lies beside it");
        }
    }

    private static List<UUID> formerIds(String text) {
        return Arrays.stream(text.split(SEPARATOR)).map(UUID::fromString).toList();
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
        boolean renamed = !formerClusterIds.isEmpty();
        String text = FORMAT_VERSION_KEY + (renamed ? FORMAT_VERSION_WITH_FORMER : FORMAT_VERSION) + "\n"
                + REPLICA_ID_KEY + replicaId + "\n" + CLUSTER_ID_KEY + (clusterId == null ? "" : clusterId) + "\n";
        if (renamed) {
            text += FORMER_CLUSTER_IDS_KEY
                    + formerClusterIds.stream().map(UUID::toString).collect(Collectors.joining(SEPARATOR)) + "\n";
        }
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
