package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.SplittableRandom;

/**
 * Links that carry nothing for a while, break, or become slow. Each method draws from what it is given, and returns
 * whether it has touched a link.
 */
final class LinkFaults {
    private static final int MAX_SLOW_FACTOR = 30;
    private static final long LONG_MICROS = 1_500_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final int replicas;
    private final Splits splits;

    /**
     * @param events virtual time
     * @param cluster whose links they are
     * @param replicas their ids are 1 to this
     */
    LinkFaults(EventQueue events, Cluster cluster, int replicas) {
        this.events = events;
        this.cluster = cluster;
        this.replicas = replicas;
        this.splits = new Splits(events, replicas);
    }

    /** @param directions 0 for both, 1 for the way back only, 2 for the way there only */
    boolean cut(int one, int other, int directions, SplittableRandom random) {
        if (one == other) {
            return false;
        }
        long duration = FaultInjector.duration(random);
        if (directions != 1) {
            cutDirection(one, other, duration);
        }
        if (directions != 2) {
            cutDirection(other, one, duration);
        }
        return true;
    }

    void cutDirection(int from, int to, long duration) {
        cluster.network().cut(from, to);
        events.after(duration, () -> cluster.network().heal(from, to));
    }

    boolean isolate(int replica, SplittableRandom random) {
        int directions = random.nextInt(3);
        boolean touches = false;
        for (int other = 1; other <= replicas; other++) {
            touches |= cut(replica, other, directions, random);
        }
        return touches;
    }

    private static long partitionMicros(SplittableRandom random) {
        return random.nextBoolean() ? FaultInjector.duration(random) : random.nextLong(LONG_MICROS);
    }

    /** Any directed pairs are cut; see {@link Splits}. */
    boolean split(SplittableRandom random) {
        return splits.split(cluster.network(), random, () -> partitionMicros(random));
    }

    /** Cuts a group off from the rest. Each link between them heals in its own time. */
    boolean partition(SplittableRandom random) {
        long group = random.nextLong(1L << replicas);
        long least = partitionMicros(random);
        int directions = random.nextInt(3);
        boolean touches = false;
        for (int one = 1; one <= replicas; one++) {
            for (int other = 1; other <= replicas; other++) {
                if ((group >> one - 1 & 1) == 1 && (group >> other - 1 & 1) == 0) {
                    touches = true;
                    long duration = least + FaultInjector.duration(random);
                    if (directions != 1) {
                        cutDirection(one, other, duration);
                    }
                    if (directions != 2) {
                        cutDirection(other, one, duration);
                    }
                }
            }
        }
        return touches;
    }

    /** The connections of a pair break, if there are any. */
    boolean breakLink(int replica, int other) {
        boolean isUp = other != replica && cluster.host(replica) != null && cluster.host(other) != null;
        if (other != replica) {
            cluster.network().breakLink(replica, other);
        }
        return isUp;
    }

    boolean slow(int replica, int other, SplittableRandom random) {
        if (other == replica) {
            return false;
        }
        int factor = 1 + random.nextInt(MAX_SLOW_FACTOR);
        cluster.network().slow(replica, other, factor);
        events.after(FaultInjector.duration(random), () -> cluster.network().slow(replica, other, 1));
        return factor > 1;
    }
}
