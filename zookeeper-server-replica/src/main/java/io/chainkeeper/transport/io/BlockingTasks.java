package io.chainkeeper.transport.io;

import java.util.concurrent.Executor;

/** Runs what may block, in the order in which it comes as far as there are threads. Safe for use by any thread. */
public interface BlockingTasks extends Executor {
    /** @param threads how many tasks may run at the same time from now on, positive */
    void size(int threads);

    /** @param task not to be run if it has not begun */
    void remove(Runnable task);

    /** Interrupts what runs and takes nothing more. */
    void end();
}
