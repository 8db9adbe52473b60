package io.chainkeeper.replica;

/** Does the {@link Work} of one part of a replica. Safe for use by any thread. */
public interface Worker {
    /** Begins with the first piece of work. Called once. */
    void start();

    /** There is something to do: the work is called again, soon. Several calls before that count as one. */
    void wake();

    /** @return whether the caller is this worker, in the middle of a piece of its work */
    boolean isCurrent();

    /**
     * Waits until the work has ended, unless the caller is this worker or it was never started. The work must have been
     * told before, and the worker woken.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    void join() throws InterruptedException;

    /**
     * As {@link #join}, but not for longer than so many nanoseconds: the work may be waiting for a device that gives no
     * answer. Where parts never wait for devices it is the same.
     *
     * @param maxNanos how long to wait at most, positive
     * @return whether the work has ended, or will never begin
     * @throws InterruptedException if the waiting thread is interrupted
     */
    default boolean join(long maxNanos) throws InterruptedException {
        join();
        return true;
    }
}
