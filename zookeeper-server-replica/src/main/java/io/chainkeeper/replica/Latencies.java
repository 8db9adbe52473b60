package io.chainkeeper.replica;

/**
 * How long clients of a replica wait for the order. Safe for use by any thread.
 *
 * @param writes from when the protocol host takes a command of this replica until the apply thread begins it
 * @param reads from when a read barrier is asked for until it is reached; reads that wait together count once
 */
public record Latencies(LatencyHistogram writes, LatencyHistogram reads) {
    /** Nothing has been recorded yet. */
    public Latencies() {
        this(new LatencyHistogram(), new LatencyHistogram());
    }
}
