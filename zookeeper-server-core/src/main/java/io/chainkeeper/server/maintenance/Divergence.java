package io.chainkeeper.server.maintenance;

import io.chainkeeper.server.execution.AuditVerdict;

/** Acts when the replicas' states differ. */
public interface Divergence {
    /**
     * Apply thread: the reports have decided something.
     *
     * @param verdict what
     */
    void judged(AuditVerdict verdict);

    /** Background, now and then: asks until the right state has come. */
    void tick();
}
