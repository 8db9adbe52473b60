package io.chainkeeper.replica;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads that wait for the order; those of one batch of inputs share a barrier. Used by the thread that runs the
 * protocol.
 */
final class ReadBarriers {
    private record Readers(List<TotalOrder.ReadWaiter> waiters, long sinceNanos) {}

    private final Map<Long, Readers> open = new TreeMap<>();
    private final Scheduler scheduler;
    private final Measure waitMicros;
    private final LatencyHistogram latencies;
    private List<TotalOrder.ReadWaiter> arrived = new ArrayList<>();
    private long lastToken;

    /**
     * @param latencies told how long barriers take
     * @param scheduler for its clock
     */
    ReadBarriers(LatencyHistogram latencies, Scheduler scheduler) {
        this.latencies = latencies;
        this.scheduler = scheduler;
        this.waitMicros = new Measure("read_barrier_micros", scheduler::nanoTime);
    }

    void add(TotalOrder.ReadWaiter reader) {
        arrived.add(reader);
    }

    /** Returns whether a barrier is to be asked for. */
    boolean isAnyMissing() {
        return !arrived.isEmpty();
    }

    /** Returns the token of a barrier for those that have come since the last one. */
    long open() {
        open.put(++lastToken, new Readers(arrived, scheduler.nanoTime()));
        arrived = new ArrayList<>();
        return lastToken;
    }

    /** Returns those who wait for a barrier, which is reached. */
    List<TotalOrder.ReadWaiter> reached(long token) {
        Readers readers = open.remove(token);
        InvariantViolated.check(readers != null, "barrier %d reached twice or never asked for", token);
        latencies.record(waitMicros.addMicrosSince(readers.sinceNanos()));
        return readers.waiters();
    }

    /** Puts how long reads wait, and how many barriers are open. */
    void putGauges(Map<String, Long> gauges) {
        waitMicros.put(gauges);
        gauges.put("read_barriers_waiting", (long) open.size());
    }
}
