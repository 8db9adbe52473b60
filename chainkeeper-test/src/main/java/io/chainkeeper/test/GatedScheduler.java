package io.chainkeeper.test;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads of one server that a test can stop, and a clock that it can move. Safe for use by any thread. */
final class GatedScheduler implements Scheduler {
    private final TestClock clock;
    private final PauseGate gate;
    private final Set<GatedWorker> workers = ConcurrentHashMap.newKeySet();

    /**
     * @param clock the time of its workers
     * @param gate where they wait while the server is paused
     */
    GatedScheduler(TestClock clock, PauseGate gate) {
        this.clock = clock;
        this.gate = gate;
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return clock.currentTimeMillis();
    }

    @Override
    public long seed() {
        return ThreadScheduler.INSTANCE.seed();
    }

    @Override
    public Worker worker(String name, Work work) {
        return new GatedWorker(name, work);
    }

    @Override
    public TaskQueue taskQueue(String name) {
        TaskQueue queue = ThreadScheduler.INSTANCE.taskQueue(name);
        return new TaskQueue() {
            @Override
            public void execute(Runnable task) {
                queue.execute(() -> {
                    gate.pass();
                    task.run();
                });
            }

            @Override
            public void close() throws InterruptedException {
                queue.close();
            }
        };
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        ThreadScheduler.INSTANCE.await(lock, what, condition);
    }

    /** The clock has been moved. */
    void wakeAll() {
        workers.forEach(GatedWorker::wake);
    }

    /** Whether all workers have done what was due at the clock's present time, or are paused. */
    boolean isSettled() {
        long moves = clock.moves();
        return workers.stream().allMatch(worker -> worker.isSettled(moves));
    }

    private final class GatedWorker implements Worker, Runnable {
        private static final long BUSY = -1;

        private final Work work;
        private final Thread thread;

        /** Moves of the clock that the latest piece of work, after which this worker waits, has seen. */
        private volatile long settledMoves = BUSY;

        private GatedWorker(String name, Work work) {
            this.work = work;
            this.thread = new Thread(this, name);
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            try {
                long moves = clock.moves();
                long pause = work.run();
                while (pause != Work.NEVER) {
                    rest(pause, moves);
                    gate.pass();
                    moves = clock.moves();
                    pause = work.run();
                }
            } finally {
                workers.remove(this);
            }
        }

        private void rest(long pause, long moves) {
            if (pause == Work.AT_ONCE) {
                return;
            }
            settledMoves = moves;
            if (pause == Work.WHEN_WOKEN) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, pause);
            }
            settledMoves = BUSY;
        }

        boolean isSettled(long moves) {
            return settledMoves >= moves || gate.isClosed();
        }

        @Override
        public void start() {
            workers.add(this);
            thread.start();
        }

        @Override
        public void wake() {
            LockSupport.unpark(thread);
        }

        @Override
        public boolean isCurrent() {
            return Thread.currentThread() == thread;
        }

        @Override
        public void join() throws InterruptedException {
            if (!isCurrent()) {
                thread.join();
            }
        }
    }
}
