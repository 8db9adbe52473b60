package io.chainkeeper.replica;

import static io.chainkeeper.replica.StageTimes.UNKNOWN;

/**
 * Remembers when the latest positions passed the stages of their way through this replica. Costs a few stores for each
 * position, not for each command, and nothing is allocated. Any thread.
 */
final class PositionTimes {
    /** Positions remembered, and records that may wait for the log; a power of two. */
    static final int KEPT = 4_096;

    private static final int MASK = KEPT - 1;

    private final long[] positions = new long[KEPT];
    private final long[] accepted = new long[KEPT];
    private final long[] durable = new long[KEPT];
    private final long[] delivered = new long[KEPT];
    private final long[] begun = new long[KEPT];

    /** Positions whose records are not durable yet, in the order of their log sequences. */
    private final long[] pendingPositions = new long[KEPT];

    private final long[] pendingSequences = new long[KEPT];
    private long firstPending;
    private long endPending;

    /** Returns where a position is noted, -1 if its place holds a later one. */
    private int slot(long position) {
        int slot = (int) (position & MASK);
        if (positions[slot] < position) {
            positions[slot] = position;
            accepted[slot] = UNKNOWN;
            durable[slot] = UNKNOWN;
            delivered[slot] = UNKNOWN;
            begun[slot] = UNKNOWN;
        }
        return positions[slot] == position ? slot : -1;
    }

    /** A value was handed to the log under this sequence; only the first time of a position counts. */
    synchronized void accepted(long position, long sequence, long nanos) {
        int slot = slot(position);
        if (slot < 0 || accepted[slot] != UNKNOWN) {
            return;
        }
        accepted[slot] = nanos;
        if (endPending - firstPending == KEPT) {
            firstPending++;
        }
        int pending = (int) (endPending++ & MASK);
        pendingPositions[pending] = position;
        pendingSequences[pending] = sequence;
    }

    /** Everything up to this log sequence is durable. */
    synchronized void durable(long sequence, long nanos) {
        while (firstPending < endPending && pendingSequences[(int) (firstPending & MASK)] <= sequence) {
            int slot = slot(pendingPositions[(int) (firstPending++ & MASK)]);
            if (slot >= 0) {
                durable[slot] = nanos;
            }
        }
    }

    synchronized void delivered(long position, long nanos) {
        int slot = slot(position);
        if (slot >= 0) {
            delivered[slot] = nanos;
        }
    }

    synchronized void begun(long position, long nanos) {
        int slot = slot(position);
        if (slot >= 0) {
            begun[slot] = nanos;
        }
    }

    /** Returns what is known of a position. */
    synchronized StageTimes of(long position) {
        int slot = (int) (position & MASK);
        return positions[slot] == position
                ? new StageTimes(accepted[slot], durable[slot], delivered[slot], begun[slot])
                : StageTimes.NONE;
    }
}
