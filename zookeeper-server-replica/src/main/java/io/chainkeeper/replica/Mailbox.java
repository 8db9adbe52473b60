package io.chainkeeper.replica;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The inputs that wait for a protocol, and which thread may run the protocol: one at a time. What a thread did during
 * its run is visible to the thread of the next run. All methods but {@link #poll} may be called by any thread.
 */
final class Mailbox {
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

    private final Queue<Object> inputs = new ConcurrentLinkedQueue<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    /** The thread that starts the protocol has the first run. */
    Mailbox() {}

    /** Adds an input behind all others. The caller then sees to it that a thread runs: {@link #trySchedule}. */
    void add(Object input) {
        inputs.add(input);
    }

    /**
     * Removes the oldest input. Only for the thread that runs.
     *
     * @return the input, null if none waits
     */
    Object poll() {
        return inputs.poll();
    }

    boolean isEmpty() {
        return inputs.isEmpty();
    }

    /** @return how many inputs wait; takes as long as there are inputs */
    int size() {
        return inputs.size();
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
