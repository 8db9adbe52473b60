package io.chainkeeper.simulation.link;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The I/O thread of a process in virtual time: one caller runs it, turn by turn. The caller counts as the I/O thread
 * during a turn and as another thread else, so what a transport does differently there is done.
 */
final class VirtualEventLoop extends AbstractScheduledEventExecutor implements EventLoop {
    private final VirtualProcess process;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Promise<Void> termination = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    private boolean current;
    private boolean shuttingDown;

    /** @param process whose thread this is */
    VirtualEventLoop(VirtualProcess process) {
        this.process = process;
    }

    /** @param isCurrent whether the caller is the I/O thread from now on */
    void current(boolean isCurrent) {
        current = isCurrent;
    }

    /** Runs what is due and what waited when this was called. */
    void runTasks() {
        long now = getCurrentTimeNanos();
        for (Runnable due = pollScheduledTask(now); due != null; due = pollScheduledTask(now)) {
            tasks.add(due);
        }
        for (int left = tasks.size(); left > 0 && !isTerminated(); left--) {
            tasks.remove().run();
        }
    }

    boolean hasTasks() {
        return !tasks.isEmpty();
    }

    /** When the next scheduled task is due, in nanoseconds of {@link #getCurrentTimeNanos}; -1 if there is none. */
    long nextDueNanos() {
        return nextScheduledTaskDeadlineNanos();
    }

    /** The process is gone; nothing runs any more. */
    void die() {
        shuttingDown = true;
        tasks.clear();
        boolean before = current;
        current = true;
        cancelScheduledTasks();
        current = before;
        termination.trySuccess(null);
    }

    @Override
    protected long getCurrentTimeNanos() {
        return process.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        if (isTerminated()) {
            throw new RejectedExecutionException("the event loop has ended");
        }
        tasks.add(task);
        process.wake();
    }

    @Override
    public boolean inEventLoop() {
        return current;
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return current && thread == Thread.currentThread();
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        shuttingDown = true;
        process.end();
        return termination;
    }

    @Override
    public void shutdown() {
        throw new UnsupportedOperationException("deprecated by Netty");
    }

    @Override
    public Future<?> terminationFuture() {
        return termination;
    }

    @Override
    public boolean isShuttingDown() {
        return shuttingDown;
    }

    @Override
    public boolean isShutdown() {
        return termination.isDone();
    }

    @Override
    public boolean isTerminated() {
        return termination.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    @Override
    public EventLoopGroup parent() {
        return (EventLoopGroup) super.parent();
    }

    @Override
    public EventLoop next() {
        return this;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }
}
