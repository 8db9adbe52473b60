package io.chainkeeper.benchmarks.host;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What must not outlive the run: processes, control groups, directories. Closed at the end of main or, on Ctrl-C, by
 * the shutdown hook, whichever is first. Safe for use by any thread.
 */
public final class Cleanup implements AutoCloseable {
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final PrintStream err;
    private boolean closed;

    /** @param err told what could not be removed */
    public Cleanup(PrintStream err) {
        this.err = err;
    }

    /** Creates a resource; the run may be over before it is there. */
    @FunctionalInterface
    public interface Opening<T extends AutoCloseable> {
        /**
         * @return the resource
         * @throws Exception if it cannot be created
         */
        T open() throws Exception;
    }

    /**
     * Creates a resource that will be closed before those that were created earlier.
     *
     * @param opening creates it; runs under this object's lock, so that nothing is created behind a shutdown
     * @param <T> its type
     * @return the resource
     * @throws Exception what opening throws; {@link IllegalStateException} if the run is over
     */
    public synchronized <T extends AutoCloseable> T open(Opening<T> opening) throws Exception {
        if (closed) {
            throw new IllegalStateException("the run is over");
        }
        T resource = opening.open();
        resources.push(resource);
        return resource;
    }

    /**
     * Closes one resource now.
     *
     * @param resource one that {@link #open} returned
     */
    public synchronized void closeNow(AutoCloseable resource) {
        if (resources.remove(resource)) {
            close(resource);
        }
    }

    /** @return whether the run is over: the process is being stopped, and failures follow from that */
    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!resources.isEmpty()) {
            close(resources.pop());
        }
    }

    /** One thing that cannot be removed must not keep the others from being removed. */
    private void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            err.println("Could not clean up " + resource + ": " + e);
        }
    }
}
