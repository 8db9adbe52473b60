package io.chainkeeper.server.maintenance;

/**
 * What is done so that the replicas' states are the same.
 *
 * @param auditor has digests compared
 * @param divergence acts when they differ
 */
public record AuditTasks(DigestAuditor auditor, Divergence divergence) {}
