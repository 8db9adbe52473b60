package io.chainkeeper.log;

import java.util.function.Supplier;

/**
 * How often a log has forced its bytes to stable storage, and how long that took. May be read by any thread at any
 * time.
 */
public final class SyncStatistics {
    private long count;
    private long totalNanos;
    private long lastNanos;
    private long maxNanos;
    private volatile ForceListener listener = (file, bytes, nanos) -> {};

    /** @param told of each force from now on, in place of the one before */
    public void watch(ForceListener told) {
        listener = told;
    }

    /**
     * A force has succeeded.
     *
     * @param file names the file
     * @param bytes written since the force before
     * @param nanos how long it took
     */
    void record(Supplier<String> file, long bytes, long nanos) {
        count(nanos);
        listener.forced(file, bytes, nanos);
    }

    private synchronized void count(long nanos) {
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
