package io.chainkeeper.replica;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Threads as they are, in a time that a test makes. */
final class ThreadsInOwnTime implements Scheduler {
    private final LongSupplier nanoTime;

    /** @param nanoTime says what time it is; asked by any thread */
    ThreadsInOwnTime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    @Override
    public long currentTimeMillis() {
        return ThreadScheduler.INSTANCE.currentTimeMillis();
    }

    @Override
    public long seed() {
        return ThreadScheduler.INSTANCE.seed();
    }

    @Override
    public Worker worker(String name, Work work) {
        return ThreadScheduler.INSTANCE.worker(name, work);
    }

    @Override
    public TaskQueue taskQueue(String name) {
        return ThreadScheduler.INSTANCE.taskQueue(name);
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        ThreadScheduler.INSTANCE.await(lock, what, condition);
    }
}
