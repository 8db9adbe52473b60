package io.chainkeeper.replica;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The one worker that executes: takes what the order has delivered, in order, skips repeats, and calls the application.
 * Barriers pass through the same queue, so that a read sees everything delivered before its barrier.
 */
final class ApplyThread {
    private record Delivered(long position, ByteSlice value, long prefixHash, long sinceNanos) {}

    private record Barrier(List<TotalOrder.ReadWaiter> waiters, long reachedNanos) {}

    private final Application application;
    private final ProposerTable proposers;
    private final OwnCommands own;
    private final PositionTimes times;
    private final Runnable onDrained;
    private final FailureHandler failure;
    private final Scheduler scheduler;
    private final Worker worker;

    private final Object lock = new Object();
    private ArrayDeque<Object> waiting = new ArrayDeque<>();
    private boolean stopping;
    private boolean isIdle;
    private boolean superseded;

    /** The protocol host's, as what it was told last. */
    private boolean recovered;

    private long toldExecuted = -1;

    private volatile long backlogBytes;
    private volatile long appliedPosition;

    /** Behind it is what was applied by a batch that has not ended: its answers and its log may wait for the disk. */
    private volatile long executedPosition;

    private final Measure waitMicros;
    private final Measure executeMicros;
    private final Measure batchCommands;
    private final Measure batchBytes;

    /**
     * @param application executes what is delivered
     * @param own this replica's own commands
     * @param times told when positions begin to be executed
     * @param onDrained called by the worker when it has executed what it had at hand
     * @param failure told if executing fails
     * @param scheduler of the worker
     */
    ApplyThread(
            Application application,
            OwnCommands own,
            PositionTimes times,
            Runnable onDrained,
            FailureHandler failure,
            Scheduler scheduler) {
        this.application = application;
        this.proposers = application.proposerTable();
        this.appliedPosition = application.recoveredPosition();
        this.executedPosition = appliedPosition;
        this.own = own;
        this.times = times;
        this.onDrained = onDrained;
        this.failure = failure;
        this.scheduler = scheduler;
        this.worker = scheduler.worker("executor-" + own.replicaId(), this::work);
        this.waitMicros = new Measure("executor_wait_micros", scheduler::nanoTime);
        this.executeMicros = new Measure("execute_micros", scheduler::nanoTime);
        this.batchCommands = new Measure("batch_commands", scheduler::nanoTime);
        this.batchBytes = new Measure("batch_bytes", scheduler::nanoTime);
    }

    void start() {
        worker.start();
    }

    /** Protocol host: what is delivered from now on has not been found in the log by the start. */
    void recoveryEnded() {
        recovered = true;
    }

    /** Protocol host: queues a decided value. Woken by {@link #wake}. */
    void deliver(long position, ByteSlice value, long prefixHash) {
        long now = scheduler.nanoTime();
        if (recovered) {
            times.delivered(position, now);
        }
        synchronized (lock) {
            waiting.add(new Delivered(position, value, prefixHash, now));
            backlogBytes += value.length() + ReplicaLimits.COMMAND_COST_BYTES;
        }
    }

    /**
     * Protocol host: waits until less than so many bytes wait for execution.
     *
     * @throws PartStoppedException if this worker has stopped, so that there will never be room
     */
    void awaitRoom(long maxBacklogBytes) {
        if (backlogBytes <= maxBacklogBytes) {
            return;
        }
        synchronized (lock) {
            if (endIdleness()) {
                worker.wake();
            }
            scheduler.await(lock, "the apply thread", () -> backlogBytes <= maxBacklogBytes || stopping);
            if (backlogBytes > maxBacklogBytes) {
                throw new PartStoppedException("the apply thread has stopped");
            }
        }
    }

    /** Protocol host: releases reads after everything delivered so far. */
    void barrier(List<TotalOrder.ReadWaiter> waiters) {
        synchronized (lock) {
            waiting.add(new Barrier(waiters, scheduler.nanoTime()));
        }
    }

    /** Protocol host: once after each batch of inputs. */
    void wake() {
        boolean wakes;
        synchronized (lock) {
            wakes = !waiting.isEmpty() && endIdleness();
        }
        if (wakes) {
            worker.wake();
        }
    }

    /** Under the lock: returns whether the worker is to be woken, which is cheaper behind the lock. */
    private boolean endIdleness() {
        boolean wasIdle = isIdle;
        isIdle = false;
        return wasIdle;
    }

    /** Protocol host: says how far execution is, if that has changed since it was said last. */
    void tellExecuted(LongConsumer told) {
        long executed = executedPosition;
        if (executed != toldExecuted) {
            toldExecuted = executed;
            told.accept(executed);
        }
    }

    long backlogBytes() {
        return backlogBytes;
    }

    long appliedPosition() {
        return appliedPosition;
    }

    /** Puts how far execution is, and what its stages take. */
    void putGauges(Map<String, Long> gauges) {
        gauges.put("executor_backlog_bytes", backlogBytes);
        gauges.put("applied_position", appliedPosition);
        own.putGauges(gauges);
        waitMicros.put(gauges);
        executeMicros.put(gauges);
        batchCommands.put(gauges);
        batchBytes.put(gauges);
    }

    private long work() {
        try {
            ArrayDeque<Object> batch;
            synchronized (lock) {
                if (waiting.isEmpty()) {
                    isIdle = true;
                    return stopping ? Work.NEVER : Work.WHEN_WOKEN;
                }
                batch = waiting;
                waiting = new ArrayDeque<>();
            }
            execute(batch);
            return Work.AT_ONCE;
        } catch (RuntimeException | Error | MalformedMessageException e) {
            stop(); // a host that waits for room must not wait for ever
            application.executionFailed();
            failure.failed(
                    "Executing the order failed after position " + appliedPosition + ": " + e.getMessage()
                            + ". This replica stops; the others go on.",
                    e);
            return Work.NEVER;
        }
    }

    private void execute(ArrayDeque<Object> batch) throws MalformedMessageException {
        long bytes = 0;
        application.batchBegin();
        for (Object item : batch) {
            if (item instanceof Delivered delivered) {
                bytes += delivered.value().length() + ReplicaLimits.COMMAND_COST_BYTES;
                apply(delivered);
            } else {
                Barrier barrier = (Barrier) item;
                barrier.waiters().forEach(waiter -> waiter.barrierReached(barrier.reachedNanos()));
            }
        }
        application.batchEnd();
        executedPosition = appliedPosition;
        synchronized (lock) {
            backlogBytes -= bytes;
            lock.notifyAll();
        }
        onDrained.run();
    }

    private void apply(Delivered delivered) throws MalformedMessageException {
        long position = delivered.position();
        InvariantViolated.check(
                position == appliedPosition + 1, "position %d delivered after %d", position, appliedPosition);
        executedPosition = appliedPosition;
        waitMicros.addMicrosSince(delivered.sinceNanos());
        long begin = scheduler.nanoTime();
        times.begun(position, begin);
        application.positionBegins(position);
        if (BatchCodec.isMembership(delivered.value())) {
            application.membershipChanged(position, BatchCodec.decodeMembership(delivered.value()));
        } else {
            applyBatch(position, delivered.value());
        }
        appliedPosition = position;
        proposers.positionApplied(delivered.prefixHash());
        application.positionApplied(position);
        executeMicros.addMicrosSince(begin);
    }

    private void applyBatch(long position, ByteSlice value) throws MalformedMessageException {
        List<ProposedCommand> commands = BatchCodec.decode(value);
        batchCommands.add(commands.size());
        batchBytes.add(value.length());
        for (ProposedCommand command : commands) {
            boolean isOwn = own.contain(command);
            ProposerTable.Verdict verdict = proposers.advance(command);
            if (verdict == ProposerTable.Verdict.APPLY) {
                application.apply(position, command, isOwn ? own.poll(command) : null);
            } else if (isOwn && verdict == ProposerTable.Verdict.SUPERSEDED && !superseded) {
                superseded = true;
                application.superseded(proposers.incarnationOf(own.replicaId()));
            }
        }
    }

    private void stop() {
        synchronized (lock) {
            stopping = true;
            lock.notifyAll();
        }
        worker.wake();
    }

    /** Executes what was delivered, then ends the worker. */
    void close() throws InterruptedException {
        stop();
        worker.join();
    }
}
