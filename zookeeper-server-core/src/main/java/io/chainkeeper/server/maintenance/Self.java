package io.chainkeeper.server.maintenance;

import java.util.List;

/**
 * Who this replica is among the others.
 *
 * @param replicaId this replica
 * @param members ids of the configured replicas, ascending
 * @param executionProfile number of this replica's settings
 */
public record Self(int replicaId, List<Integer> members, long executionProfile) {}
