package io.chainkeeper.simulation.swarm;

import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The faults and requests of a run, in the order in which they come up. Each has a name that is the same whatever else
 * is left out: faults are counted by kind, requests by client. So a run is a list that parts can be taken from.
 */
public final class Decisions {
    private final Selection selection;
    private final Trace trace;
    private final Map<String, Integer> drawn = new TreeMap<>();
    private final Map<String, Integer> effective = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();

    /**
     * @param selection what happens
     * @param trace told of every fault that does
     */
    public Decisions(Selection selection, Trace trace) {
        this.selection = selection;
        this.trace = trace;
    }

    /** A fault is due; returns whether it happens. */
    public boolean happens(Fault kind) {
        return happens(name(kind));
    }

    private static String name(Fault kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The same for a fault that is no {@link Fault} of its own; each time that it is due has a number. */
    public boolean happens(String kind) {
        int number = drawn.merge(kind, 1, Integer::sum);
        String name = kind + ":" + number;
        if (!selection.has(name)) {
            return false;
        }
        faults.add(name);
        trace.record(0, "fault", number, kind);
        return true;
    }

    /** A fault that happens has changed something; once for each that happens, at most. */
    public void tookEffect(Fault kind) {
        tookEffect(name(kind));
    }

    /** The same for a fault that is no {@link Fault} of its own. */
    public void tookEffect(String kind) {
        effective.merge(kind, 1, Integer::sum);
    }

    /**
     * A client is about to ask for something; returns whether it does.
     *
     * @param client number of the client
     * @param number of the times that it was about to, from 1 on
     */
    public boolean asks(long client, long number) {
        String name = client + ":" + number;
        if (!selection.hasRequest(name)) {
            return false;
        }
        requests.add(name);
        return true;
    }

    /** How many faults of each kind were due, and how many of them had an effect. */
    public Map<String, FaultCount> counts() {
        Map<String, FaultCount> counts = new TreeMap<>();
        drawn.forEach((kind, due) -> counts.put(kind, new FaultCount(due, effective.getOrDefault(kind, 0))));
        return counts;
    }

    /** Names of the faults that happened, in their order. */
    public List<String> faults() {
        return faults;
    }

    /** Names of the requests that were made, or would have been if there had been somebody to ask; in their order. */
    public List<String> requests() {
        return requests;
    }
}
