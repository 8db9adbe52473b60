package io.chainkeeper.server.execution;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Keeps reads and execution apart: a read that overlapped a write could show new data before the watch event that
 * announces it, or a zxid that does not belong to the data. The executor holds the exclusive side for a whole batch,
 * I/O threads hold the shared side for one read.
 */
public final class ExecutionLock {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Executor thread: excludes reads until {@link #endBatch}; does nothing if they are excluded already. */
    public void beginBatch() {
        if (!lock.isWriteLockedByCurrentThread()) {
            lock.writeLock().lock();
        }
    }

    /** Executor thread: lets reads in again; does nothing if they were not excluded. */
    public void endBatch() {
        if (lock.isWriteLockedByCurrentThread()) {
            lock.writeLock().unlock();
        }
    }

    /** Keeps execution waiting until {@link #admitExecution}, which the same thread has to call. */
    public void excludeExecution() {
        lock.readLock().lock();
    }

    /** Ends what {@link #excludeExecution} began. */
    public void admitExecution() {
        lock.readLock().unlock();
    }

    /**
     * Runs something that reads the tree, on any thread.
     *
     * @param read what to run; must not wait for the executor
     */
    public void read(Runnable read) {
        lock.readLock().lock();
        try {
            read.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Executor thread: runs something that reads the tree, inside a batch or outside of one.
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
