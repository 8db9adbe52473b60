package io.chainkeeper.replica;

/** This replica no longer takes work because it is stopping; the client's connection is to be closed. */
public final class ReplicaStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message why it stopped */
    public ReplicaStoppedException(String message) {
        super(message);
    }
}
