package io.chainkeeper.server.guard;

import io.chainkeeper.replica.ReplicaStoppedException;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Keeps reads and execution apart: a read that overlapped a write could show new data before the watch event that
 * announces it, or a zxid that does not belong to the data. I/O threads hold the shared side for one read. The executor
 * takes the exclusive side once for all commands that are at hand, because taking it for each would cost as much as a
 * small command; between two commands it lets those in that wait, if it has kept them out for long.
 */
public final class ExecutionLock {
    /** For how long reads are kept out while there is more to execute; one command may take longer. */
    static final long LONGEST_NANOS = 1_000_000;

    /** Fair: else the executor, which runs, would take it again before those that wait have been woken. */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);

    private long heldSinceNanos;

    /** Changed with the exclusive side held. */
    private boolean failed;

    /** Apply thread: excludes reads until {@link #endBatch}; does nothing if they are excluded already. */
    public void beginBatch() {
        if (!lock.isWriteLockedByCurrentThread()) {
            lock.writeLock().lock();
            heldSinceNanos = System.nanoTime();
        }
    }

    /** Apply thread: whether reads wait that have been excluded for long. */
    public boolean keepsReadsWaiting() {
        return lock.hasQueuedThreads()
                && lock.isWriteLockedByCurrentThread()
                && System.nanoTime() - heldSinceNanos >= LONGEST_NANOS;
    }

    /** Apply thread, between two commands and inside a batch: lets in the reads that wait now. */
    public void letReadsIn() {
        lock.writeLock().unlock();
        beginBatch();
    }

    /** Apply thread: lets reads in again; does nothing if they were not excluded. */
    public void endBatch() {
        if (lock.isWriteLockedByCurrentThread()) {
            lock.writeLock().unlock();
        }
    }

    /** Apply thread, last: nobody waits or reads any more, because what has been executed may be half a command. */
    public void executionFailed() {
        beginBatch();
        failed = true;
        endBatch();
    }

    /**
     * Keeps execution waiting until {@link #admitExecution}, which the same thread has to call.
     *
     * @throws ReplicaStoppedException if execution has failed; nothing is to be undone then
     */
    public void excludeExecution() {
        lock.readLock().lock();
        if (failed) {
            lock.readLock().unlock();
            throw new ReplicaStoppedException("execution of the order has failed");
        }
    }

    /** Ends what {@link #excludeExecution} began. */
    public void admitExecution() {
        lock.readLock().unlock();
    }

    /**
     * Runs something that reads the tree, on any thread.
     *
     * @param read what to run; must not wait for the executor
     * @throws ReplicaStoppedException if execution has failed; then nothing is run
     */
    public void read(Runnable read) {
        excludeExecution();
        try {
            read.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Apply thread: runs something that reads the tree, inside a batch or outside of one.
     *
     * @param read what to run
     */
    public void asReader(Runnable read) {
        if (lock.isWriteLockedByCurrentThread()) {
            read.run();
        } else {
            read(read);
        }
    }
}
