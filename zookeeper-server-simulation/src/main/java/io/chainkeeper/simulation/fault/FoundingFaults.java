package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Founding of a cluster as it goes wrong: replicas with empty disks start at times of their own, some of them seconds
 * after the others and some only when faults have stopped. Time and again it changes who reaches whom, and at that
 * moment some crash and some of these lose their disks: so a founder that has been alone for a while meets disks that
 * have taken the place of others.
 */
public final class FoundingFaults {
    private static final long SOON_MICROS = 300_000;
    private static final long LATE_MICROS = 3_000_000;
    private static final long WATCH_MICROS = 1_000;
    private static final long APART_MICROS = 1_000_000;
    private static final int OF_FOUNDERS_SEEN = 4;

    private final EventQueue events;
    private final SplittableRandom random;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Cluster cluster;
    private final MembershipFaults membership;
    private final FaultInjector faults;

    /** Founders that are down, or reach only those that have lost a disk. */
    private final List<Integer> apart = new ArrayList<>();

    private long apartUntilMicros;

    /**
     * @param events virtual time
     * @param random what is drawn
     * @param options of the run
     * @param decisions what of it happens
     * @param cluster that is founded
     * @param membership knows which disks may be lost
     * @param faults crashes and restarts replicas
     */
    FoundingFaults(
            EventQueue events,
            SplittableRandom random,
            SwarmOptions options,
            Decisions decisions,
            Cluster cluster,
            MembershipFaults membership,
            FaultInjector faults) {
        this.events = events;
        this.random = random;
        this.options = options;
        this.decisions = decisions;
        this.cluster = cluster;
        this.membership = membership;
        this.faults = faults;
    }

    /** Plans the first start of each replica. */
    void start() {
        long soon = 1 + random.nextLong(SOON_MICROS);
        for (int id : options.late()) {
            int chance = random.nextInt(8);
            if (chance != 0) {
                long within = chance == 1 ? LATE_MICROS : soon;
                events.after(1 + random.nextLong(within), () -> cluster.start(id));
            }
        }
        watch();
    }

    /** Looks for founders that have promised nothing: for a moment they know of no write that others decide. */
    private void watch() {
        events.after(1 + random.nextLong(WATCH_MICROS), () -> {
            if (!faults.areStopped()) {
                for (int id : cluster.ensemble().participants()) {
                    if (cluster.replica(id).isRunning()
                            && cluster.replica(id).log().hasOnlyFounded()) {
                        keepApart(id);
                    }
                }
                watch();
            }
        });
    }

    /** A founder goes down before it promises anything, and the others have time to decide something without it. */
    private void keepApart(int id) {
        List<Integer> participants = cluster.ensemble().participants();
        long others = participants.stream()
                .filter(other -> other != id && cluster.replica(other).isRunning())
                .count();
        boolean canDecide = others > participants.size() / 2;
        if (!canDecide || apart.size() == minority() || random.nextInt(OF_FOUNDERS_SEEN) != 0) {
            return;
        }
        SplittableRandom ofFault = random.split();
        if (!decisions.happens("apart")) {
            return;
        }
        decisions.tookEffect("apart");
        cluster.crash(id);
        if (apart.isEmpty()) {
            long split = APART_MICROS / 2 + ofFault.nextLong(APART_MICROS);
            apartUntilMicros = events.nowMicros() + split + APART_MICROS / 2 + ofFault.nextLong(APART_MICROS);
            events.after(1 + split, () -> reunite(ofFault));
        }
        apart.add(id);
    }

    private int minority() {
        return (cluster.ensemble().participants().size() - 1) / 2;
    }

    /** The founders come back, and reach only replicas that have lost their disks meanwhile. */
    private void reunite(SplittableRandom ofFault) {
        if (faults.areStopped()) {
            return;
        }
        List<Integer> others = new ArrayList<>(cluster.ensemble().participants());
        others.removeAll(apart);
        List<Integer> group = new ArrayList<>(apart);
        for (int losses = 0; losses < minority(); losses++) {
            Integer next = others.remove(ofFault.nextInt(others.size()));
            group.add(next);
            faults.crash(next, FaultInjector.duration(ofFault));
            loseDiskIfAllowed(next, ofFault);
        }
        separate(group, 0);
        apart.forEach(cluster::start);
        apart.clear();
    }

    /**
     * Former cuts heal, a group is cut off from the others or none is, and some replicas fall; unless founders are kept
     * apart.
     *
     * @return whether somebody is cut off or has fallen
     */
    boolean regroup(SplittableRandom ofFault) {
        if (events.nowMicros() < apartUntilMicros) {
            return false;
        }
        boolean all = ofFault.nextInt(4) == 0;
        List<Integer> group = cluster.members().stream()
                .filter(id -> all || ofFault.nextBoolean())
                .toList();
        separate(group, ofFault.nextInt(8)); // mostly both directions
        boolean hits = cluster.network().cuts() > 0;
        for (int id : cluster.members()) {
            if (cluster.replica(id).incarnation() > 0 && ofFault.nextInt(3) == 0) {
                hits |= cluster.replica(id).isRunning();
                fall(id, ofFault);
            }
        }
        return hits;
    }

    private void separate(List<Integer> group, int directions) {
        for (int one : cluster.members()) {
            for (int other : cluster.members()) {
                if (one < other) {
                    boolean separated = group.contains(one) != group.contains(other);
                    set(one, other, separated && directions != 1);
                    set(other, one, separated && directions != 2);
                }
            }
        }
    }

    private void set(int from, int to, boolean cut) {
        if (cut) {
            cluster.network().cut(from, to);
        } else {
            cluster.network().heal(from, to);
        }
    }

    /** What of its last records reaches the disk is known only when it is down, and so what it is that is lost. */
    private void fall(int id, SplittableRandom ofFault) {
        faults.crash(id, FaultInjector.duration(ofFault));
        if (ofFault.nextBoolean()) {
            loseDiskIfAllowed(id, ofFault);
        }
    }

    private void loseDiskIfAllowed(int id, SplittableRandom ofFault) {
        if (membership.mayLoseDiskWhileFounding(id)) {
            faults.emptyDisk(id, ofFault);
        }
    }
}
