package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.maintenance.Departure;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * What an operator can demand of a healthy ensemble whose leader he stops: somebody else leads before the product stops
 * to wait for that. Of three and more another voter is stopped at the same time; it votes until it ends.
 */
public final class StoppedLeader {
    private static final long BOUND_MICROS = Departure.STOP_MILLIS * 1_000;
    private static final int LEAST_FOR_TWO = 3;

    private final Cluster cluster;
    private final EventQueue events;
    private final Workload.Awaiter awaiter;

    /**
     * @param cluster in which nothing goes wrong any more
     * @param events virtual time
     * @param awaiter lets time pass
     */
    public StoppedLeader(Cluster cluster, EventQueue events, Workload.Awaiter awaiter) {
        this.cluster = cluster;
        this.events = events;
        this.awaiter = awaiter;
    }

    /**
     * Stops a leader, and starts it again when another one leads; nothing if there is nobody else, or one is gone. If a
     * voter starts again meanwhile, because it sees a replaced disk only now, for example, the leader is stopped anew:
     * what is demanded is demanded of servers that stay.
     */
    public void demand() {
        List<Integer> voters = cluster.checker().membership().replicaIds();
        if (voters.size() < 2 || !cluster.gone().isEmpty()) {
            return;
        }
        boolean haveStayed = false;
        while (!haveStayed) {
            haveStayed = stopLeader(voters);
        }
    }

    /** Returns whether all voters have stayed until somebody else led. */
    private boolean stopLeader(List<Integer> voters) {
        awaiter.await("all voters to be linked", () -> voters.stream().allMatch(id -> isLinked(id, voters)));
        // A disk that was slow when faults stopped may still be at what it was told then.
        awaiter.await(
                "all disks to be done with what they were told",
                () -> voters.stream().allMatch(this::isIdle));
        awaiter.await("somebody to lead whom all follow", () -> leader(voters) != 0);
        int leader = leader(voters);
        List<ReplicaHost> hosts = voters.stream().map(cluster::host).toList();
        List<ReplicaHost> leaving = new ArrayList<>();
        leaving.add(cluster.host(leader));
        if (voters.size() >= LEAST_FOR_TWO) {
            leaving.add(cluster.host(voters.get((voters.indexOf(leader) + 1) % voters.size())));
        }
        long begin = events.nowMicros();
        leaving.forEach(ReplicaHost::leave);
        awaiter.await(
                "somebody else to lead",
                () -> !allLive(hosts) || leaving.stream().allMatch(this::followsOneWhoStays));
        boolean haveStayed = allLive(hosts);
        long tookMicros = events.nowMicros() - begin;
        InvariantViolated.check(
                !haveStayed || tookMicros <= BOUND_MICROS,
                "replica %d was to stop, and somebody else led only after %d us, bound %d us",
                leader,
                tookMicros,
                BOUND_MICROS);
        for (ReplicaHost host : leaving) {
            cluster.ending().calm(host.id());
            cluster.start(host.id());
        }
        return haveStayed;
    }

    private static boolean allLive(List<ReplicaHost> hosts) {
        return hosts.stream().allMatch(ReplicaHost::isAlive);
    }

    private boolean isLinked(int id, List<Integer> voters) {
        ReplicaHost host = cluster.host(id);
        return host != null
                && voters.stream()
                        .allMatch(other ->
                                other == id || host.order().linkedPeers().contains(other));
    }

    private boolean isIdle(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.isLogIdle();
    }

    /** Who leads and is followed by all others; 0 if nobody is. */
    private int leader(List<Integer> voters) {
        int leader = 0;
        if (voters.stream().anyMatch(id -> cluster.host(id) == null)) {
            return 0;
        }
        for (int id : voters) {
            leader = cluster.host(id).status().role() == Role.LEADER ? id : leader;
        }
        for (int id : voters) {
            if (cluster.host(id).status().leader() != leader) {
                return 0;
            }
        }
        return leader;
    }

    private boolean followsOneWhoStays(ReplicaHost host) {
        OrderingStatus status = host.status();
        ReplicaHost leader = status.leader() > 0 ? cluster.host(status.leader()) : null;
        return leader != null && !leader.isLeaving();
    }
}
