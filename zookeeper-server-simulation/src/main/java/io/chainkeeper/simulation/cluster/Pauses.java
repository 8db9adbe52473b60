package io.chainkeeper.simulation.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** When a machine has stood still. Pauses that overlap are one. */
public final class Pauses {
    private record Pause(long fromMicros, long untilMicros) {}

    private final Deque<Pause> pauses = new ArrayDeque<>();

    /** From now on until then, or, if that is later, until the end of a pause that lasts already. */
    public void begin(long nowMicros, long untilMicros) {
        Pause latest = pauses.peekLast();
        if (latest == null || latest.untilMicros() < nowMicros) {
            pauses.addLast(new Pause(nowMicros, untilMicros));
        } else if (latest.untilMicros() < untilMicros) {
            pauses.removeLast();
            pauses.addLast(new Pause(latest.fromMicros(), untilMicros));
        }
    }

    /** Whatever lasts is over. */
    public void end(long nowMicros) {
        Pause latest = pauses.peekLast();
        if (latest != null && latest.untilMicros() > nowMicros) {
            pauses.removeLast();
            pauses.addLast(new Pause(latest.fromMicros(), nowMicros));
        }
    }

    /** How much of the time between two moments passed in pauses of at least this length. */
    public long between(long fromMicros, long toMicros, long leastMicros) {
        long sum = 0;
        Iterator<Pause> newestFirst = pauses.descendingIterator();
        while (newestFirst.hasNext()) {
            Pause pause = newestFirst.next();
            if (pause.untilMicros() <= fromMicros) {
                break;
            }
            if (pause.untilMicros() - pause.fromMicros() >= leastMicros) {
                sum += Math.max(0, Math.min(pause.untilMicros(), toMicros) - Math.max(pause.fromMicros(), fromMicros));
            }
        }
        return sum;
    }
}
