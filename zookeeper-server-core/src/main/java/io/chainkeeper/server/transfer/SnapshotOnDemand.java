package io.chainkeeper.server.transfer;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    private final ExecutorService thread;
    private final LongSupplier clockNanos;
    private CompletableFuture<Void> running;
    private boolean tookOne;

    /** Why the latest could not be taken, null if it was. */
    private String refusal;

    private long endedNanos;

    /**
     * @param snapshots takes them
     * @param thread where they are waited for
     * @param clockNanos a monotonic clock
     */
    SnapshotOnDemand(SnapshotSender.Snapshots snapshots, ExecutorService thread, LongSupplier clockNanos) {
        this.snapshots = snapshots;
        this.thread = thread;
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
        CompletableFuture<Void> begun = begin(peer, leastPosition);
        try {
            begun.get(patienceNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a snapshot was being taken", e);
        }
    }

    private synchronized CompletableFuture<Void> begin(int peer, long leastPosition) throws IOException {
        if (running != null && !running.isDone()) {
            return running;
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
        try {
            running = CompletableFuture.runAsync(this::take, thread);
        } catch (RejectedExecutionException e) {
            throw new IOException("it is stopping", e);
        }
        return running;
    }

    private void take() {
        try {
            snapshots.take();
            ended(null);
        } catch (IOException | RuntimeException e) {
            ended(e.getMessage() == null ? e.toString() : e.getMessage());
            throw new CompletionException(e);
        }
    }

    private synchronized void ended(String reason) {
        refusal = reason;
        tookOne = true;
        endedNanos = clockNanos.getAsLong();
    }
}
