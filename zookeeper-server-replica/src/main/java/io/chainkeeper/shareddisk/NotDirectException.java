package io.chainkeeper.shareddisk;

import java.io.IOException;

/** A disk cannot be used past the system's cache, so that other machines would not see what is written. */
public final class NotDirectException extends IOException {
    private static final long serialVersionUID = 1L;

    NotDirectException(String message, Exception cause) {
        super(message, cause);
    }
}
