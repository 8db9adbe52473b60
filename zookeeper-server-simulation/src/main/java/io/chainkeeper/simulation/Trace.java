package io.chainkeeper.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Everything that happened in a run: as a hash, which two runs of one seed must share, and on demand as text. Text costs
 * much more than the run itself, so a run that fails without text is run again with it.
 */
final class Trace {
    private static final long HASH_MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final LongSupplier clockMicros;
    private final int maxLines;
    private final Deque<String> lines = new ArrayDeque<>();
    private long hash;

    /**
     * @param clockMicros virtual time
     * @param maxLines how many of the latest lines to keep as text; 0 for none
     */
    Trace(LongSupplier clockMicros, int maxLines) {
        this.clockMicros = clockMicros;
        this.maxLines = maxLines;
    }

    /**
     * Notes an event.
     *
     * @param replica where it happened, 0 for the world
     * @param what a constant word
     * @param number part of the hash and of the text
     * @param detail printed only, may be null
     */
    void record(int replica, String what, long number, Object detail) {
        mix(clockMicros.getAsLong());
        mix(replica);
        mix(what.hashCode());
        mix(number);
        if (maxLines > 0) {
            if (lines.size() == maxLines) {
                lines.removeFirst();
            }
            lines.addLast(String.format("%11.3f ms  ", clockMicros.getAsLong() / 1000.0)
                    + (replica == 0 ? "world" : "    " + replica) + "  " + what + " " + number
                    + (detail == null ? "" : " " + detail));
        }
    }

    /** Makes a number part of the hash. */
    void mix(long number) {
        hash = (hash ^ number) * HASH_MULTIPLIER;
        hash ^= hash >>> 29;
    }

    long hash() {
        return hash;
    }

    List<String> lines() {
        return new ArrayList<>(lines);
    }
}
