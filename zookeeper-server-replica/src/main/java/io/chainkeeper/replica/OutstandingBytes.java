package io.chainkeeper.replica;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The bound on a replica's own commands in progress. Lock-free as long as it is not reached. */
final class OutstandingBytes {
    private final long max;
    private final Scheduler scheduler;
    private final AtomicLong used = new AtomicLong();
    private final Object full = new Object();
    private volatile boolean somebodyWaits;
    private volatile long waitedForSinceNanos;
    private volatile boolean stopped;

    OutstandingBytes(long max, Scheduler scheduler) {
        this.max = max;
        this.scheduler = scheduler;
    }

    /** Waits until there is room. */
    void acquire(int commandBytes) {
        long cost = (long) commandBytes + ReplicaLimits.COMMAND_COST_BYTES;
        while (!tryAcquire(cost)) {
            WakeupBatch.flush();
            if (stopped) {
                throw new ReplicaStoppedException("this replica is stopping");
            }
            synchronized (full) {
                if (!somebodyWaits) {
                    waitedForSinceNanos = scheduler.nanoTime();
                    somebodyWaits = true;
                }
                // Who is told of room and finds none says again that somebody waits.
                scheduler.awaitOthers(full, "room to propose", () -> used.get() < max || stopped || !somebodyWaits);
            }
        }
    }

    private boolean tryAcquire(long cost) {
        // One command may pass the bound, so that a command larger than the whole bound is not stuck.
        if (used.get() >= max) {
            return false;
        }
        used.addAndGet(cost);
        return true;
    }

    void release(int commandBytes) {
        used.addAndGet(-((long) commandBytes + ReplicaLimits.COMMAND_COST_BYTES));
        if (somebodyWaits) {
            synchronized (full) {
                somebodyWaits = false;
                full.notifyAll();
            }
        }
    }

    long used() {
        return used.get();
    }

    long max() {
        return max;
    }

    /** For how long a thread has waited without any command being applied; 0 if none waits. Any thread. */
    long stuckMillis() {
        return somebodyWaits ? TimeUnit.NANOSECONDS.toMillis(scheduler.nanoTime() - waitedForSinceNanos) : 0;
    }

    void stop() {
        stopped = true;
        synchronized (full) {
            full.notifyAll();
        }
    }
}
