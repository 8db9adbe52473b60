package io.chainkeeper.benchmarks.statistics;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A stretch of time, and what successes of writes in it say.
 *
 * @param fromNanos beginning, by {@link System#nanoTime}
 * @param toNanos end, exclusive, not before the beginning
 */
public record Interval(long fromNanos, long toNanos) {
    /** Checks that it does not end before it begins. */
    public Interval {
        if (toNanos - fromNanos < 0) {
            throw new IllegalArgumentException("ends before it begins");
        }
    }

    /** @return whether a moment, by {@link System#nanoTime}, lies in it */
    public boolean contains(long nanos) {
        return nanos - fromNanos >= 0 && nanos - toNanos < 0;
    }

    /** @return its length */
    public double seconds() {
        return (toNanos - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * The successes of several clients in one row.
     *
     * @param successes of each client
     * @return all, ascending
     */
    public static long[] merge(List<long[]> successes) {
        return successes.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    }

    /**
     * The longest time without a success. One that was already on when the interval began counts from its last success
     * before; one that is still on when the interval ends counts up to that end.
     *
     * @param successes moments of successes, ascending
     * @return the first of that length
     */
    public Interval longestGap(long[] successes) {
        Interval longest = new Interval(fromNanos, fromNanos);
        long last = fromNanos;
        for (long success : successes) {
            if (success - toNanos >= 0) {
                break;
            }
            if (success - fromNanos > 0 && success - last > longest.nanos()) {
                longest = new Interval(last, success);
            }
            last = success;
        }
        return toNanos - last > longest.nanos() ? new Interval(last, toNanos) : longest;
    }

    private long nanos() {
        return toNanos - fromNanos;
    }

    /**
     * @param successes as for {@link #longestGap}
     * @return its length, nanoseconds
     */
    public long longestGapNanos(long[] successes) {
        return longestGap(successes).nanos();
    }

    /**
     * @param successes moments of successes
     * @return how many of them lie in this interval, per second; NaN if the interval is empty
     */
    public double perSecond(long[] successes) {
        return Statistics.ratio(Arrays.stream(successes).filter(this::contains).count(), seconds());
    }

    /**
     * Counts successes in equal pieces of the interval.
     *
     * @param successes moments of successes
     * @param pieceNanos length of a piece, positive; an incomplete last piece is left out
     * @return how many lie in each piece
     */
    public int[] counts(long[] successes, long pieceNanos) {
        int[] counts = new int[Math.toIntExact((toNanos - fromNanos) / pieceNanos)];
        for (long success : successes) {
            long piece = Math.floorDiv(success - fromNanos, pieceNanos);
            if (piece >= 0 && piece < counts.length) {
                counts[(int) piece]++;
            }
        }
        return counts;
    }
}
