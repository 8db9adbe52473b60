package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.Collection;
import java.util.function.BooleanSupplier;

/** What stories are told with: who reaches whom, and what happens next, unless faults have stopped by then. */
final class Stories {
    private static final long LOOK_MICROS = 500;

    private final EventQueue events;
    private final Cluster cluster;
    private final FaultInjector faults;

    /**
     * @param events virtual time
     * @param cluster that suffers
     * @param faults knows whether they have stopped
     */
    Stories(EventQueue events, Cluster cluster, FaultInjector faults) {
        this.events = events;
        this.cluster = cluster;
        this.faults = faults;
    }

    /** Does something a little later. */
    void later(long delayMicros, Runnable action) {
        events.after(delayMicros, () -> {
            if (!faults.areStopped()) {
                action.run();
            }
        });
    }

    /** Does something when something is so, or something else when that takes too long. */
    void await(long withinMicros, BooleanSupplier condition, Runnable action, Runnable otherwise) {
        if (condition.getAsBoolean()) {
            action.run();
        } else if (withinMicros <= 0) {
            otherwise.run();
        } else {
            later(LOOK_MICROS, () -> await(withinMicros - LOOK_MICROS, condition, action, otherwise));
        }
    }

    /** A story has come to the moment that it is about. */
    void reached(Fault story) {
        faults.tookEffect(story);
    }

    /** Whether a replica runs and takes itself for the leader. */
    boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LEADER;
    }

    /** One direction carries nothing any more. */
    void cutOneWay(int from, int to) {
        cluster.network().cut(from, to);
    }

    /** A replica reaches nobody, and nobody reaches it. */
    void isolate(int replica) {
        cluster.members().stream().filter(other -> other != replica).forEach(other -> {
            cluster.network().cut(replica, other);
            cluster.network().cut(other, replica);
        });
    }

    /** These reach each other and nobody else; all others reach each other. */
    void separate(Collection<Integer> group) {
        for (int one : cluster.members()) {
            for (int other : cluster.members()) {
                if (one == other) {
                    continue;
                }
                if (group.contains(one) == group.contains(other)) {
                    cluster.network().heal(one, other);
                } else {
                    cluster.network().cut(one, other);
                }
            }
        }
    }

    /** Everybody reaches everybody. */
    void reunite() {
        separate(cluster.members());
    }
}
