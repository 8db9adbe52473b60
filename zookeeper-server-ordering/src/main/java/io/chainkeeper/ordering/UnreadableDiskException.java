package io.chainkeeper.ordering;

/** A disk that has to be copied holds damage, so that it is not known what else it held. */
public final class UnreadableDiskException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what is damaged; a part of a line for people */
    public UnreadableDiskException(String message) {
        super(message);
    }
}
