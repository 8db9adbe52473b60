package io.chainkeeper.server.transfer;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** How somebody who answers another member lets time pass. */
public interface Waiting {
    /**
     * The answer leaves so much later.
     *
     * @param nanos how long
     */
    void pause(long nanos);

    /**
     * Waits for something that goes on beside.
     *
     * @param awaited it
     * @param nanos how long at most
     * @return whether it has ended
     * @throws IOException if it has failed, with its message, or if the waiting thread is interrupted
     */
    boolean await(CompletableFuture<?> awaited, long nanos) throws IOException;

    /**
     * Looks at something without waiting.
     *
     * @param awaited it
     * @return whether it has ended
     * @throws IOException if it has failed, with its message
     */
    static boolean hasEnded(CompletableFuture<?> awaited) throws IOException {
        if (!awaited.isDone()) {
            return false;
        }
        try {
            awaited.join();
            return true;
        } catch (CompletionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    /** The thread that answers waits. */
    Waiting OF_THREADS = new Waiting() {
        @Override
        public void pause(long nanos) {
            long until = System.nanoTime() + nanos;
            while (until - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
        }

        @Override
        public boolean await(CompletableFuture<?> awaited, long nanos) throws IOException {
            try {
                awaited.get(nanos, TimeUnit.NANOSECONDS);
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
    };
}
