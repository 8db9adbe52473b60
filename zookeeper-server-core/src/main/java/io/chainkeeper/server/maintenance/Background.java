package io.chainkeeper.server.maintenance;

/** Runs tasks one at a time, in the order they were given in. Safe for use by any thread. */
public interface Background {
    /** @param task run soon, unless {@link #close} has been called */
    void execute(Runnable task);

    /**
     * Called once.
     *
     * @param periodMillis between two runs, measured from start to start
     * @param task run at once and then again and again
     */
    void everyMillis(long periodMillis, Runnable task);

    /**
     * @param delayMillis how long to wait
     * @param task run once after that, unless {@link #close} has been called
     */
    void afterMillis(long delayMillis, Runnable task);

    /** Runs what was given before and nothing more. */
    void close();
}
