package io.chainkeeper.benchmarks.report;

import io.chainkeeper.benchmarks.load.Clients.Latencies;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.relay.Region;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.server.UsageSample.ServerUse;
import io.chainkeeper.benchmarks.statistics.Latency;
import io.chainkeeper.benchmarks.statistics.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure of the report.
 *
 * @param label name and unit
 * @param format of the number
 * @param value of one measured interval; NaN where it means nothing
 */
record Metric(String label, String format, ToDoubleFunction<Phase> value) {
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double BYTES_PER_MEGABYTE = 1_000_000;
    private static final double MICROS_PER_SECOND = 1_000_000;

    /**
     * The figures of a phase, in the order of the report.
     *
     * @param phaseName one of the names in {@link Phase}
     * @param options the run
     * @return the figures
     */
    static List<Metric> of(String phaseName, RunOptions options) {
        if (phaseName.equals(Phase.IDLE)) {
            return List.of(
                    new Metric("CPU of the busiest replica, % of a core", "%.2f", p -> 100 * busiestCores(p)),
                    new Metric(
                            "disk writes of the busiest replica, bytes/s",
                            "%.0f",
                            p -> mostWritten(p) / p.use().seconds()),
                    new Metric("CPU of the client, cores", "%.2f", p -> p.use().clientCores()));
        }
        List<Metric> metrics = new ArrayList<>(load(options));
        for (Region region : new LinkedHashSet<>(options.regions())) {
            metrics.add(new Metric("p50 at " + region.word() + ", ms", "%.1f", p -> regional(p, region, true)));
            metrics.add(new Metric("p99 at " + region.word() + ", ms", "%.1f", p -> regional(p, region, false)));
        }
        if (phaseName.equals(Phase.STORM)) {
            metrics.add(new Metric("write latency, largest, ms", "%.1f", Metric::largestWrite));
            metrics.add(new Metric(
                    "all sessions are back, s", "%.2f", p -> p.storm().secondsToReturn()));
            metrics.add(new Metric(
                    "sessions that had expired", "%.0f", p -> p.storm().lost()));
        }
        return metrics;
    }

    private static double largestWrite(Phase phase) {
        return phase.latencies() == null
                ? Double.NaN
                : phase.latencies().writes().maxMicros() / MICROS_PER_MILLI;
    }

    private static List<Metric> load(RunOptions options) {
        return List.of(
                new Metric("operations/s", "%.0f", p -> p.use().operationsPerSecond()),
                new Metric("write latency p50, ms", "%.3f", p -> writes(p, true)),
                new Metric("write latency p99, ms", "%.3f", p -> writes(p, false)),
                new Metric("read latency p50, ms", "%.3f", p -> reads(p, true)),
                new Metric("read latency p99, ms", "%.3f", p -> reads(p, false)),
                new Metric("CPU of the busiest replica, µs per operation", "%.1f", Metric::busiestMicrosPerOperation),
                new Metric("CPU of all replicas, µs per operation", "%.1f", Metric::totalMicrosPerOperation),
                new Metric("CPU of the busiest replica above the mean, %", "%.1f", Metric::busiestAboveMean),
                new Metric(
                        "CPU of the busiest replica, % of its quota",
                        "%.1f", p -> 100 * Statistics.ratio(busiestCores(p), options.cpuCores())),
                new Metric("disk writes of a replica, bytes per write", "%.0f", Metric::bytesPerWrite),
                new Metric(
                        "network bytes sent by the busiest replica, per operation",
                        "%.0f",
                        p -> options.linkMegabits() == 0 ? Double.NaN : mostSentPerOperation(p)),
                new Metric("resident memory of the largest replica, MB", "%.0f", Metric::largestMegabytes),
                new Metric(
                        "watch events to clients, per write",
                        "%.2f",
                        p -> options.watches() == 0 ? Double.NaN : eventsPerWrite(p)),
                new Metric("CPU of the client, cores", "%.2f", p -> p.use().clientCores()));
    }

    /**
     * @param phase a measured interval
     * @return cores that the busiest server used
     */
    static double busiestCores(Phase phase) {
        return busiestMicros(phase) / (phase.use().seconds() * MICROS_PER_SECOND);
    }

    private static double busiestMicros(Phase phase) {
        return phase.use().servers().stream()
                .mapToDouble(ServerUse::cpuMicros)
                .max()
                .orElse(0);
    }

    private static double busiestMicrosPerOperation(Phase phase) {
        return Statistics.ratio(busiestMicros(phase), phase.use().operations());
    }

    private static double totalMicrosPerOperation(Phase phase) {
        return Statistics.ratio(totalMicros(phase), phase.use().operations());
    }

    private static double busiestAboveMean(Phase phase) {
        double mean = totalMicros(phase) / phase.use().servers().size();
        return 100 * (Statistics.ratio(busiestMicros(phase), mean) - 1);
    }

    private static double totalMicros(Phase phase) {
        return phase.use().servers().stream().mapToDouble(ServerUse::cpuMicros).sum();
    }

    private static double mostWritten(Phase phase) {
        return phase.use().servers().stream()
                .mapToDouble(ServerUse::writtenBytes)
                .max()
                .orElse(0);
    }

    private static double mostSentPerOperation(Phase phase) {
        double bytes = phase.use().servers().stream()
                .mapToDouble(ServerUse::sentBytes)
                .max()
                .orElse(0);
        return Statistics.ratio(bytes, phase.use().operations());
    }

    private static double largestMegabytes(Phase phase) {
        return phase.use().servers().stream()
                        .mapToDouble(ServerUse::residentBytes)
                        .max()
                        .orElse(0)
                / BYTES_PER_MEGABYTE;
    }

    private static double bytesPerWrite(Phase phase) {
        if (phase.latencies() == null) {
            return Double.NaN;
        }
        double bytes = phase.use().servers().stream()
                .mapToDouble(ServerUse::writtenBytes)
                .average()
                .orElse(0);
        return Statistics.ratio(bytes, phase.latencies().writes().count());
    }

    private static double eventsPerWrite(Phase phase) {
        return phase.latencies() == null
                ? Double.NaN
                : Statistics.ratio(
                        phase.watchEvents(), phase.latencies().writes().count());
    }

    private static double writes(Phase phase, boolean median) {
        return phase.latencies() == null ? Double.NaN : millis(phase.latencies().writes(), median);
    }

    private static double reads(Phase phase, boolean median) {
        return phase.latencies() == null ? Double.NaN : millis(phase.latencies().reads(), median);
    }

    /** In a wide area clients either write or read. */
    private static double regional(Phase phase, Region region, boolean median) {
        Latencies latencies = phase.regions().get(region.word());
        if (latencies == null) {
            return Double.NaN;
        }
        return millis(latencies.writes().count() > 0 ? latencies.writes() : latencies.reads(), median);
    }

    private static double millis(Latency latency, boolean median) {
        if (latency.count() == 0) {
            return Double.NaN;
        }
        return (median ? latency.p50Micros() : latency.p99Micros()) / MICROS_PER_MILLI;
    }
}
