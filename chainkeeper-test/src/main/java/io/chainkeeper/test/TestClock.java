package io.chainkeeper.test;

import java.util.concurrent.atomic.AtomicLong;

/** The time of an ensemble: the system's, and how far the test has moved it on. Safe for use by any thread. */
final class TestClock {
    private final AtomicLong aheadNanos = new AtomicLong();
    private final AtomicLong moves = new AtomicLong();

    long nanoTime() {
        return System.nanoTime() + aheadNanos.get();
    }

    long currentTimeMillis() {
        return System.currentTimeMillis() + aheadNanos.get() / 1_000_000;
    }

    /** Moves it on; the workers that wait for a time have to be woken. */
    void move(long nanos) {
        aheadNanos.addAndGet(nanos);
        moves.incrementAndGet();
    }

    /** How often it has been moved. */
    long moves() {
        return moves.get();
    }
}
