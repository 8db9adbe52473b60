package io.chainkeeper.log;

/**
 * How often a log has forced its bytes to stable storage, and how long that took. May be read by any thread at any
 * time.
 */
public final class SyncStatistics {
    private long count;
    private long totalNanos;
    private long lastNanos;
    private long maxNanos;

    /** @param nanos duration of one force that succeeded */
    synchronized void record(long nanos) {
        count++;
        totalNanos += nanos;
        lastNanos = nanos;
        maxNanos = Math.max(maxNanos, nanos);
    }

    /** @return number of forces since the log was opened */
    public synchronized long count() {
        return count;
    }

    /** @return nanoseconds of all forces together */
    public synchronized long totalNanos() {
        return totalNanos;
    }

    /** @return nanoseconds of the latest force, 0 if there was none */
    public synchronized long lastNanos() {
        return lastNanos;
    }

    /** @return nanoseconds of the longest force, 0 if there was none */
    public synchronized long maxNanos() {
        return maxNanos;
    }
}
