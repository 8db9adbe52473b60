package io.chainkeeper.simulation.link;

import java.util.ArrayList;
import java.util.List;

/** One direction between two hosts. What arrives while the direction is cut is held back until the cut is healed. */
final class Path {
    private final VirtualNetwork network;
    private final int from;
    private final int to;
    private final List<Runnable> held = new ArrayList<>();
    private boolean cut;
    private long cutSinceMicros;
    private int slowFactor = 1;

    /**
     * @param network that it is part of
     * @param from host
     * @param to host
     */
    Path(VirtualNetwork network, int from, int to) {
        this.network = network;
        this.from = from;
        this.to = to;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    boolean isCut() {
        return cut;
    }

    /** Up to when everything has arrived that was due. */
    long openUntilMicros() {
        return cut ? cutSinceMicros : network.nowMicros();
    }

    void cut() {
        if (!cut) {
            cut = true;
            cutSinceMicros = network.nowMicros();
        }
    }

    /** What was held back arrives, in any order. */
    void heal() {
        if (cut) {
            cut = false;
            List<Runnable> arrivals = List.copyOf(held);
            held.clear();
            arrivals.forEach(arrival -> network.after(network.delayMicros(this), () -> arrive(arrival)));
        }
    }

    void slow(int factor) {
        slowFactor = factor;
    }

    int slowFactor() {
        return slowFactor;
    }

    /** Lets something arrive, now or, if the direction is cut, later. */
    void arrive(Runnable arrival) {
        if (cut) {
            held.add(arrival);
        } else {
            arrival.run();
        }
    }
}
