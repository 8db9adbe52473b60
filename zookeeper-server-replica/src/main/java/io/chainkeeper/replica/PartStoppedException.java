package io.chainkeeper.replica;

/** Another thread of this replica has stopped and says itself why; whoever waits for it ends without a word. */
final class PartStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message which part */
    PartStoppedException(String message) {
        super(message);
    }
}
