package io.chainkeeper.main;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** How long the demo waits for one thing. */
final class Deadline {
    /** Enough for a slow machine to start three servers; a wait that takes longer has failed. */
    private static final long SECONDS = 120;

    private final String awaited;
    private final long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);

    /** @param awaited what is waited for, for the message */
    Deadline(String awaited) {
        this.awaited = awaited;
    }

    /** @return time left, at least 0 */
    long remainingMillis() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
    }

    /** @throws IOException if the time is over */
    void check() throws IOException {
        require(remainingMillis() > 0);
    }

    /**
     * Checks that what was awaited came.
     *
     * @param came whether it did
     * @throws IOException if not
     */
    void require(boolean came) throws IOException {
        if (!came) {
            throw new IOException("waited " + SECONDS + " s in vain for " + awaited);
        }
    }
}
