package io.chainkeeper.server.transfer;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots for members that need a newer state than the newest snapshot holds: one at a time, and not one soon after
 * another. Safe for use by any thread.
 */
final class SnapshotOnDemand {
    /** From the end of one to the beginning of the next. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotOnDemand.class);

    private final SnapshotSender.Snapshots snapshots;
    private final Waiting waiting;
    private final LongSupplier clockNanos;
    private CompletableFuture<?> running;
    private boolean tookOne;
    private boolean closed;

    /** Why the latest could not be taken, null if it was. */
    private String refusal;

    private long endedNanos;

    /**
     * @param snapshots takes them
     * @param waiting lets whoever needs one wait for it
     * @param clockNanos a monotonic clock
     */
    SnapshotOnDemand(SnapshotSender.Snapshots snapshots, Waiting waiting, LongSupplier clockNanos) {
        this.snapshots = snapshots;
        this.waiting = waiting;
        this.clockNanos = clockNanos;
    }

    /**
     * Sees to a snapshot of at least a position, and waits for it for a while.
     *
     * @param peer who needs it
     * @param leastPosition what it needs
     * @param patienceNanos how long to wait
     * @return whether it has been taken; else ask again
     * @throws IOException if it cannot be taken now, with the reason
     */
    boolean await(int peer, long leastPosition, long patienceNanos) throws IOException {
        return waiting.await(begin(peer, leastPosition), patienceNanos);
    }

    private synchronized CompletableFuture<?> begin(int peer, long leastPosition) throws IOException {
        if (running != null && !running.isDone()) {
            return running;
        }
        if (closed) {
            throw new IOException("it is stopping");
        }
        long position = snapshots.executedPosition();
        if (position < leastPosition) {
            throw new IOException("its own state reaches only position " + position + ", but that of position "
                    + leastPosition + " or later is needed");
        }
        if (tookOne && clockNanos.getAsLong() - endedNanos < PAUSE_NANOS) {
            throw new IOException(
                    refusal == null
                            ? "it has just taken a snapshot for another server; it takes the next one soon"
                            : refusal);
        }
        LOG.info(
                "Server {} needs the state of position {} or later, which no snapshot here holds: taking one at {}",
                peer,
                leastPosition,
                position);
        running = snapshots.take().whenComplete((snapshot, failure) -> ended(failure));
        return running;
    }

    private synchronized void ended(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        refusal = cause == null ? null : cause.getMessage() == null ? cause.toString() : cause.getMessage();
        tookOne = true;
        endedNanos = clockNanos.getAsLong();
    }

    /** Takes no more. */
    synchronized void close() {
        closed = true;
    }
}
