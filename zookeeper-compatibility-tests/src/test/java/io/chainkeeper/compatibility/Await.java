package io.chainkeeper.compatibility;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Waits for what other threads bring about. */
final class Await {
    private static final long LIMIT_SECONDS = 60;
    private static final long POLL_MILLIS = 5;

    private Await() {}

    /** Something that becomes true. */
    @FunctionalInterface
    interface Condition {
        /** @throws IOException to end the waiting */
        boolean holds() throws IOException;
    }

    /**
     * Waits until the condition holds.
     *
     * @param what the condition in words
     * @throws IOException if it does not hold within a minute, or the thread is interrupted
     */
    static void until(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("after " + LIMIT_SECONDS + " s still waiting for: " + what);
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for: " + what, e);
            }
        }
    }
}
