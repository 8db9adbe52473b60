package io.chainkeeper.replica;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.OrderingProtocol;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The inputs that wait for a protocol, and which thread may run the protocol: one at a time. What a thread did during
 * its run is visible to the thread of the next run. All methods but {@link #poll} may be called by any thread.
 */
final class Mailbox {
    /** An input other than a proposal, a read or a message. */
    interface Input {
        void feed(OrderingProtocol protocol);
    }

    /** Of those that wait only the newest is told, so that they do not pile up while nobody takes inputs. */
    record CheckpointTaken(long position) implements Input {
        @Override
        public void feed(OrderingProtocol protocol) {
            protocol.onCheckpoint(position);
        }
    }

    record Arrived(int peer, Message message, int frameBytes) {}

    private enum State {
        /** No thread runs the protocol, and none was asked to. */
        IDLE,
        /** A thread was asked to run the protocol. */
        SCHEDULED,
        /** A thread runs the protocol. */
        RUNNING,
        /** No thread runs the protocol again. */
        STOPPED
    }

    /**
     * Of inputs other than commands, reads and frames: links that come up and end, answers of disks, checkpoints, other
     * ensembles. They come one by one and seldom, so that so many mean that nobody takes them.
     */
    private static final int MOST_EVENTS = 1_024;

    private static final long NONE = -1;

    private final Queue<Object> inputs = new ConcurrentLinkedQueue<>();

    /** The newest checkpoint that waits to be told. */
    private final AtomicLong newestCheckpoint = new AtomicLong(NONE);

    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    /** The thread that starts the protocol has the first run. */
    Mailbox() {}

    /**
     * Adds an input behind all others, unless one that waits tells it too. The caller then sees to it that a thread
     * runs: {@link #trySchedule}.
     */
    void add(Object input) {
        if (!(input instanceof CheckpointTaken taken)) {
            inputs.add(input);
        } else if (newestCheckpoint.getAndAccumulate(taken.position(), Math::max) == NONE) {
            inputs.add(taken);
        }
    }

    /**
     * Removes the oldest input. Only for the thread that runs.
     *
     * @return the input, null if none waits
     */
    Object poll() {
        Object input = inputs.poll();
        return input instanceof CheckpointTaken ? new CheckpointTaken(newestCheckpoint.getAndSet(NONE)) : input;
    }

    boolean isEmpty() {
        return inputs.isEmpty();
    }

    /** @return how many inputs wait; takes as long as there are inputs */
    int size() {
        return inputs.size();
    }

    /**
     * Tells how much waits, of each kind that is bounded: reads are, by what clients may ask at a time. Takes as long
     * as there are inputs.
     */
    void tellOccupancy(Occupancy occupancy, ReplicaLimits limits) {
        long commandBytes = 0;
        long offeredBytes = 0;
        int events = 0;
        long[] frameBytes = new long[0];
        for (Object input : inputs) {
            if (input instanceof Proposal proposal) {
                long bytes = proposal.command().length() + ReplicaLimits.COMMAND_COST_BYTES;
                commandBytes += proposal.isOffered() ? 0 : bytes;
                offeredBytes += proposal.isOffered() ? bytes : 0;
            } else if (input instanceof Arrived arrived) {
                if (arrived.peer() >= frameBytes.length) {
                    frameBytes = Arrays.copyOf(frameBytes, arrived.peer() + 1);
                }
                frameBytes[arrived.peer()] += arrived.frameBytes();
            } else if (!(input instanceof TotalOrder.ReadWaiter)) {
                events++;
            }
        }
        long most = 0;
        for (long ofPeer : frameBytes) {
            most = Math.max(most, ofPeer);
        }
        occupancy.holds("mailbox_command_bytes", commandBytes, limits.maxOutstandingBytes(), Slack.ONE_COMMAND);
        occupancy.holds("mailbox_offered_bytes", offeredBytes, limits.maxOfferedBytes(), Slack.ONE_COMMAND);
        occupancy.holds("mailbox_frame_bytes", most, limits.maxInboundBytes(), Slack.ONE_READ);
        occupancy.holds("mailbox_events", events, MOST_EVENTS, Slack.NONE);
    }

    /**
     * Asks for a run. A thread that runs must look for further inputs after {@link #endRun}, so that none is missed.
     *
     * @return whether the caller has to find a thread that runs; false if one runs already or was asked to
     */
    boolean trySchedule() {
        return state.compareAndSet(State.IDLE, State.SCHEDULED);
    }

    /** @return whether the calling thread runs the protocol from now on; also if another thread was asked to */
    boolean tryBeginRun() {
        while (true) {
            State present = state.get();
            if (present == State.RUNNING || present == State.STOPPED) {
                return false;
            }
            if (state.compareAndSet(present, State.RUNNING)) {
                return true;
            }
        }
    }

    /** The thread that runs has finished. */
    void endRun() {
        InvariantViolated.check(state.compareAndSet(State.RUNNING, State.IDLE), "a run ends that is %s", state.get());
    }

    /** The thread that runs has failed: there is no further run. */
    void abortRun() {
        state.set(State.STOPPED);
    }

    /** @return whether there is no further run from now on; false while another thread runs */
    boolean tryStop() {
        return state.get() == State.STOPPED || tryBeginRun() && state.compareAndSet(State.RUNNING, State.STOPPED);
    }
}
