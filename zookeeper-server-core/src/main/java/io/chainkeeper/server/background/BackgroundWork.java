package io.chainkeeper.server.background;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link Background} that has a worker while there is something to do, and a little longer. */
public final class BackgroundWork implements Background {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ONCE = 0;

    private final Scheduler scheduler;
    private final String name;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private Worker worker;
    private long numbers;
    private boolean closed;

    /** What is run at a time; of several the one that was given first. */
    private record Task(long dueNanos, long number, boolean atOnce, long periodNanos, Runnable run)
            implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            long later = dueNanos - other.dueNanos;
            return later == 0 ? Long.compare(number, other.number) : Long.signum(later);
        }
    }

    /**
     * @param scheduler gives the worker and the time
     * @param name of the worker
     */
    public BackgroundWork(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
    }

    @Override
    public boolean execute(Runnable task) {
        return add(0, true, ONCE, task);
    }

    @Override
    public void everyMillis(long periodMillis, Runnable task) {
        add(0, false, TimeUnit.MILLISECONDS.toNanos(periodMillis), task);
    }

    @Override
    public void afterMillis(long delayMillis, Runnable task) {
        add(TimeUnit.MILLISECONDS.toNanos(delayMillis), false, ONCE, task);
    }

    private synchronized boolean add(long delayNanos, boolean atOnce, long periodNanos, Runnable run) {
        if (closed) {
            LOG.debug("Stopping: nothing more is done in the background");
            return false;
        }
        if (worker == null) {
            Worker created = scheduler.worker(name, new Turns());
            created.start(); // may fail for want of a thread: then nothing waits for one
            worker = created;
        } else {
            worker.wake();
        }
        tasks.add(new Task(scheduler.nanoTime() + delayNanos, ++numbers, atOnce, periodNanos, run));
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        tasks.removeIf(task -> !task.atOnce);
        if (worker != null) {
            worker.wake();
        }
    }

    private synchronized void forgetWorker() {
        worker = null;
    }

    /** The work of one worker, each task a piece of it. */
    private final class Turns implements Work {
        private boolean idle;
        private long idleSinceNanos;

        @Override
        public long run() {
            Task due;
            synchronized (BackgroundWork.this) {
                long now = scheduler.nanoTime();
                due = tasks.peek();
                if (due == null || due.dueNanos - now > 0) {
                    return due == null ? rest(now) : due.dueNanos - now;
                }
                tasks.remove();
                if (due.periodNanos > 0 && !closed) {
                    tasks.add(new Task(due.dueNanos + due.periodNanos, ++numbers, false, due.periodNanos, due.run));
                }
            }
            idle = false;
            run(due);
            return AT_ONCE;
        }

        private void run(Task due) {
            boolean works = false;
            try {
                due.run.run();
                works = true;
            } finally {
                if (!works) {
                    forgetWorker(); // it ends here, and what comes later needs another one
                }
            }
        }

        private long rest(long now) {
            if (!idle) {
                idle = true;
                idleSinceNanos = now;
            }
            long left = IDLE_NANOS - (now - idleSinceNanos);
            if (!closed && left > 0) {
                return left;
            }
            worker = null;
            return NEVER;
        }
    }
}
