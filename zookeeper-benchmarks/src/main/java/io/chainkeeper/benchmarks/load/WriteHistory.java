package io.chainkeeper.benchmarks.load;

import io.chainkeeper.benchmarks.statistics.Interval;
import io.chainkeeper.benchmarks.statistics.Latency;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** When the writes of one client succeeded. Safe for use by any thread. */
public final class WriteHistory {
    /** A client with more of them is far beyond what a round lasts. */
    static final int MAX_WRITES = 20_000_000;

    private static final int FIRST_CAPACITY = 1 << 16;
    private static final int SIGNIFICANT_DIGITS = 3;

    private long[] successNanos = new long[FIRST_CAPACITY];
    private long[] latencyNanos = new long[FIRST_CAPACITY];
    private int size;

    /**
     * Adds a write that succeeded now.
     *
     * @param nanos when, by {@link System#nanoTime}; not before the one added last
     * @param latency how long it took, nanoseconds
     * @throws IllegalStateException if there are more than {@value #MAX_WRITES}
     */
    public synchronized void add(long nanos, long latency) {
        if (size == MAX_WRITES) {
            throw new IllegalStateException("more than " + MAX_WRITES + " writes of one client; shorten the run");
        }
        if (size == successNanos.length) {
            int capacity = Math.min(MAX_WRITES, 2 * size);
            successNanos = Arrays.copyOf(successNanos, capacity);
            latencyNanos = Arrays.copyOf(latencyNanos, capacity);
        }
        successNanos[size] = nanos;
        latencyNanos[size] = latency;
        size++;
    }

    /** @return when writes succeeded, ascending */
    public synchronized long[] successes() {
        return Arrays.copyOf(successNanos, size);
    }

    /**
     * Adds latencies to a histogram.
     *
     * @param interval of the writes that succeeded in this interval
     * @param histogram receives nanoseconds
     */
    private synchronized void addTo(Interval interval, Histogram histogram) {
        for (int i = 0; i < size; i++) {
            if (interval.contains(successNanos[i])) {
                histogram.recordValue(Math.max(0, latencyNanos[i]));
            }
        }
    }

    /**
     * Latencies of several clients.
     *
     * @param histories theirs
     * @param interval of the writes that succeeded in this interval
     * @return the distribution
     */
    public static Latency latency(Iterable<WriteHistory> histories, Interval interval) {
        Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        histories.forEach(h -> h.addTo(interval, histogram));
        return Latency.of(histogram);
    }
}
