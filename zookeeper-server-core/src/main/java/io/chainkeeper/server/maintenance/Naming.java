package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;

/** Keeps the name of the cluster. */
public interface Naming {
    /** @return replicas that the cluster may be formed without, by the user's decision; any thread */
    List<Integer> goesWithout();

    /**
     * Apply thread: this replica has caught up with the order.
     *
     * @param clusterId the cluster's name in the order, null if it has none
     */
    void caughtUp(UUID clusterId);

    /**
     * Apply thread: the order names the cluster.
     *
     * @param clusterId the name
     * @param replaces the name that the cluster had up to here, null if none
     */
    void named(UUID clusterId, UUID replaces);

    /**
     * Apply thread: a feature level is in force.
     *
     * @param level the level
     */
    void levelInForce(FeatureLevel level);

    /**
     * Background: carries the operator's wish for a higher feature level out, if there is one.
     *
     * @param raise asks for a level, and says null or why not
     */
    void wantedLevel(IntFunction<String> raise);

    /**
     * Background, at the leader.
     *
     * @param replicated the replicated state
     * @param executionProfile number of the settings that the cluster is formed with
     * @param members replica ids, ascending
     * @param participants who is configured to vote
     * @param configuration that the cluster is formed with, empty if none is to be replicated
     * @param level the feature level that it begins with
     * @return what is to be ordered about the name, or null
     */
    Command.ClusterFormed due(
            ReplicatedState replicated,
            long executionProfile,
            List<Integer> members,
            List<Integer> participants,
            String configuration,
            FeatureLevel level);

    /** @return whether this life carries out, or ends, the request to go on alone, and serves nobody; any thread */
    boolean goesOnAlone();

    /**
     * Background: ends the request to go on alone, if there is one and the order bears the name that it gives; then
     * another life begins.
     *
     * @param clusterId the cluster's name in the order, null if it has none
     */
    void endRequestIfNamed(UUID clusterId);
}
