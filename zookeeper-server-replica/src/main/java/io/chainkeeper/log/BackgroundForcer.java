package io.chainkeeper.log;

import java.io.Closeable;
import java.io.IOException;

/**
 * Forces a log in the background: at once when there is something new, then not again before a pause is over. While
 * nothing is new, its thread sleeps. The first failure ends the thread and is reported by {@link #dirty}.
 */
final class BackgroundForcer implements Closeable {
    /** What is to be done. */
    interface Force {
        /** @throws IOException if it failed; it is not tried again */
        void force() throws IOException;
    }

    private final Force action;
    private final long pauseMillis;
    private final Thread thread;
    private boolean dirty;
    private boolean closed;
    private volatile Throwable failure;

    /**
     * Starts the thread.
     *
     * @param action what is to be done
     * @param pauseMillis the pause
     */
    BackgroundForcer(Force action, long pauseMillis) {
        this.action = action;
        this.pauseMillis = pauseMillis;
        this.thread = new Thread(this::run, "acceptor-log-force");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Says that there is something new to force.
     *
     * @throws IOException if an earlier force failed
     */
    void dirty() throws IOException {
        check();
        synchronized (this) {
            if (!dirty) {
                dirty = true;
                notifyAll();
            }
        }
    }

    /** @throws IOException if an earlier force failed */
    void check() throws IOException {
        if (failure != null) {
            throw new IOException("forcing in the background failed: " + failure.getMessage(), failure);
        }
    }

    private void run() {
        try {
            while (awaitDirty()) {
                action.force();
                pause();
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } catch (InterruptedException e) {
            failure = new IOException("the thread was interrupted", e);
        }
    }

    private synchronized boolean awaitDirty() throws InterruptedException {
        while (!dirty && !closed) {
            wait();
        }
        dirty = false;
        return !closed;
    }

    private synchronized void pause() throws InterruptedException {
        long end = System.nanoTime() + pauseMillis * 1_000_000;
        for (long left = pauseMillis; left > 0 && !closed; left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    /** Waits for a force in progress and ends the thread. What is dirty stays dirty. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
