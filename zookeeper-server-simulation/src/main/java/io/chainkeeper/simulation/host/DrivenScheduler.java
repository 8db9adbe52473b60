package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import io.chainkeeper.simulation.time.Coroutine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs all parts of one start of a replica on the caller's thread, one piece of work at a time. When the next piece of
 * a part is done is left to a {@link Plan}. A part that waits for another lets that one work meanwhile, in no time.
 */
public final class DrivenScheduler implements Scheduler {
    /** Which part of a replica, by the name of its worker. */
    public enum Part {
        /** Runs the protocol. */
        ORDER("ordering-"),
        /** Appends to the acceptor log and forces it. */
        LOG_WRITER("log-writer-"),
        /** Reads the acceptor log for others. */
        LOG_READER("log-reader-"),
        /** Writes to one of the disks that several replicas share, and reads from it. */
        SHARED_DISK("shared-disk-"),
        /** Executes the order. */
        EXECUTION("executor-"),
        /** Writes snapshots and checkpoints. */
        SNAPSHOT("snapshot-"),
        /** Fetches the state of another member. */
        STATE_FETCH("state-fetch-"),
        /** Writes transactions past the cache. */
        TRANSACTION_LOG("transaction-log-"),
        /** Ends a life, for which it waits for all others; so it never begins while one waits in the middle. */
        MAIN("peer-main-"),
        /** Any other. */
        OTHER("");

        private final String prefix;

        Part(String prefix) {
            this.prefix = prefix;
        }

        private static Part named(String worker) {
            for (Part part : values()) {
                if (worker.startsWith(part.prefix)) {
                    return part;
                }
            }
            throw new IllegalStateException(worker);
        }
    }

    /** Why a piece of work is planned. */
    public enum Reason {
        /** Another part has left something to do. */
        WOKEN,
        /** The part has more to do. */
        MORE,
        /** The part wants to be called by then at the latest. */
        TIME
    }

    /** The disk of the replica itself, which it shares with nobody. */
    public static final int OWN_DISK = -1;

    /** Decides when pieces of work are done. */
    @FunctionalInterface
    public interface Plan {
        /**
         * A piece is to be done.
         *
         * @param part of the replica
         * @param reason why
         * @param nanos with {@link Reason#TIME}: after so much time on the replica's clock; else 0
         * @param piece does it, unless it has been done or put off since
         */
        void plan(Part part, Reason reason, long nanos, Runnable piece);

        /**
         * Whether a part would not come back from its next piece at the moment, because a disk gives no answer, or
         * would not begin with it, because its machine stands still.
         *
         * @param part of the replica
         * @param disk which one it works on: a shared one's number, or {@link #OWN_DISK}
         */
        default boolean isHeldUp(Part part, int disk) {
            return false;
        }

        /**
         * A piece is due while its disk gives no answer.
         *
         * @param disk which one
         * @param piece to be done some time after the disk has answered
         */
        default void whenAnswered(int disk, Runnable piece) {
            throw new IllegalStateException("disks of this plan do not hang");
        }

        /**
         * A part waits for something that no other part can bring about at the moment.
         *
         * @return whether something has happened elsewhere meanwhile; if not, it waits for ever
         */
        default boolean meanwhile() {
            return false;
        }

        /**
         * The calling thread waits for what others have to do as well, in their own time.
         *
         * @param lock whose monitor it has, and gives up meanwhile
         * @param what it waits for, in words
         * @param condition when it can go on
         */
        default void awaitOthers(Object lock, String what, BooleanSupplier condition) {
            throw new IllegalStateException("nobody waits for others in this plan");
        }

        /** Lets one go on that has waited for others; returns whether there was one. */
        default boolean letWaitingGoOn() {
            return false;
        }
    }

    private final String name;
    private final LongSupplier clockNanos;
    private final LongSupplier wallClockMillis;
    private final LongSupplier seeds;
    private final Plan plan;
    private final List<DrivenWorker> workers = new ArrayList<>();
    private DrivenWorker current;
    private RuntimeException failure;

    /** How many parts wait for a disk, each in the middle of a piece. */
    private int waiting;

    /**
     * @param name of the replica, for failures
     * @param clockNanos its monotonic clock
     * @param wallClockMillis its wall clock
     * @param seeds of what is left to chance
     * @param plan says when parts work
     */
    public DrivenScheduler(
            String name, LongSupplier clockNanos, LongSupplier wallClockMillis, LongSupplier seeds, Plan plan) {
        this.name = name;
        this.clockNanos = clockNanos;
        this.wallClockMillis = wallClockMillis;
        this.seeds = seeds;
        this.plan = plan;
    }

    @Override
    public long nanoTime() {
        return clockNanos.getAsLong();
    }

    @Override
    public long currentTimeMillis() {
        return wallClockMillis.getAsLong();
    }

    @Override
    public long seed() {
        return seeds.getAsLong();
    }

    @Override
    public Worker worker(String workerName, Work work) {
        DrivenWorker worker = new DrivenWorker(workerName, work);
        workers.add(worker);
        return worker;
    }

    @Override
    public TaskQueue taskQueue(String queueName) {
        return new DrivenTasks(queueName);
    }

    @Override
    public void await(Object lock, String what, BooleanSupplier condition) {
        await(what, condition);
    }

    private void await(String what, BooleanSupplier condition) {
        boolean hasWaited = false;
        while (!condition.getAsBoolean()) {
            DrivenWorker next = nextDue();
            if (next != null) {
                next.piece();
            } else if (!plan.letWaitingGoOn()) {
                awaitDisk(what);
                hasWaited = true;
            }
        }
        while (hasWaited && current != null && current.isHeldUp()) {
            awaitDisk("the end of a pause");
        }
    }

    private DrivenWorker nextDue() {
        return workers.stream()
                .filter(worker -> worker.isDue && !worker.running && !worker.isHeldUp())
                .findFirst()
                .orElse(null);
    }

    @Override
    public void awaitOthers(Object lock, String what, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            plan.awaitOthers(lock, what, condition);
        }
    }

    private void awaitDisk(String what) {
        DrivenWorker waits = current;
        waiting++;
        try {
            InvariantViolated.check(plan.meanwhile(), "%s waits for %s for ever: no part of it works", name, what);
        } finally {
            waiting--;
            current = waits;
        }
    }

    /** Whether a part of it waits for a disk in the middle of a piece. */
    public boolean isWaiting() {
        return waiting > 0;
    }

    /** Does what a part has been woken for, before anything else can happen; nothing while it waits for its disk. */
    public void workNow(Part part) {
        for (DrivenWorker worker : workers) {
            if (worker.part == part && worker.isDue && !worker.running && !worker.isHeldUp()) {
                worker.piece();
            }
        }
    }

    /** Whether a part has nothing to do at the moment. */
    public boolean isIdle(Part part) {
        return workers.stream().noneMatch(worker -> worker.part == part && (worker.isDue || worker.hangs));
    }

    /** Of a name such as {@code shared-disk-2-of-1}. */
    private static int numberIn(String ofSharedDisk) {
        String rest = ofSharedDisk.substring(Part.SHARED_DISK.prefix.length());
        return Integer.parseInt(rest.substring(0, rest.indexOf('-')));
    }

    /**
     * The replica says that it stops. Whoever drives it learns of it, whatever the parts in between make of it.
     *
     * @param message of the replica
     * @param cause or null
     */
    void failed(String message, Throwable cause) {
        if (failure == null) {
            failure = unchecked(message, cause);
        }
        throw failure;
    }

    private static RuntimeException unchecked(String message, Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof RuntimeException same) {
            return same;
        }
        InvariantViolated violated = new InvariantViolated(message);
        violated.initCause(cause);
        return violated;
    }

    private final class DrivenWorker implements Worker {
        private final String workerName;
        private final Part part;
        private final int disk;
        private final Work work;
        private boolean started;
        private boolean ended;
        private boolean running;
        private boolean woken;

        /** It waits for ever in the middle of a piece. */
        private boolean hangs;

        private long pause;

        /** A piece is planned, and not only for a time to come. */
        private boolean isDue;

        /** Number of the latest plan; those before it count no more. */
        private long plans;

        private DrivenWorker(String workerName, Work work) {
            this.workerName = workerName;
            this.part = Part.named(workerName);
            this.disk = part == Part.SHARED_DISK ? numberIn(workerName) : OWN_DISK;
            this.work = work;
        }

        @Override
        public void start() {
            InvariantViolated.check(!started, "%s is started twice", workerName);
            started = true;
            due(Reason.WOKEN);
        }

        @Override
        public void wake() {
            if (running) {
                woken = true;
            } else if (started && !ended && !isDue) {
                due(Reason.WOKEN);
            }
        }

        private void due(Reason reason) {
            isDue = true;
            plan(reason, 0);
        }

        private void plan(Reason reason, long nanos) {
            long number = ++plans;
            plan.plan(part, reason, nanos, () -> pieceOfPlan(number));
        }

        /** One stack for all parts: who waits for what is under it there waits for ever. */
        private boolean isHeldUp() {
            return part == Part.MAIN && current != null || plan.isHeldUp(part, disk);
        }

        private void pieceOfPlan(long number) {
            if (number != plans || running) {
                return;
            }
            if (isHeldUp()) {
                plan.whenAnswered(disk, () -> pieceOfPlan(number));
            } else {
                piece();
            }
        }

        private void piece() {
            plans++;
            isDue = false;
            woken = false;
            running = true;
            DrivenWorker outer = current;
            current = this;
            NeverAnswered never;
            try {
                never = NeverAnswered.in(() -> pause = work.run());
                hangs = never != null;
            } finally {
                running = hangs;
                current = outer;
            }
            if (hangs) {
                if (never.isProcessGone()) {
                    Coroutine.rethrow(never);
                }
                return;
            }
            if (failure != null) {
                throw failure;
            }
            if (pause == Work.NEVER) {
                ended = true;
            } else if (pause == Work.AT_ONCE) {
                due(Reason.MORE);
            } else if (woken) {
                due(Reason.WOKEN);
            } else if (pause != Work.WHEN_WOKEN) {
                plan(Reason.TIME, pause);
            }
        }

        @Override
        public boolean isCurrent() {
            return current == this;
        }

        @Override
        public boolean join(long maxNanos) {
            long since = nanoTime();
            if (started && !isCurrent()) {
                String what = "the end of " + workerName;
                DrivenScheduler.this.await(what, () -> ended || nanoTime() - since >= maxNanos);
            }
            return ended || !started;
        }

        @Override
        public void join() {
            if (started && !isCurrent()) {
                DrivenScheduler.this.await("the end of " + workerName, () -> ended);
            }
        }
    }

    private final class DrivenTasks implements TaskQueue {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private final DrivenWorker worker;

        private DrivenTasks(String queueName) {
            worker = new DrivenWorker(queueName, this::runNext);
            workers.add(worker);
        }

        private long runNext() {
            tasks.removeFirst().run();
            return tasks.isEmpty() ? Work.WHEN_WOKEN : Work.AT_ONCE;
        }

        @Override
        public void execute(Runnable task) {
            tasks.addLast(task);
            if (worker.started) {
                worker.wake();
            } else {
                worker.start();
            }
        }

        @Override
        public void close() {
            await("the tasks of " + worker.workerName, tasks::isEmpty);
        }
    }
}
