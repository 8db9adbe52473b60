package io.chainkeeper.ordering;

/**
 * An invariant that must hold always does not. Nobody catches this to go on: the host stops the replica and prints the
 * message.
 */
public final class InvariantViolated extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** @param message what should have held and what was found instead */
    public InvariantViolated(String message) {
        super(message);
    }

    /**
     * Checks an invariant, in production too.
     *
     * @param holds whether it holds
     * @param message what should have held
     * @throws InvariantViolated if it does not
     */
    public static void check(boolean holds, String message) {
        if (!holds) {
            throw new InvariantViolated(message);
        }
    }

    /**
     * Checks an invariant; the message is only formatted when it is broken.
     *
     * @param holds whether it holds
     * @param format format string of the message
     * @param arguments arguments of the format
     * @throws InvariantViolated if it does not
     */
    public static void check(boolean holds, String format, Object... arguments) {
        if (!holds) {
            throw new InvariantViolated(String.format(format, arguments));
        }
    }
}
