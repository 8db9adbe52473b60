package io.chainkeeper.replica;

import java.util.concurrent.atomic.AtomicLong;

/** The bound on a replica's own commands in progress. Lock-free as long as it is not reached. */
final class OutstandingBytes {
    private final long max;
    private final AtomicLong used = new AtomicLong();
    private final Object full = new Object();
    private volatile boolean somebodyWaits;
    private volatile boolean stopped;

    OutstandingBytes(long max) {
        this.max = max;
    }

    /** Waits until there is room. */
    void acquire(int commandBytes) {
        long cost = (long) commandBytes + ReplicaLimits.COMMAND_COST_BYTES;
        while (!tryAcquire(cost)) {
            if (stopped) {
                throw new ReplicaStoppedException("this replica is stopping");
            }
            synchronized (full) {
                somebodyWaits = true;
                try {
                    if (used.get() >= max && !stopped) {
                        full.wait();
                    }
                } catch (InterruptedException e) {
                    throw new ReplicaStoppedException("interrupted while waiting to propose");
                }
            }
        }
    }

    private boolean tryAcquire(long cost) {
        // The bound may be passed by one command, so that one larger than all of it is not stuck.
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

    void stop() {
        stopped = true;
        synchronized (full) {
            full.notifyAll();
        }
    }
}
