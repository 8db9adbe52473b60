package io.chainkeeper.main;

import io.chainkeeper.server.connection.ClientConnections;
import java.io.PrintStream;
import java.util.function.IntConsumer;
import org.apache.zookeeper.server.ExitCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when something is thrown that no thread has expected: nobody knows what the state of such a server
 * is worth, and a server that lacks a thread hangs instead of letting another one take over. Safe for use by any
 * thread.
 */
final class UncaughtFailures implements Thread.UncaughtExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(UncaughtFailures.class);

    private final PrintStream err;
    private final IntConsumer halt;

    /**
     * @param err where the one line for the user goes
     * @param halt ends the process with an exit code, at once: what an orderly end would wait for is perhaps the thread
     *     that has failed
     */
    UncaughtFailures(PrintStream err, IntConsumer halt) {
        this.err = err;
        this.halt = halt;
    }

    /**
     * Has every thread of this process that has no handler of its own end it; instead of ZooKeeper's handler, which
     * only logs. To be called when zoo.cfg has been parsed: ZooKeeper's class of connections sets that handler, and
     * reads settings, when it is loaded.
     */
    void takeOver() {
        ClientConnections.load();
        Thread.setDefaultUncaughtExceptionHandler(this);
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        try {
            String line = ("Thread " + thread.getName() + " failed, so this server stops: " + failure)
                    .replaceAll("\\R+", " ");
            err.println(line);
            err.flush();
            LOG.error(line, failure);
        } finally {
            halt.accept(ExitCode.UNEXPECTED_ERROR.getValue());
        }
    }
}
