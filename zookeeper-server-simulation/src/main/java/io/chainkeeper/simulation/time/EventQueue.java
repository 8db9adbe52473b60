package io.chainkeeper.simulation.time;

import java.util.Arrays;

/** Virtual time: what is going to happen, in order. Events of one instant happen in the order they were planned in. */
public final class EventQueue {
    private static final int FIRST_CAPACITY = 256;

    /** A heap of events in three arrays: a queue of objects takes an eighth of a run's time. */
    private long[] atMicros = new long[FIRST_CAPACITY];

    private long[] orders = new long[FIRST_CAPACITY];
    private Runnable[] actions = new Runnable[FIRST_CAPACITY];
    private int size;
    private long planned;
    private long nowMicros;
    private long steps;

    /** What an event failed with that happened in the middle of another one. */
    private Throwable failure;

    /** Plans an action for {@code delayMicros} from now, at least 0. */
    public void after(long delayMicros, Runnable action) {
        if (size == actions.length) {
            atMicros = Arrays.copyOf(atMicros, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            actions = Arrays.copyOf(actions, 2 * size);
        }
        long at = nowMicros + Math.max(0, delayMicros);
        int place = size++;
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (atMicros[parent] <= at) {
                break; // what was planned earlier for the same instant stays before it
            }
            move(parent, place);
            place = parent;
        }
        put(place, at, planned++, action);
    }

    private void put(int place, long at, long order, Runnable action) {
        atMicros[place] = at;
        orders[place] = order;
        actions[place] = action;
    }

    private void move(int from, int to) {
        put(to, atMicros[from], orders[from], actions[from]);
    }

    private boolean isBefore(int one, int other) {
        return atMicros[one] != atMicros[other] ? atMicros[one] < atMicros[other] : orders[one] < orders[other];
    }

    /** Lets the next event happen; returns false if there is none. */
    public boolean step() {
        throwFailure();
        if (size == 0) {
            return false;
        }
        nowMicros = atMicros[0];
        Runnable action = actions[0];
        removeFirst();
        steps++;
        action.run();
        return true;
    }

    /**
     * Lets the next event happen in the middle of another one. What fails in it ends the run, whatever those in between
     * make of it.
     *
     * @return false if there is none
     */
    public boolean stepWithin() {
        try {
            return step();
        } catch (RuntimeException | Error e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }

    private void throwFailure() {
        if (failure instanceof Error error) {
            throw error;
        } else if (failure != null) {
            throw (RuntimeException) failure;
        }
    }

    /** The last event goes to the top and sinks to where it belongs. */
    private void removeFirst() {
        int last = --size;
        int place = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && isBefore(child + 1, child)) {
                child++;
            }
            if (isBefore(last, child)) {
                break;
            }
            move(child, place);
            place = child;
            child = 2 * place + 1;
        }
        move(last, place);
        actions[last] = null;
    }

    /** Virtual time since the run began. */
    public long nowMicros() {
        return nowMicros;
    }

    /** How many events have happened. */
    public long steps() {
        return steps;
    }
}
