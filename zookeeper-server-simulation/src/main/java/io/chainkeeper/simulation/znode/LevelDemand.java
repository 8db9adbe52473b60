package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.swarm.Upgrades;
import java.util.function.IntFunction;

/** Where all servers are of this release and healthy, its newest feature level comes into force. */
final class LevelDemand {
    private final Cluster cluster;
    private final IntFunction<ZnodeReplica> replicas;

    /**
     * @param cluster that has been upgraded, or not
     * @param replicas the application of each that runs
     */
    LevelDemand(Cluster cluster, IntFunction<ZnodeReplica> replicas) {
        this.cluster = cluster;
        this.replicas = replicas;
    }

    /** Asks for it where it does not rise by itself. */
    void demand(Workload.Awaiter awaiter) {
        boolean allArePresent = cluster.configured().stream()
                .allMatch(id -> cluster.releases().levels(id).equals(Upgrades.PRESENT));
        if (!allArePresent) {
            return;
        }
        if (!cluster.releases().raising().byItself()) {
            replicas.apply(cluster.configured().get(0)).askForLevel();
        }
        awaiter.await(
                "the newest feature level",
                () -> cluster.configured().stream()
                        .allMatch(id -> replicas.apply(id).featureLevel().number() == Upgrades.PRESENT.newest()));
    }
}
