package io.chainkeeper.benchmarks.statistics;

import org.HdrHistogram.Histogram;

/**
 * A distribution of latencies, microseconds.
 *
 * @param count operations
 * @param meanMicros mean
 * @param p50Micros median
 * @param p99Micros 99th percentile
 * @param maxMicros largest
 */
public record Latency(long count, double meanMicros, double p50Micros, double p99Micros, double maxMicros) {
    private static final double NANOS_PER_MICRO = 1_000;

    /** @param nanos latencies in nanoseconds */
    public static Latency of(Histogram nanos) {
        return new Latency(
                nanos.getTotalCount(),
                nanos.getTotalCount() == 0 ? 0 : nanos.getMean() / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99) / NANOS_PER_MICRO,
                nanos.getMaxValue() / NANOS_PER_MICRO);
    }
}
