package io.chainkeeper.transport.io;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * What a transport stands on: its threads, its sockets, waiting, time and chance. Each transport has its own. A process
 * uses {@link SocketRuntime}; the simulator has another one, with virtual time and one caller. Safe for use by any
 * thread.
 */
public interface TransportRuntime {
    /**
     * Makes the I/O thread; called once.
     *
     * @param threadName of the thread
     * @return its event loop
     */
    EventLoop eventLoop(String threadName);

    /**
     * @param threadName of each thread
     * @param threads how many tasks may run at the same time
     * @return threads for tasks that may block
     */
    BlockingTasks blocking(String threadName, int threads);

    /** @return makes the socket that listens */
    ChannelFactory<? extends ServerChannel> listening();

    /** @return makes sockets that connect */
    ChannelFactory<? extends Channel> connecting();

    /**
     * Waits. Not to be called on the I/O thread.
     *
     * @param done of the event loop
     */
    void await(Future<?> done);

    /**
     * Waits. Not to be called on the I/O thread.
     *
     * @param done of the event loop
     * @param limitSeconds how long at most
     */
    void await(Future<?> done, int limitSeconds);

    /**
     * Waits. Not to be called on the I/O thread.
     *
     * @param result completed by the I/O thread
     * @param limitMillis how long at most
     * @param <T> type of the result
     * @return the result
     * @throws ExecutionException if there is a failure instead
     * @throws TimeoutException if there is nothing within the limit
     * @throws InterruptedException if the waiting thread shall end
     */
    <T> T await(CompletableFuture<T> result, long limitMillis)
            throws ExecutionException, TimeoutException, InterruptedException;

    /**
     * Waits until a monitor is notified, perhaps less long. Not to be called on the I/O thread.
     *
     * @param monitor held by the caller, released meanwhile
     * @param limitMillis how long at most, positive
     * @throws InterruptedException if the waiting thread shall end
     */
    void await(Object monitor, long limitMillis) throws InterruptedException;

    /** @return a clock that only moves on, in nanoseconds since an arbitrary moment */
    long nanoTime();

    /**
     * @param bound positive
     * @return a random number from 0 to the bound, exclusive
     */
    int nextInt(int bound);

    /** @param bytes filled with bytes that nobody can guess */
    void nextSecret(byte[] bytes);

    /**
     * The transport is closed, its event loop and its tasks have been told to end. Waits for the threads.
     *
     * @param limitMillis how long at most
     * @throws InterruptedException if the waiting thread shall end
     */
    void awaitThreads(int limitMillis) throws InterruptedException;
}
