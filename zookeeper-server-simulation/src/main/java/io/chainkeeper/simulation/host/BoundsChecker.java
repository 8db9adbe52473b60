package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.replica.Replica;
import java.util.HashMap;
import java.util.Map;

/**
 * Nothing in a replica grows without a bound: whenever its protocol has worked, or something has arrived for it, no
 * queue, window or buffer of the replica holds more than it may.
 * What may pass a bound is as large as the largest that the run has seen. One for all replicas of a run.
 */
public final class BoundsChecker implements Occupancy {
    /**
     * The most that something has held in a run.
     *
     * @param held the most
     * @param bound what it might have held
     */
    public record Peak(long held, long bound) {
        private double share() {
            return bound == 0 ? 0 : (double) held / bound;
        }

        /** The one that was closer to its bound. */
        public Peak or(Peak other) {
            return share() >= other.share() ? this : other;
        }
    }

    /** What a host records of itself is shorter. */
    private static final long SMALL_RECORD_BYTES = 256;

    /** By the ordinal of what has been seen. */
    private final long[] largest = new long[Slack.values().length];

    private final Map<String, Peak> peaks = new HashMap<>();
    private int replica;

    /** Nothing has been seen yet. */
    public BoundsChecker() {
        seen(Slack.ONE_RECORD, SMALL_RECORD_BYTES);
    }

    /** Something of this kind has been seen, of so many bytes with all that it costs. */
    void seen(Slack kind, long bytes) {
        largest[kind.ordinal()] = Math.max(largest[kind.ordinal()], bytes);
    }

    /** A piece of a replica's work has ended, or something has arrived there. */
    void check(int id, Replica running) {
        replica = id;
        running.tellOccupancy(this);
    }

    @Override
    public void holds(String name, long held, long bound, Slack slack) {
        if (held > bound + largest[slack.ordinal()]) {
            throw new InvariantViolated("bounds: replica " + replica + " holds " + held + " of " + name
                    + ", the bound is " + bound + ", to be passed by " + slack);
        }
        Peak before = peaks.get(name);
        // Compared without a division: this is done after each event.
        if (before == null || held * Math.max(1, before.bound()) > before.held() * Math.max(1, bound)) {
            peaks.put(name, new Peak(held, bound));
        }
    }

    /** The most that each has held, by name. */
    public Map<String, Peak> peaks() {
        return peaks;
    }
}
