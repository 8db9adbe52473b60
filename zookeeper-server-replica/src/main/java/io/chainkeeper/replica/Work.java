package io.chainkeeper.replica;

/** What a {@link Worker} does, in pieces. */
@FunctionalInterface
public interface Work {
    /** There is more to do. */
    long AT_ONCE = 0;

    /** There is nothing to do before {@link Worker#wake}. */
    long WHEN_WOKEN = Long.MAX_VALUE;

    /** The work has ended. */
    long NEVER = -1;

    /**
     * Does the next piece of what waits. Between two pieces the replica may lose its power, and anything else may
     * happen; a piece takes no longer than what it does to the disk. Called by one thread at a time, also when nothing
     * waits.
     *
     * @return nanoseconds until it is to be called again unless somebody wakes the worker before, or one of the
     *     constants. The worker may call earlier
     */
    long run();
}
