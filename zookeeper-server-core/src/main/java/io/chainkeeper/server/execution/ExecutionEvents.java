package io.chainkeeper.server.execution;

import io.chainkeeper.server.reconfig.EnsemblePlan;
import java.util.UUID;

/** What the executor tells the rest of the server. Called by the executor thread; must not wait or propose. */
public interface ExecutionEvents {
    /** This replica's first command of this start has been executed: it is part of the order again. */
    void selfStarted();

    /**
     * The cluster has a name.
     *
     * @param clusterId the name
     */
    void clusterFormed(UUID clusterId);

    /**
     * This replica may no longer serve a session: it was attached elsewhere, or taken from this replica.
     *
     * @param sessionId the session
     */
    void sessionLost(long sessionId);

    /** The order has changed its membership. */
    void membershipChanged();

    /** The configuration has changed, or a plan for another one stands or no longer stands. */
    void ensembleChanged();

    /**
     * A plan was proposed.
     *
     * @param plan the plan
     * @param accepted whether it stands now
     */
    void planExecuted(EnsemblePlan plan, boolean accepted);

    /** Some replica sees state being transferred while a plan stands. */
    void planProgressed();
}
