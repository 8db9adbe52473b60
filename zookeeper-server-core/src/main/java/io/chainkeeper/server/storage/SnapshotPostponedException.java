package io.chainkeeper.server.storage;

import java.io.IOException;

/** A snapshot could not be written, and what there was before is untouched: it can be tried again later. */
final class SnapshotPostponedException extends IOException {
    private static final long serialVersionUID = 1;

    SnapshotPostponedException(String message, IOException cause) {
        super(message, cause);
    }
}
