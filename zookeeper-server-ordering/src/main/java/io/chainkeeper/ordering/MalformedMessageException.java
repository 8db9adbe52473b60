package io.chainkeeper.ordering;

/** Bytes from a peer or a file do not decode. The link they came over is closed; the replica goes on. */
public class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message what was expected and what was found */
    public MalformedMessageException(String message) {
        super(message);
    }
}
