package io.chainkeeper.simulation.fault;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.StoredLog;
import io.chainkeeper.simulation.time.EventQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * All servers fall, and all but one lose their disks. An operator has that one go on alone, and it crashes some more
 * times. The others come with empty directories as early as they may: never so many of them at once that they could
 * found a cluster of their own. Once in a run, and only if the survivor has everything that anybody has delivered. So
 * nothing is lost that a checker knows of, and all of them hold as ever.
 */
final class SurvivorFaults {
    private static final long LOOK_MICROS = 5_000;
    private static final int MOST_CRASHES = 4;
    private static final long CRASHES_WITHIN_MICROS = 2_000_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final FaultInjector faults;

    /** Who has not come yet. */
    private final Deque<Integer> others = new ArrayDeque<>();

    private boolean hasHappened;

    /**
     * @param events virtual time
     * @param cluster that suffers
     * @param faults crashes replicas, and waits
     */
    SurvivorFaults(EventQueue events, Cluster cluster, FaultInjector faults) {
        this.events = events;
        this.cluster = cluster;
        this.faults = faults;
    }

    /** One server goes on alone, at most once in a run; returns whether it does. */
    boolean goOnAlone(int survivor, SplittableRandom random) {
        if (hasHappened || !cluster.hasVoted(survivor) || cluster.checker().lastPosition() == 0) {
            return false;
        }
        for (int id : cluster.members()) {
            faults.crash(id, FaultInjector.duration(random));
        }
        if (!hasEverything(survivor) || !ask(survivor, random)) {
            return false; // all fell, and come back
        }
        hasHappened = true;
        cluster.checker().goesOnAlone(survivor);
        others.addAll(cluster.members());
        others.remove(survivor);
        others.forEach(id -> {
            cluster.gone().add(id);
            cluster.loseDisk(id);
        });
        bringBack();
        int crashes = random.nextInt(MOST_CRASHES);
        for (int i = 0; i < crashes; i++) {
            long at = 1 + random.nextLong(1 + random.nextLong(CRASHES_WITHIN_MICROS));
            long down = FaultInjector.duration(random);
            faults.later(at, () -> faults.crash(survivor, down));
        }
        return true;
    }

    /** Whether nobody is left who is going to come with an empty directory. */
    boolean haveAllCome() {
        return others.isEmpty();
    }

    /** What a log says above the state that covers it need not be what was decided. */
    private boolean hasEverything(int survivor) {
        StoredLog log = cluster.replica(survivor).log();
        for (long i = log.coveredPosition() + 1; i <= cluster.checker().lastPosition(); i++) {
            LogRecord record = log.at(i);
            if (record == null || !record.body().equals(cluster.checker().value(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean ask(int survivor, SplittableRandom random) {
        UUID name = new UUID(random.nextLong(), random.nextLong());
        Path directory = cluster.replica(survivor).log().disk().root().resolve(OrderingConfig.ORDERING_DIRECTORY);
        try {
            if (ClusterIdentity.read(directory) == null) {
                return false;
            }
            new NewClusterRequest(survivor, name, Instant.EPOCH).write(directory);
            return true;
        } catch (IOException e) {
            return false; // the disk is full or fails: the operator's command says so, and nothing was asked
        }
    }

    /** The next one comes when a majority is not blank any more, or was not with it. */
    private void bringBack() {
        List<Integer> participants = cluster.ensemble().participants();
        while (!others.isEmpty() && mayCome(others.peek(), participants)) {
            int next = others.remove();
            cluster.gone().remove(next);
            cluster.start(next);
        }
        if (!others.isEmpty()) {
            events.after(LOOK_MICROS, this::bringBack);
        }
    }

    private boolean mayCome(int next, List<Integer> participants) {
        long blank = participants.stream()
                .filter(id -> id == next || !cluster.gone().contains(id) && !cluster.hasVoted(id))
                .count();
        return blank < Membership.initial(1, participants).quorum();
    }
}
