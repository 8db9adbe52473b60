package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Network;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Cuts any set of directed pairs at once: groups that do not reach each other, in both directions or in one, also with
 * one replica that belongs to all of them; or pairs without any plan. They heal in parts, in any order.
 */
final class Splits {
    private static final int MAX_PARTS = 4;

    private final EventQueue events;
    private final int replicas;

    /**
     * @param events virtual time
     * @param replicas their ids are 1 to this
     */
    Splits(EventQueue events, int replicas) {
        this.events = events;
        this.replicas = replicas;
    }

    private enum Shape {
        GROUPS,
        GROUPS_ONE_WAY,
        GROUPS_WITH_BRIDGE,
        ANY_PAIRS
    }

    /**
     * Cuts, and plans the healing.
     *
     * @param network that is split
     * @param random what is drawn
     * @param durations how long each part stays cut
     * @return whether anything was cut
     */
    boolean split(Network network, SplittableRandom random, LongSupplier durations) {
        List<Runnable> healings = new ArrayList<>();
        Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
        int groups = 2 + random.nextInt(Math.max(1, replicas - 1));
        int[] groupOf = random.ints(replicas + 1, 0, groups).toArray();
        int bridge = shape == Shape.GROUPS_WITH_BRIDGE ? 1 + random.nextInt(replicas) : 0;
        int ofFour = 1 + random.nextInt(3);
        for (int from = 1; from <= replicas; from++) {
            for (int to = 1; to <= replicas; to++) {
                boolean cut = switch (shape) {
                    case GROUPS -> groupOf[from] != groupOf[to];
                    case GROUPS_ONE_WAY -> groupOf[from] < groupOf[to];
                    case GROUPS_WITH_BRIDGE -> groupOf[from] != groupOf[to] && from != bridge && to != bridge;
                    case ANY_PAIRS -> from != to && random.nextInt(4) < ofFour;
                };
                if (cut) {
                    int sender = from;
                    int receiver = to;
                    network.cut(sender, receiver);
                    healings.add(() -> network.heal(sender, receiver));
                }
            }
        }
        heal(healings, random, durations);
        return !healings.isEmpty();
    }

    private void heal(List<Runnable> healings, SplittableRandom random, LongSupplier durations) {
        long[] afterMicros = new long[1 + random.nextInt(MAX_PARTS)];
        for (int part = 0; part < afterMicros.length; part++) {
            afterMicros[part] = durations.getAsLong();
        }
        for (Runnable healing : healings) {
            events.after(afterMicros[random.nextInt(afterMicros.length)], healing);
        }
    }
}
