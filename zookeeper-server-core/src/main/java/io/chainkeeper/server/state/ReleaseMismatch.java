package io.chainkeeper.server.state;

/** This replica's release cannot execute what is ordered: it does not know the feature level, or a command. */
public final class ReleaseMismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message one line for the user: what is not known, and which release is needed */
    public ReleaseMismatch(String message) {
        super(message);
    }
}
