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
 * directory of another replica, another cluster or another protocol is recognised before anything in it is touched.
 *
 * @param replicaId myid of the replica that wrote the directory
 * @param clusterId random name of the cluster; null until the cluster has been formed
 * @param formerClusterIds names that the cluster had before the user forced a new one, the oldest first
 * @param protocol {@code ordering.protocol} of whoever wrote the directory; null in those of releases that did not note
 *     it, until the first start since
 */
public record ClusterIdentity(int replicaId, UUID clusterId, List<UUID> formerClusterIds, String protocol) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "identity";

    private static final int FORMAT_VERSION = 1;

    /** Has one more line, the former names; written only when there are some. */
    private static final int FORMAT_VERSION_WITH_FORMER = 2;

    /** Has two more lines: the former names, if any, and the protocol. */
    private static final int FORMAT_VERSION_WITH_PROTOCOL = 3;

    private static final String FORMAT_VERSION_KEY = "formatVersion=";
    private static final String REPLICA_ID_KEY = "replicaId=";
    private static final String CLUSTER_ID_KEY = "clusterId=";
    private static final String FORMER_CLUSTER_IDS_KEY = "formerClusterIds=";
    private static final String PROTOCOL_KEY = "protocol=";
    private static final String SEPARATOR = ",";

    /** Lines of each format version, the empty one behind the last line end included. */
    private static final List<Integer> LINES = List.of(0, 4, 5, 6);

    /** Copies the former names. */
    public ClusterIdentity {
        formerClusterIds = List.copyOf(formerClusterIds);
    }

    /**
     * The identity of a cluster that has had one name at most.
     *
     * @param replicaId see {@link ClusterIdentity}
     * @param clusterId see {@link ClusterIdentity}
     * @param protocol see {@link ClusterIdentity}
     */
    public ClusterIdentity(int replicaId, UUID clusterId, String protocol) {
        this(replicaId, clusterId, List.of(), protocol);
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
        return new ClusterIdentity(replicaId, newClusterId, former, protocol);
    }

    /**
     * @param name the name of a protocol
     * @return this identity with that protocol
     */
    public ClusterIdentity orderedBy(String name) {
        return new ClusterIdentity(replicaId, clusterId, formerClusterIds, name);
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
            int version = Integer.parseInt(value(lines[0], FORMAT_VERSION_KEY));
            if (version < FORMAT_VERSION || version > FORMAT_VERSION_WITH_PROTOCOL) {
                throw new IllegalArgumentException("format version " + version + " is not known to this release");
            }
            if (lines.length != LINES.get(version) || !lines[lines.length - 1].isEmpty()) {
                throw new IllegalArgumentException(
                        "format version " + version + " has " + (LINES.get(version) - 1) + " lines");
            }
            String cluster = value(lines[2], CLUSTER_ID_KEY);
            return new ClusterIdentity(
                    Integer.parseInt(value(lines[1], REPLICA_ID_KEY)),
                    cluster.isEmpty() ? null : UUID.fromString(cluster),
                    version == FORMAT_VERSION ? List.of() : formerIds(value(lines[3], FORMER_CLUSTER_IDS_KEY)),
                    version == FORMAT_VERSION_WITH_PROTOCOL ? protocol(value(lines[4], PROTOCOL_KEY)) : null);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage()
                    + "); it must name the replica and the cluster whose data lies beside it");
        }
    }

    private static String protocol(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("no name behind " + PROTOCOL_KEY);
        }
        return name;
    }

    private static List<UUID> formerIds(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(SEPARATOR)).map(UUID::fromString).toList();
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
        String former = formerClusterIds.stream().map(UUID::toString).collect(Collectors.joining(SEPARATOR));
        int version = protocol != null
                ? FORMAT_VERSION_WITH_PROTOCOL
                : former.isEmpty() ? FORMAT_VERSION : FORMAT_VERSION_WITH_FORMER;
        String text = FORMAT_VERSION_KEY + version + "\n" + REPLICA_ID_KEY + replicaId + "\n" + CLUSTER_ID_KEY
                + (clusterId == null ? "" : clusterId) + "\n";
        if (version != FORMAT_VERSION) {
            text += FORMER_CLUSTER_IDS_KEY + former + "\n";
        }
        if (protocol != null) {
            text += PROTOCOL_KEY + protocol + "\n";
        }
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
