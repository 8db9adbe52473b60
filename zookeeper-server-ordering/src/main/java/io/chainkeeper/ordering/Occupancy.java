package io.chainkeeper.ordering;

/**
 * Is told how full each queue, window and buffer of a replica is, beside its bound. Who keeps a bound says so itself:
 * what is compared is the bound that is kept. Called between inputs, by the thread that asks.
 */
@FunctionalInterface
public interface Occupancy {
    /** By what a bound may be passed: by one that is larger than what was left when there was room. */
    enum Slack {
        /** By nothing. */
        NONE,
        /** By one command of a client, with what it costs besides. */
        ONE_COMMAND,
        /** By one value of a position. */
        ONE_VALUE,
        /** By what was read of a link at once: one frame, or several short ones. */
        ONE_READ,
        /** By one record of the acceptor log. */
        ONE_RECORD
    }

    /**
     * Something that is bounded.
     *
     * @param name of the queue, window or buffer, with the unit at its end
     * @param held how much it holds now
     * @param bound how much it may hold, in the same unit
     * @param slack by what that may be passed
     */
    void holds(String name, long held, long bound, Slack slack);
}
