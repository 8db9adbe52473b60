package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lets the caller do the work of a server's workers, when it wants. The clocks are the machine's, and can be put
 * forward.
 */
final class CallersScheduler implements Scheduler {
    private static final int MAX_ROUNDS = 1_000;

    private final List<CallersWorker> workers = new ArrayList<>();
    private long forwardNanos;
    private long seeds;

    /** Puts the clocks forward, and does what is due then. */
    void pass(long millis) {
        forwardNanos += TimeUnit.MILLISECONDS.toNanos(millis);
        settle();
    }

    private void settle() {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            boolean worked = false;
            for (CallersWorker worker : List.copyOf(workers)) {
                worked |= worker.workIfDue();
            }
            if (!worked) {
                return;
            }
        }
        throw new IllegalStateException("the server does not come to rest");
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() + forwardNanos;
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(forwardNanos);
    }

    @Override
    public long seed() {
        return ++seeds;
    }

    @Override
    public Worker worker(String name, Work work) {
        CallersWorker worker = new CallersWorker(work);
        workers.add(worker);
        return worker;
    }

    /** A thread of its own, as in a running server: the only one that asks is the writer of the transaction log. */
    @Override
    public TaskQueue taskQueue(String name) {
        return ThreadScheduler.INSTANCE.taskQueue(name);
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        settle();
        ThreadScheduler.INSTANCE.await(lock, what, condition);
    }

    private final class CallersWorker implements Worker {
        private final Work work;
        private boolean running;
        private boolean due;
        private boolean timed;
        private long dueNanos;

        private CallersWorker(Work work) {
            this.work = work;
        }

        private boolean workIfDue() {
            if (running || !due && !(timed && nanoTime() - dueNanos >= 0)) {
                return false;
            }
            due = false;
            running = true;
            long pause = work.run();
            running = false;
            if (pause == Work.NEVER) {
                workers.remove(this);
            }
            due |= pause == Work.AT_ONCE;
            timed = pause > 0 && pause != Work.WHEN_WOKEN;
            dueNanos = nanoTime() + pause;
            return true;
        }

        @Override
        public void start() {
            due = true;
        }

        @Override
        public void wake() {
            due = true;
        }

        @Override
        public boolean isCurrent() {
            return running;
        }

        @Override
        public void join() {
            settle();
        }
    }
}
