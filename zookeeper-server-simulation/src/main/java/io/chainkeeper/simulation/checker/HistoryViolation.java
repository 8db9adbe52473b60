package io.chainkeeper.simulation.checker;

/** What clients have seen contradicts what they were promised, or could not be decided. */
public final class HistoryViolation extends AssertionError {
    private static final long serialVersionUID = 1L;

    /** @param message the promise, what was seen instead, and the operations that show it */
    public HistoryViolation(String message) {
        super(message);
    }
}
