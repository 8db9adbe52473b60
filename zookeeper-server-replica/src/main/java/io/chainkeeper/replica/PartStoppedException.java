package io.chainkeeper.replica;

/** Another thread of this replica has stopped and reports why; the thread that waited for it ends without a report. */
final class PartStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message which part */
    PartStoppedException(String message) {
        super(message);
    }
}
