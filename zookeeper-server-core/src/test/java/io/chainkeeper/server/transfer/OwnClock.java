package io.chainkeeper.server.transfer;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Threads as always, and the test's time. */
final class OwnClock implements Scheduler {
    private final Scheduler threads = ThreadScheduler.INSTANCE;
    private final AtomicLong nowNanos;

    OwnClock(AtomicLong nowNanos) {
        this.nowNanos = nowNanos;
    }

    @Override
    public long nanoTime() {
        return nowNanos.get();
    }

    @Override
    public long currentTimeMillis() {
        return threads.currentTimeMillis();
    }

    @Override
    public long seed() {
        return threads.seed();
    }

    @Override
    public Worker worker(String name, Work work) {
        return threads.worker(name, work);
    }

    @Override
    public TaskQueue taskQueue(String name) {
        return threads.taskQueue(name);
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        threads.await(lock, what, condition);
    }
}
