package io.chainkeeper.simulation.host;

import java.io.IOException;

/** Finds out whether a replica stops because its disk has failed. */
public final class DiskFailure {
    private DiskFailure() {}

    /**
     * @param failure why a replica stops, may be null
     * @return what a file operation failed with, anywhere among its causes; null if none did
     */
    public static IOException in(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof IOException)) {
            cause = cause.getCause();
        }
        return (IOException) cause;
    }
}
