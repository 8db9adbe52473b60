package io.chainkeeper.test;

import io.chainkeeper.transport.io.BlockingTasks;
import io.chainkeeper.transport.io.SocketRuntime;
import io.chainkeeper.transport.io.TransportRuntime;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The system's sockets and threads, which a test can cut and stop. Safe for use by any thread. */
final class LinkRuntime implements TransportRuntime {
    private final SocketRuntime system = new SocketRuntime();
    private final CutLinks cuts;
    private final PauseGate gate;
    private volatile EventLoop loop;

    /**
     * @param cuts which connections there may be
     * @param gate where the thread waits while the server is paused
     */
    LinkRuntime(CutLinks cuts, PauseGate gate) {
        this.cuts = cuts;
        this.gate = gate;
    }

    /** The gate has been closed. */
    void pause() {
        EventLoop started = loop;
        if (started != null && !started.isShuttingDown()) {
            started.execute(gate::pass);
        }
    }

    @Override
    public EventLoop eventLoop(String threadName) {
        loop = system.eventLoop(threadName);
        return loop;
    }

    @Override
    public BlockingTasks blocking(String threadName, int threads) {
        return system.blocking(threadName, threads);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> listening() {
        return system.listening();
    }

    @Override
    public ChannelFactory<? extends Channel> connecting() {
        ChannelFactory<? extends Channel> sockets = system.connecting();
        return () -> {
            Channel channel = sockets.newChannel();
            cuts.watch(channel);
            return channel;
        };
    }

    @Override
    public void await(Future<?> done) {
        system.await(done);
    }

    @Override
    public void await(Future<?> done, int limitSeconds) {
        system.await(done, limitSeconds);
    }

    @Override
    public <T> T await(CompletableFuture<T> result, long limitMillis)
            throws ExecutionException, TimeoutException, InterruptedException {
        return system.await(result, limitMillis);
    }

    @Override
    public void await(Object monitor, long limitMillis) throws InterruptedException {
        system.await(monitor, limitMillis);
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public int nextInt(int bound) {
        return system.nextInt(bound);
    }

    @Override
    public void nextSecret(byte[] bytes) {
        system.nextSecret(bytes);
    }

    @Override
    public void awaitThreads(int limitMillis) throws InterruptedException {
        system.awaitThreads(limitMillis);
    }
}
