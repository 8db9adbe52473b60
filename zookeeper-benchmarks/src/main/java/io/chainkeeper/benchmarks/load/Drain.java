package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The end of a load: what is in flight is waited for, so that it does not burden what comes next. */
final class Drain {
    private static final long DRAIN_SECONDS = 60;
    private static final long POLL_MILLIS = 5;

    private Drain() {}

    /**
     * Waits until nothing is in flight.
     *
     * @param clients to which nothing new is given any more
     * @throws IOException if a client failed, or operations are not answered
     */
    static void await(Clients clients) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
        while (clients.outstanding() > 0) {
            clients.checkHealthy();
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        clients.outstanding() + " operations were not answered within " + DRAIN_SECONDS + " s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        }
    }
}
