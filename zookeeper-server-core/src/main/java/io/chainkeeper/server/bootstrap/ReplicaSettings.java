package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.FeatureRaising;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.release.FeatureRange;
import java.nio.file.Path;
import java.util.List;

/**
 * Who a replica is and what it promises, as far as its {@link ReplicaAssembly} asks.
 *
 * @param replicaId this replica
 * @param orderingDirectory of its data directory
 * @param members ids of all replicas that this one is configured with, ascending
 * @param reads what reads promise
 * @param localSessionsEnabled whether sessions begin as known to this replica only
 * @param maintenancePeriodMillis between two looks of maintenance, at least 1
 * @param servingPatienceMillis how long clients are served without a leader
 * @param reconfigPatienceMillis how long a {@code reconfig} may wait without any progress
 * @param digestAuditSeconds how often the replicas compare their states
 * @param levels the feature levels that this replica knows
 * @param raising when a higher one is put in force
 * @param tracing what is noted of the way of single requests
 */
record ReplicaSettings(
        int replicaId,
        Path orderingDirectory,
        List<Integer> members,
        ReadConsistency reads,
        boolean localSessionsEnabled,
        long maintenancePeriodMillis,
        long servingPatienceMillis,
        long reconfigPatienceMillis,
        int digestAuditSeconds,
        FeatureRange levels,
        FeatureRaising raising,
        RequestTracing tracing) {}
