package io.chainkeeper.replica;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;

/**
 * The one thread that executes: takes what the order has delivered, in order, skips repeats, and calls the application.
 * Barriers pass through the same queue, so that a read sees everything delivered before its barrier.
 */
final class ApplyThread implements Runnable {
    private record Delivered(long position, ByteSlice value, long prefixHash, long sinceNanos) {}

    private record Barrier(List<TotalOrder.ReadWaiter> waiters) {}

    private final Application application;
    private final ProposerTable proposers;
    private final OwnCommands own;
    private final Runnable onDrained;
    private final FailureHandler failure;
    private final Thread thread;

    private final Object lock = new Object();
    private ArrayDeque<Object> waiting = new ArrayDeque<>();
    private boolean stopping;
    private boolean idle;
    private boolean superseded;

    private volatile long backlogBytes;
    private volatile long appliedPosition;

    private final Measure waitMicros = new Measure("executor_wait_micros");
    private final Measure executeMicros = new Measure("execute_micros");
    private final Measure batchCommands = new Measure("batch_commands");
    private final Measure batchBytes = new Measure("batch_bytes");

    /**
     * @param application executes what is delivered
     * @param own this replica's own commands
     * @param onDrained called by the thread when it has executed what it had at hand
     * @param failure told if executing fails
     */
    ApplyThread(Application application, OwnCommands own, Runnable onDrained, FailureHandler failure) {
        this.application = application;
        this.proposers = application.proposerTable();
        this.appliedPosition = application.recoveredPosition();
        this.own = own;
        this.onDrained = onDrained;
        this.failure = failure;
        this.thread = new Thread(this, "executor-" + own.replicaId());
    }

    void start() {
        thread.start();
    }

    /** Protocol host: queues a decided value. Woken by {@link #wake}. */
    void deliver(long position, ByteSlice value, long prefixHash) {
        synchronized (lock) {
            waiting.add(new Delivered(position, value, prefixHash, System.nanoTime()));
            backlogBytes += value.length() + ReplicaLimits.COMMAND_COST_BYTES;
        }
    }

    /**
     * Protocol host: waits until less than so many bytes wait for execution.
     *
     * @throws PartStoppedException if this thread has stopped, so that there will never be room
     */
    void awaitRoom(long maxBacklogBytes) {
        if (backlogBytes <= maxBacklogBytes) {
            return;
        }
        synchronized (lock) {
            while (backlogBytes > maxBacklogBytes) {
                if (stopping) {
                    throw new PartStoppedException("the apply thread has stopped");
                }
                lock.notifyAll();
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new ReplicaStoppedException("interrupted while waiting for the apply thread");
                }
            }
        }
    }

    /** Protocol host: releases reads after everything delivered so far. */
    void barrier(List<TotalOrder.ReadWaiter> waiters) {
        synchronized (lock) {
            waiting.add(new Barrier(waiters));
        }
    }

    /** Protocol host: once after each batch of inputs. */
    void wake() {
        synchronized (lock) {
            if (idle && !waiting.isEmpty()) {
                lock.notifyAll();
            }
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

    @Override
    public void run() {
        try {
            ArrayDeque<Object> batch = awaitWork();
            while (batch != null) {
                execute(batch);
                batch = awaitWork();
            }
        } catch (RuntimeException | Error | MalformedMessageException e) {
            stop(); // a host that waits for room must not wait for ever
            application.executionFailed();
            failure.failed(
                    "Executing the order failed after position " + appliedPosition + ": " + e.getMessage()
                            + ". This replica stops; the others go on.",
                    e);
        }
    }

    private ArrayDeque<Object> awaitWork() {
        synchronized (lock) {
            while (waiting.isEmpty()) {
                if (stopping) {
                    return null;
                }
                idle = true;
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new ReplicaStoppedException("interrupted while waiting for the order");
                }
                idle = false;
            }
            ArrayDeque<Object> batch = waiting;
            waiting = new ArrayDeque<>();
            return batch;
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
                ((Barrier) item).waiters().forEach(TotalOrder.ReadWaiter::barrierReached);
            }
        }
        application.batchEnd();
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
        waitMicros.addMicrosSince(delivered.sinceNanos());
        long begin = System.nanoTime();
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
    }

    /** Executes what was delivered, then ends the thread. */
    void close() throws InterruptedException {
        stop();
        if (Thread.currentThread() != thread) {
            thread.join();
        }
    }
}
