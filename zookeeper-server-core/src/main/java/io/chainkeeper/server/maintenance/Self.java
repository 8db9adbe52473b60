package io.chainkeeper.server.maintenance;

import io.chainkeeper.release.FeatureRange;
import java.util.List;

/**
 * Who this replica is among the others.
 *
 * @param replicaId this replica
 * @param members ids of the configured replicas, ascending
 * @param executionProfile number of this replica's settings
 * @param levels the feature levels that this replica knows
 */
public record Self(int replicaId, List<Integer> members, long executionProfile, FeatureRange levels) {}
