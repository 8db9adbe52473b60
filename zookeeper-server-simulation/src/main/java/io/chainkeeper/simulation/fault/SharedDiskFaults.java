package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.SplittableRandom;

/**
 * What goes wrong with the disks that all replicas share, and on the way to them. They may die, answer some servers
 * only, and be lost; servers may stand still between two accesses for as long as others need to take over.
 */
final class SharedDiskFaults {
    private static final int MAX_SLOW_FACTOR = 30;
    private static final long LONG_STALL_MICROS = 3_000_000;
    private static final long LONG_UNTIL_REPLACED_MICROS = 1_500_000;

    /** What a trace says when a shared disk is asked for something. */
    private static final String ASKING = "asks to";

    private final EventQueue events;
    private final Cluster cluster;
    private final SwarmOptions options;
    private final FaultInjector faults;
    private final SharedDiskArray disks;

    /** What the stall draws that comes at the next access of who leads; null if none is due. */
    private SplittableRandom ofStall;

    /**
     * @param events virtual time
     * @param cluster whose disks they are
     * @param options how long accesses take
     * @param faults does something later, unless faults have stopped by then
     */
    SharedDiskFaults(EventQueue events, Cluster cluster, SwarmOptions options, FaultInjector faults) {
        this.events = events;
        this.cluster = cluster;
        this.options = options;
        this.faults = faults;
        this.disks = cluster.sharedDisks();
    }

    private int anyDisk(SplittableRandom random) {
        return random.nextInt(disks.count());
    }

    /** Each method returns whether something is other than before. */
    boolean die(SplittableRandom random) {
        int number = anyDisk(random);
        boolean lived = disks.disk(number).isAlive();
        disks.disk(number).die();
        events.after(FaultInjector.duration(random), () -> disks.disk(number).revive());
        return lived;
    }

    boolean lose(SplittableRandom random) {
        long after =
                random.nextBoolean() ? FaultInjector.duration(random) : random.nextLong(LONG_UNTIL_REPLACED_MICROS);
        return disks.lose(anyDisk(random), after);
    }

    /** The way to a disk leads to another one for a while. */
    boolean exchange(SplittableRandom random) {
        long micros =
                random.nextBoolean() ? FaultInjector.duration(random) : random.nextLong(LONG_UNTIL_REPLACED_MICROS);
        boolean saysSo = cluster.replica(1).follows(HostRule.DISKS_OF_OTHER_CLUSTERS_ARE_REFUSED);
        return disks.exchange(anyDisk(random), micros, saysSo);
    }

    /** A server reaches some disks no more. */
    boolean cut(int server, SplittableRandom random) {
        int first = anyDisk(random);
        int count = 1 + random.nextInt(disks.count());
        long micros = FaultInjector.duration(random);
        for (int i = 0; i < count; i++) {
            int number = (first + i) % disks.count();
            disks.disk(number).answer(server, false);
            events.after(micros, () -> disks.disk(number).answer(server, true));
        }
        return cluster.host(server) != null;
    }

    boolean slow(int server, SplittableRandom random) {
        int factor = 1 + random.nextInt(MAX_SLOW_FACTOR);
        cluster.slowDisk(server, factor);
        events.after(FaultInjector.duration(random), () -> cluster.slowDisk(server, 1));
        return factor > 1 && cluster.host(server) != null;
    }

    boolean arriveLate() {
        return disks.arriveLate();
    }

    /** The next server that leads, or tries to, stands still soon after it has asked a disk for something. */
    void stallAtNextAccess(SplittableRandom random) {
        ofStall = random;
    }

    /** Something has happened at a replica. */
    void happened(int replica, String what) {
        if (ofStall == null || !what.startsWith(ASKING)) {
            return;
        }
        ReplicaHost host = cluster.host(replica);
        boolean matters = host != null && host.status().role() != Role.OBSERVER;
        if (matters && ofStall.nextInt(4) == 0) {
            SplittableRandom random = ofStall;
            ofStall = null;
            long afterMicros = random.nextLong(1 + 3 * options.sharedDisks().maxMicros());
            long micros = random.nextBoolean() ? FaultInjector.duration(random) : random.nextLong(LONG_STALL_MICROS);
            faults.later(afterMicros, () -> {
                cluster.pause(replica, micros);
                faults.tookEffect(Fault.STALL_AT_DISK);
            });
        }
    }
}
