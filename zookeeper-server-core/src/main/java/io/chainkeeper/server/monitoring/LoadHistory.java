package io.chainkeeper.server.monitoring;

import io.chainkeeper.replica.Latencies;
import io.chainkeeper.replica.LatencyHistogram;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * What this replica's load was lately: one point for each {@value #PERIOD_MILLIS} ms, the newest {@value #POINTS} of
 * them. Safe for use by any thread.
 */
public final class LoadHistory {
    /** How long a point stands for, unless this process was kept from running. */
    public static final long PERIOD_MILLIS = 5_000;

    /** Most points that are kept: fifteen minutes. */
    public static final int POINTS = 180;

    /** What {@link Waits} says if nobody has waited. */
    public static final long NONE = LatencyHistogram.NONE;

    private static final double MEDIAN = 0.5;
    private static final double NEARLY_ALL = 0.99;
    private static final double MILLIS_PER_SECOND = 1_000;

    /**
     * How long waits of one kind took.
     *
     * @param medianMicros half of them took no longer, or {@link #NONE}
     * @param nearlyAllMicros 99 of 100 took no longer, or {@link #NONE}
     */
    public record Waits(long medianMicros, long nearlyAllMicros) {
        private static Waits of(LatencyHistogram.Counts counts) {
            return new Waits(counts.percentileMicros(MEDIAN), counts.percentileMicros(NEARLY_ALL));
        }
    }

    /**
     * A stretch of time.
     *
     * @param endedMillis when it ended, on the monotonic clock
     * @param lastedMillis how long it was
     * @param executedPerSecond commands that this replica has executed, of all servers' clients
     * @param ownPerSecond those of them that this replica has proposed
     * @param forcedPerSecond how often the acceptor log was forced
     * @param writes how long this replica's own commands took to be ordered
     * @param reads how long linearizable reads and {@code sync} waited here for the proof that they see everything
     * @param lagMillis for each member that is known how long the first position that it lacks has been decided; at the
     *     end of the time
     * @param heapBytes used at the end of the time
     */
    public record Point(
            long endedMillis,
            long lastedMillis,
            double executedPerSecond,
            double ownPerSecond,
            double forcedPerSecond,
            Waits writes,
            Waits reads,
            Map<Integer, Long> lagMillis,
            long heapBytes) {}

    private record Counters(
            long atMillis,
            long executed,
            long own,
            long forced,
            LatencyHistogram.Counts writes,
            LatencyHistogram.Counts reads) {}

    private final Deque<Point> points = new ArrayDeque<>(POINTS);
    private Counters last;

    /**
     * Looks whether a period has passed, and remembers it if so.
     *
     * @param view whose numbers are remembered
     * @param nowMillis on a monotonic clock
     */
    synchronized void tick(OrderView view, long nowMillis) {
        if (last != null && nowMillis - last.atMillis() < PERIOD_MILLIS) {
            return;
        }
        Counters now = counters(view, nowMillis);
        if (last != null) {
            if (points.size() == POINTS) {
                points.removeFirst();
            }
            points.addLast(point(last, now, view));
        }
        last = now;
    }

    private static Counters counters(OrderView view, long nowMillis) {
        Map<String, Long> gauges = view.gauges();
        Latencies latencies = view.latencies();
        return new Counters(
                nowMillis,
                gauges.getOrDefault("batch_commands_sum", 0L),
                gauges.getOrDefault("order_micros_count", 0L),
                gauges.getOrDefault("fsync_micros_count", 0L),
                latencies.writes().counts(),
                latencies.reads().counts());
    }

    private static Point point(Counters before, Counters now, OrderView view) {
        long millis = now.atMillis() - before.atMillis();
        Runtime memory = Runtime.getRuntime();
        return new Point(
                now.atMillis(),
                millis,
                perSecond(now.executed() - before.executed(), millis),
                perSecond(now.own() - before.own(), millis),
                perSecond(now.forced() - before.forced(), millis),
                Waits.of(now.writes().since(before.writes())),
                Waits.of(now.reads().since(before.reads())),
                view.lagsMillis(),
                memory.totalMemory() - memory.freeMemory());
    }

    private static double perSecond(long count, long millis) {
        return Math.max(0, count) * MILLIS_PER_SECOND / millis;
    }

    /** @return the points, the oldest first */
    public synchronized List<Point> points() {
        return List.copyOf(points);
    }

    /** @return the newest point, null before the first */
    public synchronized Point newest() {
        return points.peekLast();
    }
}
