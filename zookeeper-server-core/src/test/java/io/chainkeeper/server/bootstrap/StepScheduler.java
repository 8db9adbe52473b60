package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Runs what waits of several servers, piece by piece, in a time that passes only when nothing waits. */
final class StepScheduler {
    private static final long HAND_OVER_NANOS = 1_000;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long numbers;

    private record Event(long atNanos, long number, Runnable piece) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime == 0 ? Long.compare(number, other.number) : byTime;
        }
    }

    private void at(long nanos, Runnable piece) {
        events.add(new Event(nanos, ++numbers, piece));
    }

    /** Virtual time. */
    long nanoTime() {
        return nowNanos;
    }

    /** Does one piece. */
    void step() {
        Event next = events.remove();
        nowNanos = Math.max(nowNanos, next.atNanos());
        next.piece().run();
    }

    /** Lets time pass until a condition holds. */
    void until(String what, long seconds, BooleanSupplier condition) {
        long deadline = nowNanos + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            InvariantViolated.check(!events.isEmpty() && nowNanos < deadline, "%s: not within %d s", what, seconds);
            step();
        }
    }

    /** What one process runs on, until it crashes. */
    final class OfProcess implements Scheduler {
        private final long seed;
        private boolean crashed;
        private long seeds;

        OfProcess(long seed) {
            this.seed = seed;
        }

        void crash() {
            crashed = true;
        }

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public long currentTimeMillis() {
            return 1_700_000_000_000L + TimeUnit.NANOSECONDS.toMillis(nowNanos);
        }

        @Override
        public long seed() {
            return seed * 1_000 + ++seeds;
        }

        @Override
        public Worker worker(String name, Work work) {
            return new Pieces(this, work);
        }

        @Override
        public TaskQueue taskQueue(String name) {
            return new TaskQueue() {
                @Override
                public void execute(Runnable task) {
                    at(nowNanos + HAND_OVER_NANOS, () -> {
                        if (!crashed) {
                            task.run();
                        }
                    });
                }

                @Override
                public void close() {
                    // Whoever closes it has waited for its tasks.
                }
            };
        }

        @Override
        public void await(Object lock, String what, BooleanSupplier condition) {
            until(what, 1, condition);
        }
    }

    private final class Pieces implements Worker {
        private final OfProcess process;
        private final Work work;
        private long plans;
        private boolean running;
        private boolean woken;
        private boolean ended;

        private Pieces(OfProcess process, Work work) {
            this.process = process;
            this.work = work;
        }

        private void plan(long nanos) {
            long number = ++plans;
            at(nowNanos + nanos, () -> {
                if (number == plans && !process.crashed && !running) {
                    piece();
                }
            });
        }

        private void piece() {
            woken = false;
            running = true;
            long pause = work.run();
            running = false;
            ended = pause == Work.NEVER;
            if (!ended && (woken || pause != Work.WHEN_WOKEN)) {
                plan(woken || pause == Work.AT_ONCE ? HAND_OVER_NANOS : pause);
            }
        }

        @Override
        public void start() {
            plan(HAND_OVER_NANOS);
        }

        @Override
        public void wake() {
            woken = true;
            if (!running && !ended) {
                plan(HAND_OVER_NANOS);
            }
        }

        @Override
        public boolean isCurrent() {
            return running;
        }

        @Override
        public void join() {
            until("the end of a worker", 1, () -> ended || running);
        }
    }
}
