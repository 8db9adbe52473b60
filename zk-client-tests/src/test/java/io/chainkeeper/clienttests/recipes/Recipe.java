package io.chainkeeper.clienttests.recipes;

import java.time.Duration;

/** One of Curator's recipes at work, with a participant at every client. */
interface Recipe extends AutoCloseable {
    /** More than any election and restart on a machine with much to do. */
    Duration LIMIT = Duration.ofSeconds(60);

    /** Begins the work. */
    void start() throws Exception;

    /**
     * Waits until every participant has done something that it began after the call.
     *
     * @throws AssertionError if that takes longer than {@link #LIMIT}, or the recipe has broken its promise
     */
    void awaitProgress() throws Exception;

    /**
     * Ends the work and checks what is left of it. All servers run.
     *
     * @throws AssertionError if the recipe has broken its promise
     */
    void finish() throws Exception;

    @Override
    void close() throws Exception;
}
