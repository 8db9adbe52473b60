package io.chainkeeper.replica;

import java.security.SecureRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread for each worker, and the system's clocks. Has no state of its own. */
public final class ThreadScheduler implements Scheduler {
    /** The only one that is needed. */
    public static final ThreadScheduler INSTANCE = new ThreadScheduler();

    private ThreadScheduler() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long seed() {
        return new SecureRandom().nextLong();
    }

    @Override
    public Worker worker(String name, Work work) {
        return new ThreadWorker(name, work);
    }

    @Override
    public TaskQueue taskQueue(String name) {
        return new ThreadTaskQueue(name);
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                throw new ReplicaStoppedException("interrupted while waiting for " + what);
            }
        }
    }

    private static final class ThreadWorker implements Worker, Runnable {
        private final Work work;
        private final Thread thread;

        private ThreadWorker(String name, Work work) {
            this.work = work;
            this.thread = new Thread(this, name);
        }

        @Override
        public void run() {
            long pause = work.run();
            while (pause != Work.NEVER) {
                if (pause == Work.WHEN_WOKEN) {
                    LockSupport.park(this);
                } else if (pause > 0) {
                    LockSupport.parkNanos(this, pause);
                }
                pause = work.run();
            }
        }

        @Override
        public void start() {
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
        public boolean join(long maxNanos) throws InterruptedException {
            if (!isCurrent()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, maxNanos);
            }
            return !thread.isAlive();
        }

        @Override
        public void join() throws InterruptedException {
            if (!isCurrent()) {
                thread.join();
            }
        }
    }

    /** Has a thread only while there is something to do, and a little longer. */
    private static final class ThreadTaskQueue implements TaskQueue {
        private static final int IDLE_SECONDS = 10;

        private final ThreadPoolExecutor executor;

        private ThreadTaskQueue(String name) {
            executor = new ThreadPoolExecutor(
                    0, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> new Thread(task, name));
        }

        @Override
        public void execute(Runnable task) {
            executor.execute(task);
        }

        @Override
        public void close() throws InterruptedException {
            executor.shutdown();
            executor.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
