package io.chainkeeper.server.state;

/** This replica would execute commands differently from the others; it must not. */
public final class ExecutionProfileMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message which settings must agree */
    public ExecutionProfileMismatch(String message) {
        super(message);
    }
}
