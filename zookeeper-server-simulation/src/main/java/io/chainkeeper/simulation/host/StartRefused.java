package io.chainkeeper.simulation.host;

/** A server does not start, and says why: what it finds in its directory is not for it. */
public final class StartRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message of the server
     * @param cause of it
     */
    public StartRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
