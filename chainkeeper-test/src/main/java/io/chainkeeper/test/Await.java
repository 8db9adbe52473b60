package io.chainkeeper.test;

import java.io.IOException;
import java.time.Duration;

/** Waits for what servers bring about. */
final class Await {
    private static final long POLL_MILLIS = 2;

    private Await() {}

    /** Something that becomes true. */
    @FunctionalInterface
    interface Condition {
        /** @throws IOException to end the waiting */
        boolean holds() throws IOException;
    }

    /**
     * @param limit how long at most
     * @param condition asked again and again
     * @return whether it has come to hold
     * @throws IOException if the condition throws it, or the thread is interrupted
     */
    static boolean within(Duration limit, Condition condition) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for servers of a test", e);
            }
        }
        return true;
    }

    /**
     * Waits to the end although the thread is or becomes interrupted, and leaves it so.
     *
     * @param waiting returns early, with the thread interrupted, if that happens; can be done again
     */
    static void throughInterrupts(Runnable waiting) {
        boolean interrupted = false;
        try {
            do {
                interrupted |= Thread.interrupted();
                waiting.run();
            } while (Thread.currentThread().isInterrupted());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
