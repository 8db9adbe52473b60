package io.chainkeeper.simulation.time;

import java.util.PriorityQueue;

/** Virtual time: what is going to happen, in order. Events of one instant happen in the order they were planned in. */
public final class EventQueue {
    private record Event(long atMicros, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atMicros, other.atMicros);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long planned;
    private long nowMicros;
    private long steps;

    /** Plans an action for {@code delayMicros} from now, at least 0. */
    public void after(long delayMicros, Runnable action) {
        events.add(new Event(nowMicros + Math.max(0, delayMicros), planned++, action));
    }

    /** Lets the next event happen; returns false if there is none. */
    public boolean step() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        nowMicros = event.atMicros();
        steps++;
        event.action().run();
        return true;
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
