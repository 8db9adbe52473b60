package io.chainkeeper.server.monitoring;

/**
 * When which position was first seen decided: turns "so many positions behind" into "so long behind". Keeps the newest
 * {@value #SAMPLES} changes. Not safe for use by several threads.
 */
final class LagHistory {
    private static final int SAMPLES = 1200;

    private final long[] positions = new long[SAMPLES];
    private final long[] timesMillis = new long[SAMPLES];
    private int first;
    private int size;

    /** So much is decided now. */
    void seen(long decided, long nowMillis) {
        if (size > 0 && decided <= newest()) {
            return;
        }
        if (size == SAMPLES) {
            first = (first + 1) % SAMPLES;
            size--;
        }
        int at = (first + size) % SAMPLES;
        positions[at] = decided;
        timesMillis[at] = nowMillis;
        size++;
    }

    private long newest() {
        return positions[(first + size - 1) % SAMPLES];
    }

    /**
     * @param position how far somebody is
     * @param nowMillis on the clock of {@link #seen}
     * @return for how long the next position has been decided, as far as this history reaches; 0 if it is not
     */
    long lagMillis(long position, long nowMillis) {
        for (int i = 0; i < size; i++) {
            int at = (first + i) % SAMPLES;
            if (positions[at] > position) {
                return nowMillis - timesMillis[at];
            }
        }
        return 0;
    }
}
