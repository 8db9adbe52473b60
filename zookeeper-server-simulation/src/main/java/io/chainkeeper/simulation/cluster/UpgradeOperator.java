package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;

/**
 * Looks after an upgrade when faults have stopped: starts this release on each server whose release does not know the
 * level in force, which is not linked with the others any more, and on all others if the upgrade is to be completed.
 */
final class UpgradeOperator {
    private static final long LOOK_MICROS = 500_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final Workload workload;

    /**
     * @param events virtual time
     * @param cluster that is upgraded
     * @param workload knows the level in force
     */
    UpgradeOperator(EventQueue events, Cluster cluster, Workload workload) {
        this.events = events;
        this.cluster = cluster;
        this.workload = workload;
    }

    /** Now and from time to time, until the end of the run. */
    void look() {
        for (int id : cluster.members()) {
            ReplicaHost host = cluster.host(id);
            boolean isFormer = !cluster.releases().levels(id).equals(Upgrades.PRESENT);
            if (isFormer && host != null && (cluster.releases().areCompleted() || workload.isOtherRelease(id))) {
                cluster.crash(id);
                cluster.releases().install(id, Upgrades.PRESENT);
                cluster.start(id);
            }
        }
        events.after(LOOK_MICROS, this::look);
    }
}
