package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.Selection;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.SplittableRandom;

/**
 * A server is started with the directory of another cluster: of one of the same servers, which has ordered something
 * else, in a time and a network of its own. Once in a run: two of them could make the others believe that they are the
 * ones who do not belong.
 */
final class StrangerFaults {
    private static final int MOST_POSITIONS = 20;
    private static final long LIFE_MICROS = 3_000_000;

    private final Cluster cluster;
    private final Workload workload;
    private final FaultInjector faults;
    private boolean hasCome;

    /**
     * @param cluster that suffers
     * @param workload above it; the other cluster has one of the same kind
     * @param faults crashes replicas, and waits
     */
    StrangerFaults(Cluster cluster, Workload workload, FaultInjector faults) {
        this.cluster = cluster;
        this.workload = workload;
        this.faults = faults;
    }

    /** A server comes up with another cluster's directory, for a while; whether there was one to be had. */
    boolean come(int id, SplittableRandom random) {
        if (hasCome || !cluster.strangers().mayCome(id)) {
            return false;
        }
        EventQueue time = new EventQueue();
        Trace silent = new Trace(time, null);
        Decisions decisions = new Decisions(Selection.ALL, silent);
        Workload clients = workload.ofAnotherCluster(time, random.split(), decisions, silent);
        Cluster other = cluster.strangers().anotherCluster(time, silent, clients, random.split());
        live(other, clients, time, id, 1 + random.nextInt(MOST_POSITIONS));
        SimulatedReplica directory = other.replica(id);
        if (other.host(id) == null || other.host(id).position() == 0) {
            other.close();
            return false;
        }
        other.crash(id);
        if (!cluster.strangers().isTellingItsCluster(directory)) {
            other.close();
            return false;
        }
        hasCome = true;
        faults.crash(id, FaultInjector.duration(random));
        cluster.strangers().come(other, directory, clients.recoverElsewhere(cluster, id));
        faults.later(FaultInjector.duration(random), cluster.strangers()::end);
        return true;
    }

    /** Until the server has executed so much, or nothing comes of it. */
    private static void live(Cluster other, Workload clients, EventQueue time, int id, long positions) {
        other.configured().forEach(other::start);
        other.start(id);
        clients.start(other);
        while (time.nowMicros() < LIFE_MICROS
                && (other.host(id) == null || other.host(id).position() < positions)
                && time.step()) {
            // A cluster in which nothing goes wrong.
        }
    }
}
