package io.chainkeeper.transport.io;

import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that does all input and output of a transport and calls its listener, so that the listener's calls
 * follow each other; and what goes with that thread. Safe for use by any thread.
 *
 * @param runtime made the others
 * @param loop the thread's event loop
 * @param blocking runs what may block: name look-ups, the tasks of TLS, and SASL
 * @param channels all that are open; once the group is closed, channels that are added to it are closed at once
 */
public record IoThread(TransportRuntime runtime, EventLoop loop, BlockingTasks blocking, ChannelGroup channels) {
    /** @return whether the calling thread is the I/O thread */
    public boolean isCurrent() {
        return loop.inEventLoop();
    }

    /**
     * Runs a task on the I/O thread. A task that fails is a defect: the thread's uncaught-exception handler is told,
     * as it is for any other thread of the process.
     *
     * @param task what to do; not run if the transport is closed
     */
    public void execute(Runnable task) {
        tryExecute(task);
    }

    /**
     * As {@link #execute}.
     *
     * @param task what to do
     * @return false if the transport is closed
     */
    public boolean tryExecute(Runnable task) {
        try {
            loop.execute(() -> run(task));
            return true;
        } catch (RejectedExecutionException e) {
            if (!loop.isShuttingDown()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * As {@link #execute}, later.
     *
     * @param task what to do
     * @param delayMillis how long to wait before
     * @return lets the caller cancel the task
     */
    public Future<?> schedule(Runnable task, int delayMillis) {
        return loop.schedule(() -> run(task), delayMillis, TimeUnit.MILLISECONDS);
    }

    /**
     * As {@link #execute}, again and again.
     *
     * @param task what to do
     * @param pauseMillis how long to wait before each time
     * @return lets the caller cancel the task
     */
    public Future<?> scheduleRepeatedly(Runnable task, int pauseMillis) {
        return loop.scheduleWithFixedDelay(() -> run(task), pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
    }

    /** @param task run at once by the calling thread, its failure reported as by {@link #execute} */
    public static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            reportDefect(e);
        }
    }

    /** @param failure goes to the uncaught-exception handler of the current thread */
    public static void reportDefect(Throwable failure) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
}
