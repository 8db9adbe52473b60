package io.chainkeeper.simulation.scenario;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** Accesses of replicas to shared disks that wait until a scenario says that they happen. */
final class HeldAccesses {
    private final Runnable settle;
    private final Map<Integer, Deque<Runnable>> held = new TreeMap<>();

    /** @param settle lets everything happen that an access has brought about */
    HeldAccesses(Runnable settle) {
        this.settle = settle;
    }

    boolean isHeld(int replica) {
        return held.containsKey(replica);
    }

    void add(int replica, Runnable access) {
        held.get(replica).addLast(access);
    }

    /** From now on those of a replica wait. */
    void hold(int replica) {
        held.putIfAbsent(replica, new ArrayDeque<>());
    }

    /** So many steps of those that wait happen: a write, its force, or a read is one. */
    void step(int replica, int steps) {
        for (int i = 0; i < steps; i++) {
            Deque<Runnable> waiting = held.get(replica);
            InvariantViolated.check(
                    waiting != null && !waiting.isEmpty(), "no access of replica %d to shared disks waits", replica);
            waiting.removeFirst().run();
            settle.run();
        }
    }

    /** They go on. */
    void free(int replica) {
        Deque<Runnable> waiting = held.remove(replica);
        if (waiting != null) {
            waiting.forEach(Runnable::run);
            settle.run();
        }
    }

    /** Nothing of them happens any more. */
    void crashed(int replica) {
        held.remove(replica);
    }
}
