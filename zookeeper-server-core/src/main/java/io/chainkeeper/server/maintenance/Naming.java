package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.List;
import java.util.UUID;

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
     */
    void named(UUID clusterId);

    /**
     * Background, at the leader.
     *
     * @param replicated the replicated state
     * @param executionProfile number of the settings that the cluster is formed with
     * @param members replica ids, ascending
     * @param participants who is configured to vote
     * @param configuration that the cluster is formed with, empty if none is to be replicated
     * @return what is to be ordered about the name, or null
     */
    Command.ClusterFormed due(
            ReplicatedState replicated,
            long executionProfile,
            List<Integer> members,
            List<Integer> participants,
            String configuration);

    /**
     * Background.
     *
     * @param membership as the order says it, null while that has not changed it
     * @return whether the order says that this replica goes on alone, and the request for it is left over
     */
    boolean requestIsFulfilled(Membership membership);

    /** Background: nothing of the request is left to do. */
    void endRequest();
}
