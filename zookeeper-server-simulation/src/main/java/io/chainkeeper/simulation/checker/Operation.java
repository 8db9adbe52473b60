package io.chainkeeper.simulation.checker;

/**
 * One operation as its client saw it. Times are of any clock that all clients of the history share; one operation
 * precedes another if it returned strictly before the other was invoked, otherwise they are concurrent.
 *
 * @param client who asked; for the reader only
 * @param invokedAt when it was asked
 * @param returnedAt when the answer came, not before {@code invokedAt}, or {@link #UNKNOWN}: then it may have taken
 *     effect at any time since it was asked, or never
 * @param kind what was asked
 * @param key the object that it concerns; operations on different keys are independent
 * @param argument as the {@link SequentialModel} defines it, may be null
 * @param result as the {@link SequentialModel} defines it; null if unknown
 * @param place in the one order of writes, if the system tells it, positive: if the operation has taken effect, then
 *     after those of its key with lower places and before those with higher ones; else {@link #NO_PLACE}
 */
public record Operation(
        long client,
        long invokedAt,
        long returnedAt,
        Kind kind,
        String key,
        Object argument,
        Object result,
        long place) {
    /** {@link #returnedAt} of an operation whose outcome nobody knows. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** {@link #place} of an operation that may have taken effect anywhere between its times. */
    public static final long NO_PLACE = 0;

    /** What can be asked of a register. */
    public enum Kind {
        /** Set the value, whatever it was. */
        WRITE,
        /** Set the value if the version is the expected one. */
        COMPARE_AND_SET,
        /** Return the value. */
        READ
    }

    /** Checks the times. */
    public Operation {
        if (returnedAt < invokedAt) {
            throw new IllegalArgumentException(
                    "operation on " + key + " returned at " + returnedAt + ", before it was invoked at " + invokedAt);
        }
    }

    /** An operation of which no place is known; the parameters are those of the record. */
    public Operation(
            long client, long invokedAt, long returnedAt, Kind kind, String key, Object argument, Object result) {
        this(client, invokedAt, returnedAt, kind, key, argument, result, NO_PLACE);
    }

    /** @return whether its outcome is known */
    public boolean isFinished() {
        return returnedAt != UNKNOWN;
    }

    @Override
    public String toString() {
        return "client " + client + " [" + invokedAt + ".." + (isFinished() ? returnedAt : "?") + "] " + kind + " "
                + key + (argument == null ? "" : " " + argument) + " -> " + (isFinished() ? result : "unknown")
                + (place == NO_PLACE ? "" : ", the order's " + place);
    }
}
