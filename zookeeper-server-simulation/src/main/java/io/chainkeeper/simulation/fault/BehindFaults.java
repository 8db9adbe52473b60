package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A minority is left behind. What it has accepted meanwhile is decided to be something else. One of it is let back in,
 * and for a while it is the only one that the rest of the minority reaches, which must not be told of what lies or lay
 * in its log. Either it gets a state, or it reads its log for a laggard all the time, from a disk that gives no answer.
 */
final class BehindFaults {
    private static final long LONG_MICROS = 1_500_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final FaultInjector faults;
    private final OvertakenReadFaults overtaken;
    private long behindUntilMicros;

    /**
     * @param events virtual time
     * @param cluster that suffers
     * @param faults cuts links, and knows whether faults have stopped
     * @param stories how the one is told that goes step by step
     */
    BehindFaults(EventQueue events, Cluster cluster, FaultInjector faults, Stories stories) {
        this.events = events;
        this.cluster = cluster;
        this.faults = faults;
        this.overtaken = new OvertakenReadFaults(cluster, stories);
    }

    /** Begins, and draws from that, unless the last minority is not back yet; whether it has had an effect at once. */
    boolean begin(Fault fault, SplittableRandom random) {
        if (fault == Fault.READ_OVERTAKEN) {
            overtaken.begin(random);
            return false;
        }
        List<Integer> behind = minority(random);
        if (events.nowMicros() < behindUntilMicros || behind.size() < 2) {
            return false;
        }
        int first = behind.get(random.nextInt(behind.size()));
        long split = LONG_MICROS / 2 + random.nextLong(LONG_MICROS);
        long after = random.nextLong(LONG_MICROS);
        behindUntilMicros = events.nowMicros() + split + after;
        if (fault == Fault.READ_LATE) {
            readLate(behind, first, split, 1 + after, random);
        } else {
            for (int one : behind) {
                cutOff(one, others(behind), one == first ? split : split + after);
            }
            others(behind).forEach(other -> faults.forget(other, split));
        }
        return true;
    }

    private void cutOff(int one, List<Integer> others, long duration) {
        for (int other : others) {
            faults.cutDirection(one, other, duration);
            faults.cutDirection(other, one, duration);
        }
    }

    /**
     * The laggard misses something before, so that the log has to be read for it, and asks only when the log holds what
     * the minority has accepted alone.
     */
    private void readLate(List<Integer> behind, int first, long split, long after, SplittableRandom random) {
        long alone = LONG_MICROS / 4 + random.nextLong(LONG_MICROS / 2);
        behindUntilMicros += alone;
        List<Integer> rest = new ArrayList<>(behind);
        rest.remove((Integer) first);
        int laggard = rest.remove(random.nextInt(rest.size()));
        rest.add(first);
        List<Integer> others = others(behind);
        cutOff(laggard, rest, alone + random.nextLong(split / 2));
        cutOff(laggard, others, alone + split + after);
        long answered = split + random.nextLong(after);
        faults.later(alone, () -> {
            rest.forEach(one -> cutOff(one, others, one == first ? split : split + after));
            cluster.hangingDisks().hangOwn(first, Unanswered.READS, answered);
        });
    }

    private List<Integer> others(List<Integer> behind) {
        List<Integer> others = new ArrayList<>(cluster.members());
        others.removeAll(behind);
        return others;
    }

    /** As many participants as the others can do without, one that leads among them mostly. Some of the others too. */
    private List<Integer> minority(SplittableRandom random) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        int most = (participants.size() - 1) / 2;
        List<Integer> chosen = new ArrayList<>();
        while (chosen.size() < most) {
            List<Integer> leaders = participants.stream().filter(this::leads).toList();
            boolean prefersLeader = random.nextInt(4) != 0 && !leaders.isEmpty();
            List<Integer> from = prefersLeader ? leaders : participants;
            Integer next = from.get(random.nextInt(from.size()));
            chosen.add(next);
            participants.remove(next);
        }
        for (int id : cluster.ensemble().observers()) {
            if (random.nextBoolean()) {
                chosen.add(id);
            }
        }
        return chosen;
    }

    private boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LEADER;
    }
}
