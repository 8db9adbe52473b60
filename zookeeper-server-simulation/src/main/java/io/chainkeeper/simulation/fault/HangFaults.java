package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Disks that give no answer while the processes that wait for them live: the own one of a replica, and shared ones, for
 * all replicas or for one. They hang for longer than any timeout, until the process is killed, or until faults stop.
 */
final class HangFaults {
    /** Longer than any timeout of a protocol that is drawn. */
    private static final long LEAST_MICROS = 1_500_000;

    private static final long MORE_MICROS = 3_000_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final HangingDisks disks;
    private final SwarmOptions options;
    private final FaultInjector faults;

    /**
     * @param events virtual time
     * @param cluster whose disks they are
     * @param options say when faults stop
     * @param faults kills processes
     */
    HangFaults(EventQueue events, Cluster cluster, SwarmOptions options, FaultInjector faults) {
        this.events = events;
        this.cluster = cluster;
        this.disks = cluster.hangingDisks();
        this.options = options;
        this.faults = faults;
    }

    /** Nothing hangs for longer than until faults stop: a part that waits for a disk lets no run go on before. */
    private long micros(SplittableRandom random) {
        long left = Math.max(1, options.safetyMicros() - events.nowMicros());
        boolean untilTheEnd = random.nextInt(3) == 0;
        return untilTheEnd ? left : Math.min(left, LEAST_MICROS + random.nextLong(MORE_MICROS));
    }

    /** Writes, reads, or both. */
    static Unanswered drawUnanswered(SplittableRandom random) {
        Unanswered[] all = Unanswered.values();
        return all[random.nextInt(all.length)];
    }

    /** A replica's own disk. At times the process is killed meanwhile, and the disk is back then, or not yet. */
    boolean hangOwn(int replica, SplittableRandom random) {
        if (!cluster.replica(replica).isRunning()) {
            return false;
        }
        long micros = micros(random);
        boolean hangs = disks.hangOwn(replica, drawUnanswered(random.split()), micros);
        if (random.nextBoolean()) {
            boolean helps = random.nextBoolean();
            faults.later(random.nextLong(micros), () -> {
                faults.crash(replica, FaultInjector.duration(random));
                if (helps) {
                    disks.answerOwn(replica);
                }
            });
        }
        return hangs;
    }

    /** Some of the shared disks, or all, for one replica or for all. */
    boolean hangShared(int replica, SplittableRandom random) {
        int all = cluster.sharedDisks().count();
        int first = random.nextInt(all);
        int minority = (all - 1) / 2;
        boolean isMinority = random.nextBoolean();
        int count = isMinority ? 1 + random.nextInt(minority) : minority + 1 + random.nextInt(minority + 1);
        boolean forAll = isMinority && random.nextBoolean();
        long micros = micros(random);
        boolean hangs = false;
        for (int id : forAll ? cluster.members() : List.of(replica)) {
            for (int i = 0; i < count; i++) {
                hangs |= disks.hangShared(id, (first + i) % all, micros)
                        && cluster.replica(id).isRunning();
            }
        }
        if (random.nextInt(3) == 0) {
            faults.later(random.nextLong(micros), () -> faults.crash(replica, FaultInjector.duration(random)));
        }
        return hangs;
    }
}
