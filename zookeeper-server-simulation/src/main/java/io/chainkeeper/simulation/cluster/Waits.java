package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * Threads of replicas that wait until the order has done something for them. Events happen meanwhile, in the middle of
 * what the thread does; of several that wait, the one that has begun last goes on first. It is known when a replica
 * stood still so: somebody waited, and none of its own commands was applied.
 */
public final class Waits {
    private final EventQueue events;
    private final Trace trace;
    private final List<Machine> machines;
    private final Map<Integer, Stuck> replicas = new TreeMap<>();
    private IntConsumer whenTimePasses = id -> {};

    /** A replica in which somebody waits, or has waited. */
    private static final class Stuck {
        private final Pauses pauses = new Pauses();
        private ReplicaHost host;
        private long sinceMicros;
        private long lastMicros;
        private long applied;
    }

    /**
     * @param events virtual time
     * @param trace told who begins to wait
     * @param machines of all replicas, by id
     */
    Waits(EventQueue events, Trace trace, List<Machine> machines) {
        this.events = events;
        this.trace = trace;
        this.machines = machines;
    }

    /** Sets what is done whenever something has happened while a replica waited; it is given the replica's id. */
    public void whenTimePasses(IntConsumer action) {
        whenTimePasses = action;
    }

    /** Lets something happen while a thread of a replica waits. */
    boolean othersGoOn(ReplicaHost host) {
        Stuck stuck = replicas.computeIfAbsent(host.id(), id -> new Stuck());
        boolean goesOn =
                stuck.host == host && stuck.applied == host.appliedOwn() && stuck.lastMicros == events.nowMicros();
        if (!goesOn) {
            trace.record(host.id(), "waits for room to propose", host.appliedOwn(), null);
            stuck.host = host;
            stuck.applied = host.appliedOwn();
            stuck.sinceMicros = events.nowMicros() + 1; // a wait behind another one is one of its own
        }
        boolean hasHappened = events.stepWithin();
        stuck.lastMicros = events.nowMicros();
        if (stuck.applied == host.appliedOwn() && stuck.sinceMicros < stuck.lastMicros) {
            stuck.pauses.begin(stuck.sinceMicros, stuck.lastMicros);
        }
        whenTimePasses.accept(host.id());
        return hasHappened;
    }

    /**
     * For how long a replica has stood still.
     *
     * @param id of the replica
     * @param sinceMicros from then on
     * @param leastMicros pauses of its machine of at least this length count, and waits of twice that: it looks
     *     at those from time to time only
     * @return the longer one of both
     */
    public long stoodStillMicros(int id, long sinceMicros, long leastMicros) {
        long now = events.nowMicros();
        long paused = machines.get(id - 1).pauses.between(sinceMicros, now, leastMicros);
        Stuck stuck = replicas.get(id);
        return stuck == null ? paused : Math.max(paused, stuck.pauses.between(sinceMicros, now, 2 * leastMicros));
    }
}
