package io.chainkeeper.replica;

/** Told when a replica cannot go on. In production it ends the process. */
@FunctionalInterface
public interface FailureHandler {
    /**
     * The replica has stopped acknowledging anything. Called once, by the thread that found the failure or, for
     * failures of the protocol, by the host's own thread.
     *
     * @param message what happened, where, and what to do; one line for the user
     * @param cause the failure, or null
     */
    void failed(String message, Throwable cause);
}
