package io.chainkeeper.benchmarks.options;

/** The user asked for something that does not exist or cannot be; the message says what and what to do. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message what is wrong and what to do */
    public UsageException(String message) {
        super(message);
    }
}
