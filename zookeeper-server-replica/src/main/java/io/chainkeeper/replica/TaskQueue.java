package io.chainkeeper.replica;

/** Runs tasks one after the other, in the order in which they came. Safe for use by any thread. */
public interface TaskQueue {
    /**
     * @param task runs later, not within the call
     * @throws java.util.concurrent.RejectedExecutionException if the queue was closed
     */
    void execute(Runnable task);

    /**
     * Takes no more tasks, and waits for those that it has, a bounded time.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    void close() throws InterruptedException;
}
