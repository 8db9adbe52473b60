package io.chainkeeper.benchmarks;

/** The user asked for something that does not exist or cannot be; the message says what and what to do. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
