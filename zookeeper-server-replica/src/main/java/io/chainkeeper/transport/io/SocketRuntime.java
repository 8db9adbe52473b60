package io.chainkeeper.transport.io;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads and sockets of the operating system, its clock, and chance. */
public final class SocketRuntime implements TransportRuntime {
    private static final int BLOCKING_THREAD_IDLE_SECONDS = 10;

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final SecureRandom secrets = new SecureRandom();

    private static final class Pool implements BlockingTasks {
        private final ThreadPoolExecutor pool;

        Pool(int threads, ThreadFactory factory) {
            pool = new ThreadPoolExecutor(
                    threads,
                    threads,
                    BLOCKING_THREAD_IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    factory);
            pool.allowCoreThreadTimeOut(true);
        }

        @Override
        public void execute(Runnable task) {
            pool.execute(task);
        }

        @Override
        public void size(int threads) {
            if (threads > pool.getMaximumPoolSize()) {
                pool.setMaximumPoolSize(threads);
                pool.setCorePoolSize(threads);
            } else {
                pool.setCorePoolSize(threads);
                pool.setMaximumPoolSize(threads);
            }
        }

        @Override
        public void remove(Runnable task) {
            pool.remove(task);
        }

        @Override
        public void end() {
            pool.shutdownNow();
        }
    }

    @Override
    public EventLoop eventLoop(String threadName) {
        return new SingleThreadIoEventLoop(null, threads(threadName), Sockets.ioHandler());
    }

    @Override
    public BlockingTasks blocking(String threadName, int count) {
        return new Pool(count, threads(threadName));
    }

    private ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new FastThreadLocalThread(task, name);
            thread.setDaemon(true);
            threads.removeIf(earlier -> earlier.getState() == Thread.State.TERMINATED);
            threads.add(thread);
            return thread;
        };
    }

    @Override
    public ChannelFactory<? extends ServerChannel> listening() {
        return new ReflectiveChannelFactory<>(Sockets.listening());
    }

    @Override
    public ChannelFactory<? extends Channel> connecting() {
        return new ReflectiveChannelFactory<>(Sockets.connecting());
    }

    @Override
    public void await(Future<?> done) {
        done.awaitUninterruptibly();
    }

    @Override
    public void await(Future<?> done, int limitSeconds) {
        done.awaitUninterruptibly(limitSeconds, TimeUnit.SECONDS);
    }

    @Override
    public <T> T await(CompletableFuture<T> result, long limitMillis)
            throws ExecutionException, TimeoutException, InterruptedException {
        return result.get(limitMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void await(Object monitor, long limitMillis) throws InterruptedException {
        monitor.wait(limitMillis);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public int nextInt(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    @Override
    public void nextSecret(byte[] bytes) {
        secrets.nextBytes(bytes);
    }

    @Override
    public void awaitThreads(int limitMillis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        for (Thread thread : threads) {
            // A join of 0 ms would wait for ever.
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }
}
