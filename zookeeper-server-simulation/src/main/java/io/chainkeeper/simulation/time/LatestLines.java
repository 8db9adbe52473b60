package io.chainkeeper.simulation.time;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps the latest lines of a trace, with virtual time. */
public final class LatestLines implements Trace.Listener {
    private final EventQueue clock;
    private final int maxLines;
    private final Deque<String> lines = new ArrayDeque<>();

    /**
     * @param clock virtual time
     * @param maxLines how many lines are kept, positive if anything is traced
     */
    public LatestLines(EventQueue clock, int maxLines) {
        this.clock = clock;
        this.maxLines = maxLines;
    }

    @Override
    public void happened(int replica, String what, long number, Object detail) {
        if (lines.size() == maxLines) {
            lines.removeFirst();
        }
        lines.addLast(String.format(
                "%11.3f ms  %5s  %s %d%s",
                clock.nowMicros() / 1000.0,
                replica == 0 ? "world" : replica,
                what,
                number,
                detail == null ? "" : " " + detail));
    }

    /** The latest lines, oldest first. */
    public List<String> lines() {
        return new ArrayList<>(lines);
    }
}
