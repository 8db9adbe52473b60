package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.replica.Replica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

    private final Map<String, Cell> cells = new HashMap<>();

    /** In the order in which they were told of the last time, which is mostly that of the next time. */
    private final List<Cell> inOrder = new ArrayList<>();

    private int next;
    private int replica;

    /** A peak that grows: this is done after each event. */
    private static final class Cell {
        private final String name;
        private long held;
        private long bound;

        private Cell(String name) {
            this.name = name;
        }

        private void add(long nowHeld, long nowBound) {
            // Compared without a division.
            if (nowHeld * Math.max(1, bound) > held * Math.max(1, nowBound) || bound == 0 && held == 0) {
                held = nowHeld;
                bound = nowBound;
            }
        }
    }

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
        next = 0;
        running.tellOccupancy(this);
    }

    @Override
    public void holds(String name, long held, long bound, Slack slack) {
        if (held > bound + largest[slack.ordinal()]) {
            throw new InvariantViolated("bounds: replica " + replica + " holds " + held + " of " + name
                    + ", the bound is " + bound + ", to be passed by " + slack);
        }
        cell(name).add(held, bound);
    }

    private Cell cell(String name) {
        if (next < inOrder.size() && inOrder.get(next).name.equals(name)) {
            return inOrder.get(next++);
        }
        Cell cell = cells.computeIfAbsent(name, Cell::new);
        if (next < inOrder.size()) {
            inOrder.set(next, cell);
        } else {
            inOrder.add(cell);
        }
        next++;
        return cell;
    }

    /** The most that each has held, by name. */
    public Map<String, Peak> peaks() {
        Map<String, Peak> peaks = new HashMap<>();
        cells.forEach((name, cell) -> peaks.put(name, new Peak(cell.held, cell.bound)));
        return peaks;
    }
}
