package io.chainkeeper.replica;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What a protocol host measures about twice a second, between inputs. All but {@link #latest} and {@link
 * #silentMillis}, which any thread may call, is for the thread that runs the protocol.
 */
final class HostGauges {
    private static final int PERIOD_MILLIS = 500;

    /** Knows some numbers. */
    @FunctionalInterface
    interface Source {
        void putGauges(Map<String, Long> gauges);
    }

    private final Scheduler scheduler;
    private final int tickMillis;
    private final List<Source> sources;
    private volatile Map<String, Long> latest = Map.of();
    private volatile long lastMeasuredNanos;
    private int ticksSince;

    /**
     * @param scheduler tells the time
     * @param tickMillis length of a tick
     * @param sources asked in this order
     */
    HostGauges(Scheduler scheduler, int tickMillis, List<Source> sources) {
        this.scheduler = scheduler;
        this.tickMillis = tickMillis;
        this.sources = sources;
        this.lastMeasuredNanos = scheduler.nanoTime();
    }

    /** Ticks have passed: measures if it is time. */
    void ticked(int ticks) {
        ticksSince += ticks;
        if (ticksSince * tickMillis >= PERIOD_MILLIS) {
            ticksSince = 0;
            measure();
        }
    }

    void measure() {
        Map<String, Long> all = new TreeMap<>();
        sources.forEach(source -> source.putGauges(all));
        lastMeasuredNanos = scheduler.nanoTime();
        latest = all;
    }

    Map<String, Long> latest() {
        return latest;
    }

    /** How long ago the latest were measured. */
    long silentMillis() {
        return TimeUnit.NANOSECONDS.toMillis(scheduler.nanoTime() - lastMeasuredNanos);
    }
}
