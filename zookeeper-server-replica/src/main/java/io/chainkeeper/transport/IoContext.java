package io.chainkeeper.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What all parts of one transport share.
 *
 * @param settings who this replica is
 * @param loop the one thread that does all I/O and calls the listener; that there is one makes the listener's calls
 *     follow each other
 * @param blocking runs what may block: name look-ups, the tasks of TLS, and SASL
 * @param channels all that are open; once it is closed, those that are added are closed at once
 * @param listener told of everything
 * @param peers who they are at the moment
 * @param policy decides who is let in
 * @param refusals tells who was not
 * @param state connections for bulk requests
 */
record IoContext(
        TransportSettings settings,
        EventLoop loop,
        ThreadPoolExecutor blocking,
        ChannelGroup channels,
        PeerTransport.Listener listener,
        PeerTable peers,
        HandshakePolicy policy,
        RefusalReporter refusals,
        StateConnections state) {
    /** @param peerCount for how many peers names may have to be looked up at the same time */
    void sizeBlocking(int peerCount) {
        // One thread for each peer's name, which may take the name service long, one for those that strangers ask for,
        // one for TLS, and one for SASL, which may ask a Kerberos server.
        int threads = peerCount + (settings.authentication() == null ? 2 : 3);
        if (threads > blocking.getMaximumPoolSize()) {
            blocking.setMaximumPoolSize(threads);
            blocking.setCorePoolSize(threads);
        } else {
            blocking.setCorePoolSize(threads);
            blocking.setMaximumPoolSize(threads);
        }
    }

    /**
     * Runs a task on the I/O thread. A task that fails is a defect: the thread's uncaught-exception handler is told,
     * as it is for any other thread of the process.
     *
     * @param task what to do; not run if the transport is closed
     */
    void execute(Runnable task) {
        tryExecute(task);
    }

    /**
     * As {@link #execute}.
     *
     * @param task what to do
     * @return false if the transport is closed
     */
    boolean tryExecute(Runnable task) {
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

    /** @param task run at once, its failure reported as by {@link #execute} */
    static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            reportDefect(e);
        }
    }

    /** @param failure goes to the uncaught-exception handler of the current thread */
    static void reportDefect(Throwable failure) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
}
