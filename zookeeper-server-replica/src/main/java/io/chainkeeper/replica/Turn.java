package io.chainkeeper.replica;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which thread may touch the protocol: one at a time, whichever has the turn. What a thread did in its turn is visible
 * to the next one. All methods may be called by any thread.
 */
final class Turn {
    private enum State {
        FREE,
        /** Somebody sees to it that a thread takes the turn. */
        ASKED,
        TAKEN,
        OVER
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.TAKEN);

    /** The thread that starts the protocol has the first turn. */
    Turn() {}

    /**
     * Asks for a turn. Whoever has one must look for further inputs after {@link #leave}, so none is overlooked.
     *
     * @return whether the caller has to see to it that a thread takes the turn; false if somebody has it or was asked
     */
    boolean ask() {
        return state.compareAndSet(State.FREE, State.ASKED);
    }

    /** @return whether the calling thread has the turn now */
    boolean take() {
        while (true) {
            State present = state.get();
            if (present == State.TAKEN || present == State.OVER) {
                return false;
            }
            if (state.compareAndSet(present, State.TAKEN)) {
                return true;
            }
        }
    }

    /** Ends the calling thread's turn. */
    void leave() {
        InvariantViolated.check(state.compareAndSet(State.TAKEN, State.FREE), "a turn is left that is %s", state.get());
    }

    /** The thread that has the turn has failed: there is no further one. */
    void breakOff() {
        state.set(State.OVER);
    }

    /** @return whether there is no further turn from now on; false if somebody has it */
    boolean end() {
        return state.get() == State.OVER || take() && state.compareAndSet(State.TAKEN, State.OVER);
    }
}
