package io.chainkeeper.replica;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A room for a replica's own commands in progress, with its bound. Lock-free as long as that is not reached. */
final class OutstandingBytes {
    private final long max;
    private final Scheduler scheduler;
    private final AtomicLong used = new AtomicLong();
    private final Object full = new Object();

    /** Threads in the monitor; guarded by {@code full}. */
    private int waiting;

    private volatile boolean somebodyWaits;
    private volatile long waitedForSinceNanos;
    private volatile boolean stopped;

    OutstandingBytes(long max, Scheduler scheduler) {
        this.max = max;
        this.scheduler = scheduler;
    }

    /**
     * Waits until there is room, or what is to have it is not wanted any more.
     *
     * @param wanted asked again and again while the thread waits, and when {@link #reconsider} is called; must not wait
     * @return whether room has been taken
     */
    boolean acquire(int commandBytes, BooleanSupplier wanted) {
        while (!tryAcquire(commandBytes)) {
            WakeupBatch.flush();
            if (stopped) {
                throw new ReplicaStoppedException("this replica is stopping");
            }
            if (!wanted.getAsBoolean()) {
                return false;
            }
            awaitRoom(wanted);
        }
        return true;
    }

    private void awaitRoom(BooleanSupplier wanted) {
        synchronized (full) {
            if (!somebodyWaits) {
                waitedForSinceNanos = scheduler.nanoTime();
                somebodyWaits = true;
            }
            waiting++;
            try {
                // Who is told of room and finds none says again that somebody waits.
                scheduler.awaitOthers(
                        full,
                        "room to propose",
                        () -> used.get() < max || stopped || !somebodyWaits || !wanted.getAsBoolean());
            } finally {
                waiting--;
                if (waiting == 0) {
                    // Perhaps it leaves without any room, and nobody may seem to be stuck for ever.
                    somebodyWaits = false;
                }
            }
        }
    }

    /** Takes room if there is some; never waits. */
    boolean tryAcquire(int commandBytes) {
        // One command may pass the bound, so that a command larger than the whole bound is not stuck.
        if (used.get() >= max) {
            return false;
        }
        used.addAndGet(cost(commandBytes));
        return true;
    }

    private static long cost(int commandBytes) {
        return (long) commandBytes + ReplicaLimits.COMMAND_COST_BYTES;
    }

    void release(int commandBytes) {
        used.addAndGet(-cost(commandBytes));
        if (somebodyWaits) {
            synchronized (full) {
                somebodyWaits = false;
                full.notifyAll();
            }
        }
    }

    /** Those who wait are asked whether they are still wanted. */
    void reconsider() {
        if (somebodyWaits) {
            synchronized (full) {
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
