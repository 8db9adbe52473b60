package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.TotalOrder.ReadWaiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Those who wait to be told that a read can be answered, each of whom is told once. */
final class Readers {
    private final int replica;
    private final Map<Long, ReadWaiter> waiting = new TreeMap<>();
    private long latest;

    /** @param replica whose they are */
    Readers(int replica) {
        this.replica = replica;
    }

    /** Another one waits; returns what is to be told in its place. */
    ReadWaiter add(ReadWaiter waiter) {
        long number = ++latest;
        waiting.put(number, waiter);
        return new ReadWaiter() {
            @Override
            public void barrierReached() {
                told();
                waiter.barrierReached();
            }

            @Override
            public void barrierReached(long reachedNanos) {
                told();
                waiter.barrierReached(reachedNanos);
            }

            private void told() {
                InvariantViolated.check(
                        waiting.remove(number) != null, "replica %d: a reader is told twice: %s", replica, waiter);
            }
        };
    }

    /** Removes all that wait. */
    List<ReadWaiter> takeAll() {
        List<ReadWaiter> all = new ArrayList<>(waiting.values());
        waiting.clear();
        return all;
    }

    int size() {
        return waiting.size();
    }
}
