package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.maintenance.Departure;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Servers are stopped as operators stop them: they are told, have somebody else lead, let their clients go, and end in
 * an orderly way, unless they crash meanwhile. Mostly the leader, at times two at about the same time.
 */
final class LeaveFaults {
    private static final long STOP_MICROS = Departure.STOP_MILLIS * 1_000;
    private static final long LOOK_MICROS = 10_000;
    private static final long TOGETHER_MICROS = 200_000;
    private static final long CLOSING_MICROS = 300_000;

    private final Cluster cluster;
    private final FaultInjector faults;

    /**
     * @param cluster whose servers are stopped
     * @param faults crashes replicas, and waits
     */
    LeaveFaults(Cluster cluster, FaultInjector faults) {
        this.cluster = cluster;
        this.faults = faults;
    }

    /** One is stopped, or two. */
    void begin(SplittableRandom random) {
        int first = any(cluster.members(), random);
        List<Integer> leaders = cluster.members().stream().filter(this::leads).toList();
        if (!leaders.isEmpty() && random.nextInt(3) != 0) {
            first = any(leaders, random);
        }
        int second = any(cluster.members(), random);
        SplittableRandom ofSecond = random.split();
        boolean runs = cluster.host(first) != null;
        stop(first, FaultInjector.duration(random), random, () -> {
            if (runs) {
                faults.tookEffect(Fault.LEAVE);
            }
        });
        if (second != first && ofSecond.nextInt(3) == 0) {
            faults.later(
                    ofSecond.nextLong(TOGETHER_MICROS),
                    () -> stop(second, FaultInjector.duration(ofSecond), ofSecond, () -> {}));
        }
    }

    private static int any(List<Integer> ids, SplittableRandom random) {
        return ids.get(random.nextInt(ids.size()));
    }

    private boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LEADER;
    }

    /**
     * A server is stopped, and started again later.
     *
     * @param id of the server
     * @param downMicros how long it is down
     * @param random when it ends, and how
     * @param whenDown happens when it has ended, or at once if it does not run
     */
    void stop(int id, long downMicros, SplittableRandom random, Runnable whenDown) {
        ReplicaHost host = cluster.host(id);
        if (host == null) {
            whenDown.run();
            return;
        }
        later(host, 0, () -> {
            if (!host.isLeaving()) {
                host.leave();
                planEnd(host, downMicros, random, whenDown);
            }
        });
    }

    private void planEnd(ReplicaHost host, long downMicros, SplittableRandom random, Runnable whenDown) {
        if (random.nextInt(4) == 0) {
            later(host, random.nextLong(STOP_MICROS), () -> {
                faults.crash(host.id(), downMicros);
                whenDown.run();
            });
        }
        long closingMicros = random.nextInt(3) == 0 ? random.nextLong(CLOSING_MICROS) : 0;
        Runnable end = () -> {
            cluster.ending().letClientsGo(host);
            later(host, closingMicros, () -> {
                cluster.ending().close(host);
                whenDown.run();
                faults.later(downMicros, () -> cluster.start(host.id()));
            });
        };
        if (random.nextBoolean()) {
            awaitSuccessor(host, STOP_MICROS, end);
        } else {
            later(host, random.nextLong(STOP_MICROS), end);
        }
    }

    /** As the product does: who leads waits until somebody else does, for so long. */
    private void awaitSuccessor(ReplicaHost host, long leftMicros, Runnable end) {
        if (host.status().role() != Role.LEADER || leftMicros <= 0) {
            end.run();
        } else {
            later(host, LOOK_MICROS, () -> awaitSuccessor(host, leftMicros - LOOK_MICROS, end));
        }
    }

    /** Where a server does something itself: when it is awake, and if it lives. */
    private void later(ReplicaHost host, long delayMicros, Runnable action) {
        faults.later(
                delayMicros,
                () -> cluster.later(host, 0, () -> {
                    if (!faults.areStopped()) {
                        action.run();
                    }
                }));
    }
}
