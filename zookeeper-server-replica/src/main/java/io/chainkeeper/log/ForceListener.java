package io.chainkeeper.log;

import java.util.function.Supplier;

/** Told of each time that a log was forced to stable storage. */
@FunctionalInterface
public interface ForceListener {
    /**
     * A force has ended well. Called by the thread that forced; must not wait.
     *
     * @param file names the file that was forced
     * @param bytes written to it since the force before
     * @param nanos how long it took
     */
    void forced(Supplier<String> file, long bytes, long nanos);
}
