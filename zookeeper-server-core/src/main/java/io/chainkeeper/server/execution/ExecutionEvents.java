package io.chainkeeper.server.execution;

import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.StateDigest;
import java.util.List;
import java.util.UUID;

/** What the executor tells the rest of the server. Called by the apply thread; must not wait or propose. */
public interface ExecutionEvents {
    /** This replica's first command of this start has been executed: it is part of the order again. */
    void selfStarted();

    /**
     * The first command of another start than this one has been executed.
     *
     * @param member replica id; this replica's own for an earlier start of it, whose commands are executed again
     */
    void memberStarted(int member);

    /**
     * The cluster has a name.
     *
     * @param clusterId the name
     * @param replaces the name that it had up to here, null if none
     */
    void clusterFormed(UUID clusterId, UUID replaces);

    /**
     * A feature level is in force from here on. Called before anything depends on it.
     *
     * @param level the level
     */
    void featureLevelInForce(FeatureLevel level);

    /**
     * The cluster has been formed with another state than this replica's: nothing is executed any more, and the state
     * of another member has to be fetched.
     *
     * @param position the position that says so; older states will not do
     * @param sources replicas that began with the right state
     */
    void stateNotTaken(long position, List<Integer> sources);

    /**
     * The cluster has been formed with another state than this replica's, which must not be given up for it: nothing is
     * executed any more.
     *
     * @param reason why, and what the user can do
     */
    void stateRefused(String reason);

    /**
     * This replica may no longer serve a session: it was attached elsewhere, or taken from this replica.
     *
     * @param sessionId the session
     */
    void sessionLost(long sessionId);

    /**
     * An audit has been executed: the order is to learn what this replica found.
     *
     * @param auditPosition position of the audit
     * @param digest of this replica's state there
     */
    void digestTaken(long auditPosition, StateDigest digest);

    /**
     * The reports for the newest audit have decided something, or something more than before.
     *
     * @param verdict what they amount to
     */
    void auditJudged(AuditVerdict verdict);

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
