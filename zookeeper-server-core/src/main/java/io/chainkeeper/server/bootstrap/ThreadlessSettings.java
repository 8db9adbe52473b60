package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.Ensemble;

/**
 * Who a {@link ThreadlessReplica} is and what it promises.
 *
 * @param replicaId this replica
 * @param ensemble the configured ensemble; it stays as it is
 * @param tickTimeMillis ZooKeeper's tick; the maintenance looks at everything twice per tick
 * @param minSessionTimeoutMillis least timeout a client can get
 * @param maxSessionTimeoutMillis greatest timeout a client can get
 * @param patienceMillis how long clients are served without a leader
 * @param digestAuditSeconds how often the replicas compare their states
 * @param reads what reads promise
 */
public record ThreadlessSettings(
        int replicaId,
        Ensemble ensemble,
        int tickTimeMillis,
        int minSessionTimeoutMillis,
        int maxSessionTimeoutMillis,
        long patienceMillis,
        int digestAuditSeconds,
        ReadConsistency reads) {}
