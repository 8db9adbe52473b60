package io.chainkeeper.server.background;

/** Runs tasks one at a time, in the order they were given in. Safe for use by any thread. */
public interface Background {
    /**
     * @param task run soon, not within the call; what it throws ends this background
     * @return whether it will be run: not after {@link #close}
     */
    boolean execute(Runnable task);

    /**
     * @param periodMillis between two runs, measured from start to start
     * @param task run at once and then again and again, until {@link #close}
     */
    void everyMillis(long periodMillis, Runnable task);

    /**
     * @param delayMillis how long to wait
     * @param task run once after that, unless {@link #close} has been called
     */
    void afterMillis(long delayMillis, Runnable task);

    /** Runs what is to be run at once and nothing more. Does not wait for it. */
    void close();
}
