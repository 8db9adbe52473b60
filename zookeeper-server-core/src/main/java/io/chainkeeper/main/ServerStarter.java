package io.chainkeeper.main;

import io.chainkeeper.config.StartupConfig;
import java.io.Closeable;
import java.io.IOException;

/** Starts a replica. */
@FunctionalInterface
public interface ServerStarter {
    /**
     * Recovers what is on disk, opens the ports and starts serving.
     *
     * @param config checked configuration
     * @return the running server
     * @throws io.chainkeeper.config.UserMistakeException if only the user can remove the reason why it does not start
     * @throws IOException if a file or port cannot be opened; the message names it and the remedy
     */
    RunningServer start(StartupConfig config) throws IOException;

    /** A replica that has started. Safe for use by any thread. */
    interface RunningServer extends Closeable {
        /**
         * Waits until this start has shown whether it works, as far as that shows soon.
         *
         * @return false if the server ends instead of serving clients or waiting for other servers
         * @throws InterruptedException if interrupted
         */
        boolean awaitStarted() throws InterruptedException;

        /** @return why the server failed, one line; null if it did not */
        String failureMessage();

        /**
         * Waits until the server has ended.
         *
         * @return 0 after {@link #close}, else the process's exit code after a failure, of which
         *     {@link #failureMessage} tells
         * @throws InterruptedException if interrupted
         */
        int awaitEnd() throws InterruptedException;

        /** Stops: closes client connections and files. Returns when that is done. Idempotent. */
        @Override
        void close();
    }
}
