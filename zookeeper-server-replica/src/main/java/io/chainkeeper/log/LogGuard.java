package io.chainkeeper.log;

import java.io.IOException;

/**
 * Makes sure that a log is not used after it has failed, after it was closed, or after a call was broken off.
 *
 * <p>{@link #enter} and {@link #leave} are called by the log writer's thread, {@link #check} by any.
 */
final class LogGuard {
    private final String directory;
    private volatile IOException failure;
    private volatile boolean closed;
    private boolean inside;

    /** @param directory for messages */
    LogGuard(String directory) {
        this.directory = directory;
    }

    /** @throws IOException if the log must not be used */
    void check() throws IOException {
        if (failure != null) {
            throw new IOException("the acceptor log cannot be used any more: " + failure.getMessage(), failure);
        }
        if (closed) {
            throw new IOException("the acceptor log in " + directory + " is closed");
        }
    }

    /**
     * Begins a call that changes the log.
     *
     * @throws IOException if the log must not be used
     */
    void enter() throws IOException {
        check();
        if (inside) {
            throw new IOException(
                    "the acceptor log in " + directory + " cannot be used any more: a call to it was" + " broken off");
        }
        inside = true;
    }

    /** Ends a call that changed the log, if it went well. */
    void leave() {
        inside = false;
    }

    /**
     * Notes that a call failed; there will be no other.
     *
     * @param what what could not be done, a participle
     * @param cause why
     * @return to be thrown
     */
    IOException failed(String what, IOException cause) {
        return failed(what, cause, "check the disk and its free space, then start again");
    }

    /**
     * Notes that a call failed; there will be no other.
     *
     * @param what what could not be done, a participle
     * @param cause why
     * @param remedy what to do about it
     * @return to be thrown
     */
    IOException failed(String what, IOException cause, String remedy) {
        failure = new IOException(
                "the acceptor log in " + directory + " could not be " + what + " (" + DirectoryLogFiles.reason(cause)
                        + "): " + remedy,
                cause);
        return failure;
    }

    /** @return whether the log may still be brought to an orderly end */
    boolean sound() {
        return failure == null && !closed && !inside;
    }

    /** @return false if the log was closed before */
    boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }
}
