package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A server whose shared disks come to differ. It leads, and is left with one disk, so that only that one has what it
 * writes. Then it crashes, or others depose it and all take checkpoints first. Its next start finds all disks but one,
 * each time perhaps another one. The others are down meanwhile, mostly, so that it leads again.
 */
final class OtherDisksFaults {
    private static final int MOST_STARTS = 6;
    private static final long LEADS_MICROS = 2_000_000;
    private static final int MOST_ENTRIES = 3;
    private static final long DECIDES_MICROS = 500_000;
    private static final long PROPOSES_MICROS = 600_000;
    private static final long WRITES_MICROS = 100_000;
    private static final long CHECKPOINTS_MICROS = 1_000_000;
    private static final long AT_ONCE_MICROS = 2_000;
    private static final long SOON_MICROS = 100_000;

    private final Cluster cluster;
    private final Stories stories;
    private final FaultInjector faults;
    private final SharedDiskArray disks;
    private SplittableRandom random;
    private boolean isBusy;
    private boolean hasReached;
    private int server;
    private int startsLeft;

    /** Disks that do not answer the server. */
    private Set<Integer> away = Set.of();

    /** The disk that it was left with last. */
    private int left;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param faults take checkpoints
     */
    OtherDisksFaults(Cluster cluster, Stories stories, FaultInjector faults) {
        this.cluster = cluster;
        this.stories = stories;
        this.faults = faults;
        this.disks = cluster.sharedDisks();
    }

    /** Begins, unless the server that is drawn is down, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = cluster.ensemble().participants();
        int drawn = participants.get(ofFault.nextInt(participants.size()));
        if (isBusy || cluster.host(drawn) == null) {
            return;
        }
        isBusy = true;
        hasReached = false;
        random = ofFault;
        server = drawn;
        startsLeft = 2 + random.nextInt(MOST_STARTS - 1);
        crashOthers();
        awaitLeader();
    }

    private void crashOthers() {
        if (random.nextInt(8) != 0) {
            others().forEach(cluster::crash);
        }
    }

    private List<Integer> others() {
        return cluster.members().stream().filter(id -> id != server).toList();
    }

    private long soonMicros() {
        return 1 + random.nextLong(random.nextBoolean() ? AT_ONCE_MICROS : SOON_MICROS);
    }

    private void awaitLeader() {
        stories.await(LEADS_MICROS, () -> stories.leads(server), this::lead, this::lead);
    }

    /** What it has taken up is decided mostly, before it is left with one disk. */
    private void lead() {
        if (startsLeft == 0) {
            end();
            return;
        }
        if (random.nextInt(4) == 0) {
            reach(Set.of());
        }
        Runnable next =
                () -> stories.await(PROPOSES_MICROS, () -> underWay() > 0, this::leaveOneDisk, this::leaveOneDisk);
        stories.await(random.nextInt(4) == 0 ? 0 : DECIDES_MICROS, () -> underWay() == 0, next, next);
    }

    private void reach(Set<Integer> allBut) {
        away = allBut;
        for (int number = 0; number < disks.count(); number++) {
            disks.disk(number).answer(server, !away.contains(number));
        }
    }

    private void leaveOneDisk() {
        Set<Integer> others = new TreeSet<>();
        IntStream.range(0, disks.count()).forEach(others::add);
        List<Integer> reached =
                others.stream().filter(each -> !away.contains(each)).toList();
        left = reached.get(random.nextInt(reached.size()));
        others.remove(left);
        reach(others);
        int entries = 1 + random.nextInt(MOST_ENTRIES);
        Runnable next = random.nextInt(4) == 0 ? this::depose : this::startAgain;
        Runnable soon = () -> stories.later(soonMicros(), next);
        stories.await(WRITES_MICROS, () -> underWay() >= entries, soon, soon);
    }

    /** What the server has proposed and not decided. */
    private long underWay() {
        ReplicaHost host = cluster.host(server);
        return host == null ? 0 : host.gauges().getOrDefault("proposals_under_way", 0L);
    }

    private void depose() {
        others().forEach(cluster::start);
        Runnable then = () -> stories.later(soonMicros(), () -> {
            cluster.members().forEach(faults::takeCheckpoint);
            stories.later(1 + random.nextLong(CHECKPOINTS_MICROS), this::startAgain);
        });
        stories.await(LEADS_MICROS, () -> others().stream().anyMatch(stories::leads), then, then);
    }

    /** Mostly what it has just written is out of reach. */
    private void startAgain() {
        startsLeft--;
        cluster.crash(server);
        crashOthers();
        Set<Integer> minority = new TreeSet<>();
        if (random.nextInt(4) != 0) {
            minority.add(left);
        }
        while (minority.size() < (disks.count() - 1) / 2) {
            minority.add(random.nextInt(disks.count()));
        }
        reach(minority);
        cluster.start(server);
        if (away.contains(left) && !hasReached) {
            hasReached = true;
            stories.reached(Fault.OTHER_DISKS);
        }
        awaitLeader();
    }

    private void end() {
        isBusy = false;
        reach(Set.of());
        cluster.members().forEach(cluster::start);
    }
}
