package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A membership on top of values that are lost. A leader that is cut off proposes some values, and behind them to remove
 * one member. The others, which have been told of another ensemble by then, remove another member at an earlier
 * position. Then their leader is cut off, and the former one is back: a candidate finds the membership behind all that
 * is decided, and it is two changes away from the one in force.
 */
final class OverhangFaults {
    private static final int LEAST_PARTICIPANTS = 5;
    private static final int FEWEST_VALUES = 5;
    private static final int MOST_VALUES = 14;
    private static final long HOLD_MICROS = 1_500_000;
    private static final long TOLD_MICROS = 1_000_000;
    private static final long MEETING_MICROS = 1_000_000;

    private final Cluster cluster;
    private final Stories stories;
    private SplittableRandom random;
    private boolean busy;
    private Ensemble whole;
    private List<Integer> others = List.of();
    private int deposed;
    private int kept;
    private int removed;
    private long before;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     */
    OverhangFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
    }

    /** Begins, unless nobody leads, the members are not those configured, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        boolean isSettled = cluster.checker().membership().replicaIds().equals(participants);
        if (busy || leaders.isEmpty() || !isSettled || participants.size() < LEAST_PARTICIPANTS) {
            return;
        }
        busy = true;
        random = ofFault;
        whole = cluster.ensemble();
        deposed = leaders.get(0);
        participants.remove((Integer) deposed);
        kept = participants.get(random.nextInt(participants.size()));
        others = List.copyOf(participants);
        participants.remove((Integer) kept);
        removed = participants.get(random.nextInt(participants.size()));
        before = cluster.checker().lastPosition();
        cluster.members().forEach(stories::isolate);
        int values = FEWEST_VALUES + random.nextInt(MOST_VALUES - FEWEST_VALUES);
        stories.await(HOLD_MICROS, () -> proposed().size() >= values, this::wantOneAway, this::end);
    }

    private List<ByteSlice> proposed() {
        return cluster.replica(deposed).log().bodiesAbove(before);
    }

    private void wantOneAway() {
        cluster.ensembles().wanted(without(kept), random);
        stories.await(HOLD_MICROS, this::hasProposedMembership, this::wantAnotherAway, this::end);
    }

    private Ensemble without(int id) {
        List<Integer> participants = new ArrayList<>(whole.participants());
        participants.remove((Integer) id);
        return new Ensemble(participants, whole.observers());
    }

    private boolean hasProposedMembership() {
        return proposed().stream().anyMatch(body -> OrderChecker.membershipIn(body) != null);
    }

    /** All but the deposed leader, which stands still, know of it when they meet. */
    private void wantAnotherAway() {
        cluster.pause(deposed, 4 * HOLD_MICROS);
        cluster.ensembles().wanted(without(removed), random);
        stories.later(TOLD_MICROS, () -> {
            stories.separate(List.of(deposed));
            stories.await(HOLD_MICROS, () -> !cluster.checker().membership().contains(removed), this::meet, this::end);
        });
    }

    /** Without the leader that has removed a member, and that member. */
    private void meet() {
        List<Integer> together = new ArrayList<>(others);
        together.removeIf(id -> id == removed || stories.leads(id));
        together.add(deposed);
        cluster.members().forEach(stories::isolate);
        for (int one : together) {
            for (int other : together) {
                if (one != other) {
                    cluster.network().heal(one, other);
                }
            }
        }
        stories.reached(Fault.OVERHANG);
        cluster.resume(deposed);
        stories.later(MEETING_MICROS + random.nextLong(MEETING_MICROS), this::end);
    }

    private void end() {
        busy = false;
        cluster.resume(deposed);
        stories.reunite();
        cluster.ensembles().wanted(whole, random);
    }
}
