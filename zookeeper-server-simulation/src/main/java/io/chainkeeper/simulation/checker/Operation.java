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
 */
public record Operation(
        long client, long invokedAt, long returnedAt, Kind kind, String key, Object argument, Object result) {
    /** {@link #returnedAt} of an operation whose outcome nobody knows. */
    public static final long UNKNOWN = Long.MAX_VALUE;

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

    /** @return whether its outcome is known */
    public boolean isFinished() {
        return returnedAt != UNKNOWN;
    }

    @Override
    public String toString() {
        return "client " + client + " [" + invokedAt + ".." + (isFinished() ? returnedAt : "?") + "] " + kind + " "
                + key + (argument == null ? "" : " " + argument) + " -> " + (isFinished() ? result : "unknown");
    }
}
