package io.chainkeeper.benchmarks.load;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * When a writer's next write is due: at once, or no earlier than a fixed time after the one before it began. Writes
 * that took longer are not caught up with. Safe for use by any thread.
 */
public final class Pace implements AutoCloseable {
    private final long intervalNanos;
    private final ScheduledExecutorService timer;

    /** @param intervalNanos least time between the beginnings of two writes that follow each other; 0 for none */
    Pace(long intervalNanos) {
        this.intervalNanos = intervalNanos;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "pace");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * The pace of writers that together write at a given rate, as long as the servers keep up.
     *
     * @param writesPerSecond of all together; 0 for no limit
     * @param inFlight writes that all together keep in flight
     * @return the pace of each write in flight
     */
    public static Pace of(int writesPerSecond, int inFlight) {
        return new Pace(writesPerSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(inFlight) / writesPerSecond);
    }

    /** @return see {@link #Pace} */
    public long intervalNanos() {
        return intervalNanos;
    }

    /**
     * Does the next write when it is due.
     *
     * @param lastNanos when the one before it began
     * @param write does it, on this thread or the timer's
     */
    void next(long lastNanos, Runnable write) {
        long wait = lastNanos + intervalNanos - System.nanoTime();
        if (intervalNanos == 0 || wait <= 0) {
            write.run();
            return;
        }
        try {
            timer.schedule(write, wait, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return; // closed: nothing is due any more
        }
    }

    /** What is not due yet is not done any more. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
