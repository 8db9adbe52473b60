package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** When replicas stood still: their machines, or those of their threads that wait for the order to do something. */
public final class Waits {
    private final EventQueue events;
    private final List<Machine> machines;
    private final Map<Integer, Pauses> over = new TreeMap<>();
    private final Map<Integer, Long> sinceMicros = new TreeMap<>();

    /**
     * @param events virtual time
     * @param machines of all replicas, by id
     */
    Waits(EventQueue events, List<Machine> machines) {
        this.events = events;
        this.machines = machines;
    }

    /** See {@link World#standsStill}. */
    void standStill(int id, boolean now) {
        if (now) {
            sinceMicros.put(id, events.nowMicros() + 1); // a wait behind another one is one of its own
            return;
        }
        long since = sinceMicros.remove(id);
        if (since < events.nowMicros()) {
            over.computeIfAbsent(id, replica -> new Pauses()).begin(since, events.nowMicros());
        }
    }

    /**
     * For how long a replica has stood still.
     *
     * @param id of the replica
     * @param fromMicros from then on
     * @param leastMicros pauses of its machine of at least this length count, and waits of twice that: it looks
     *     at those from time to time only
     * @return the longer one of both
     */
    public long stoodStillMicros(int id, long fromMicros, long leastMicros) {
        long now = events.nowMicros();
        long paused = machines.get(id - 1).pauses.between(fromMicros, now, leastMicros);
        Pauses ended = over.get(id);
        long waited = ended == null ? 0 : ended.between(fromMicros, now, 2 * leastMicros);
        Long since = sinceMicros.get(id);
        if (since != null && now - since >= 2 * leastMicros) {
            waited += now - Math.max(since, fromMicros);
        }
        return Math.max(paused, waited);
    }
}
