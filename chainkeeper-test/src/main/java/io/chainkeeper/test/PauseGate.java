package io.chainkeeper.test;

/** Where the threads of a paused server wait. Safe for use by any thread. */
final class PauseGate {
    private boolean closed;

    synchronized void close() {
        closed = true;
    }

    synchronized void open() {
        closed = false;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Returns when the server is not paused, and at once to a thread that is told to end. */
    synchronized void pass() {
        while (closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
