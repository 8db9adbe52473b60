package io.chainkeeper.replica;

/**
 * When a position passed the stages of its way through this replica, each in {@link Scheduler#nanoTime}, or {@link
 * #UNKNOWN}: it has not yet, never does at this replica, or was too long ago.
 *
 * @param accepted its value was handed to the acceptor log for the first time
 * @param durable the acceptor log had it on stable storage, as far as its durability promises
 * @param delivered it was decided here, and handed to the apply thread; unknown of what a start has found in the log
 * @param begun the apply thread began to execute it
 */
public record StageTimes(long accepted, long durable, long delivered, long begun) {
    /** In place of a time. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** Of a position that nothing is known of. */
    public static final StageTimes NONE = new StageTimes(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
}
