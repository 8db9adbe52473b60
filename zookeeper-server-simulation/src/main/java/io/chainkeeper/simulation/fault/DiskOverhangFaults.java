package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A membership on top of values that are lost, on shared disks. A leader of three is left with the first disk, which
 * the others do not reach. It proposes some values, and behind them to remove the second of the others. They remove the
 * leader instead, at an earlier position. Then their leader is gone, and the last one takes over with the first disk.
 */
final class DiskOverhangFaults {
    private static final int PARTICIPANTS = 3;
    private static final long HOLD_MICROS = 1_500_000;
    private static final long VALUES_MICROS = 100_000;
    private static final long TOLD_MICROS = 150_000;
    private static final long MEETING_MICROS = 1_000_000;

    private final Cluster cluster;
    private final Stories stories;
    private final SharedDiskArray disks;
    private SplittableRandom random;
    private boolean busy;
    private Ensemble whole;
    private int deposed;
    private int first;
    private int last;

    DiskOverhangFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
        this.disks = cluster.sharedDisks();
    }

    /** Begins, unless nobody leads three members that are those configured, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        boolean isSettled = cluster.checker().membership().replicaIds().equals(participants);
        if (busy || leaders.isEmpty() || !isSettled || participants.size() != PARTICIPANTS) {
            return;
        }
        busy = true;
        random = ofFault;
        whole = cluster.ensemble();
        deposed = leaders.get(0);
        participants.remove((Integer) deposed);
        first = participants.remove(random.nextInt(participants.size()));
        last = participants.get(0);
        stories.isolate(deposed);
        for (int disk = 0; disk < disks.count(); disk++) {
            disks.disk(disk).answer(deposed, disk == 0);
            disks.disk(disk).answer(first, false);
            disks.disk(disk).answer(last, false);
        }
        stories.await(VALUES_MICROS, () -> underWay() > 0, this::wantOneAway, this::end);
    }

    private long underWay() {
        ReplicaHost host = cluster.host(deposed);
        return host == null ? 0 : host.gauges().getOrDefault("proposals_under_way", 0L);
    }

    /** Values go on coming until the leader hears of it. */
    private void wantOneAway() {
        want(List.of(deposed, first));
        stories.later(TOLD_MICROS, () -> {
            cluster.pause(deposed, 4 * HOLD_MICROS);
            reach(first, 0);
            reach(last, 0);
            want(List.of(first, last));
            stories.await(HOLD_MICROS, this::isRemoved, this::meet, this::end);
        });
    }

    private void want(List<Integer> participants) {
        cluster.ensembles().wanted(new Ensemble(participants.stream().sorted().toList(), whole.observers()), random);
    }

    private boolean isRemoved() {
        return !cluster.checker().membership().contains(deposed);
    }

    /** All disks but one. */
    private void reach(int server, int without) {
        for (int disk = 0; disk < disks.count(); disk++) {
            disks.disk(disk).answer(server, disk != without);
        }
    }

    private void meet() {
        int leading = stories.leads(first) ? first : last;
        int next = leading == first ? last : first;
        cluster.crash(leading);
        reach(next, disks.count() - 1);
        stories.reached(Fault.OVERHANG);
        stories.await(HOLD_MICROS, () -> stories.leads(next), this::endLater, this::end);
    }

    private void endLater() {
        stories.later(random.nextLong(MEETING_MICROS), this::end);
    }

    private void end() {
        busy = false;
        cluster.resume(deposed);
        stories.reunite();
        cluster.members().forEach(id -> reach(id, -1));
        cluster.members().forEach(cluster::start);
        cluster.ensembles().wanted(whole, random);
    }
}
