package io.chainkeeper.config;

import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FormatHead;
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
 * @param formerClusterIds names that the cluster had before the user forced a new one, in the order in which this
 *     replica got to know them
 * @param protocol {@code ordering.protocol} of whoever wrote the directory; null in those of releases that did not note
 *     it, until the first start since
 * @param level the feature level of the cluster, as far as it has been noted
 */
public record ClusterIdentity(
        int replicaId, UUID clusterId, List<UUID> formerClusterIds, String protocol, FeatureLevel level) {
    /** Name of the file, in {@link OrderingConfig#orderingDirectory()}. */
    public static final String FILE_NAME = "identity";

    /** What is written; earlier versions, of releases before 0.2.0, are read. */
    private static final int FORMAT_VERSION = 4;

    /** The first version with the former names, if any. */
    private static final int WITH_FORMER = 2;

    /** The first version with the protocol. */
    private static final int WITH_PROTOCOL = 3;

    /** The first version with the release that wrote the file and the feature level. */
    private static final int WITH_LEVEL = 4;

    private static final String REPLICA_ID_KEY = "replicaId=";
    private static final String CLUSTER_ID_KEY = "clusterId=";
    private static final String FORMER_CLUSTER_IDS_KEY = "formerClusterIds=";
    private static final String PROTOCOL_KEY = "protocol=";
    private static final String LEVEL_KEY = "featureLevel=";
    private static final String LEVEL_RELEASE_KEY = "featureLevelOfRelease=";
    private static final String SEPARATOR = ",";

    /** Lines of each format version. */
    private static final List<Integer> LINES = List.of(0, 3, 4, 5, 8);

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
     * The identity of a cluster whose feature level is not known yet.
     *
     * @param replicaId see {@link ClusterIdentity}
     * @param clusterId see {@link ClusterIdentity}
     * @param formerClusterIds see {@link ClusterIdentity}
     * @param protocol see {@link ClusterIdentity}
     */
    public ClusterIdentity(int replicaId, UUID clusterId, List<UUID> formerClusterIds, String protocol) {
        this(replicaId, clusterId, formerClusterIds, protocol, FeatureLevel.NONE);
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
        return new ClusterIdentity(replicaId, newClusterId, former, protocol, level);
    }

    /**
     * @param former a name that the cluster had before the user forced a new one
     * @return this identity with that one among the former names
     */
    public ClusterIdentity formerly(UUID former) {
        List<UUID> names = new ArrayList<>(formerClusterIds);
        names.add(former);
        return new ClusterIdentity(replicaId, clusterId, names, protocol, level);
    }

    /**
     * @param name the name of a protocol
     * @return this identity with that protocol
     */
    public ClusterIdentity orderedBy(String name) {
        return new ClusterIdentity(replicaId, clusterId, formerClusterIds, name, level);
    }

    /**
     * @param known the feature level of the cluster
     * @return this identity with that level
     */
    public ClusterIdentity at(FeatureLevel known) {
        return new ClusterIdentity(replicaId, clusterId, formerClusterIds, protocol, known);
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
        try {
            List<String> lines = FormatHead.lines(FormatHead.text(file));
            int version = FormatHead.version(file, lines, FORMAT_VERSION);
            if (lines.size() != LINES.get(version)) {
                throw new IllegalArgumentException(
                        "format version " + version + " has " + LINES.get(version) + " lines");
            }
            return of(version, version >= WITH_LEVEL ? rest(lines) : lines.subList(1, lines.size()));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged (" + e.getMessage()
                    + "); it must name the replica and the cluster whose data lies beside it");
        }
    }

    private static List<String> rest(List<String> lines) {
        FormatHead.checkRelease(lines);
        return lines.subList(FormatHead.LINES, lines.size());
    }

    private static ClusterIdentity of(int version, List<String> lines) {
        String cluster = value(lines.get(1), CLUSTER_ID_KEY);
        return new ClusterIdentity(
                Integer.parseInt(value(lines.get(0), REPLICA_ID_KEY)),
                cluster.isEmpty() ? null : UUID.fromString(cluster),
                version < WITH_FORMER ? List.of() : formerIds(value(lines.get(2), FORMER_CLUSTER_IDS_KEY)),
                version < WITH_PROTOCOL ? null : protocol(version, value(lines.get(3), PROTOCOL_KEY)),
                version < WITH_LEVEL
                        ? FeatureLevel.NONE
                        : new FeatureLevel(
                                Integer.parseInt(value(lines.get(4), LEVEL_KEY)),
                                value(lines.get(5), LEVEL_RELEASE_KEY)));
    }

    private static String protocol(int version, String name) {
        if (name.isBlank() && version < WITH_LEVEL) {
            throw new IllegalArgumentException("no name behind " + PROTOCOL_KEY);
        }
        return name.isBlank() ? null : name;
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
        String text = FormatHead.of(FORMAT_VERSION) + REPLICA_ID_KEY + replicaId + "\n" + CLUSTER_ID_KEY
                + (clusterId == null ? "" : clusterId) + "\n" + FORMER_CLUSTER_IDS_KEY + former + "\n" + PROTOCOL_KEY
                + (protocol == null ? "" : protocol) + "\n" + LEVEL_KEY + level.number() + "\n" + LEVEL_RELEASE_KEY
                + level.release() + "\n";
        AtomicFile.write(orderingDirectory.resolve(FILE_NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
