package io.chainkeeper.server;

import io.chainkeeper.replica.TotalOrder.ReadWaiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Reads that wait until a position has been executed. Not thread-safe. */
final class ReadBarriers {
    private record Barrier(long position, ReadWaiter waiter) {}

    private final Deque<Barrier> barriers = new ArrayDeque<>();

    void add(long position, ReadWaiter waiter) {
        barriers.add(new Barrier(position, waiter));
    }

    boolean isEmpty() {
        return barriers.isEmpty();
    }

    List<ReadWaiter> takeBelow(long position) {
        List<ReadWaiter> taken = new ArrayList<>();
        while (!barriers.isEmpty() && barriers.peek().position < position) {
            taken.add(barriers.poll().waiter);
        }
        return taken;
    }
}
