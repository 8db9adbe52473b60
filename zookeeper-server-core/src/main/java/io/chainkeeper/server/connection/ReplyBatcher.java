package io.chainkeeper.server.connection;

import io.chainkeeper.server.guard.ReplyMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Hands what the apply thread sends over a connection to the connection's I/O thread once for a {@link ReplyBatch}.
 *
 * <p>The first handler that sees what is sent, and it sees it on the thread that sends. While something is collected,
 * whatever else is sent over the connection, by any thread, joins it: the order in which it was handed over stays.
 */
final class ReplyBatcher extends ChannelOutboundHandlerAdapter {
    /** Answers are put together in buffers of so many bytes at most; larger ones go as they are. */
    private static final int MAX_TOGETHER_BYTES = 32 << 10;

    private record Answer(Object message, ChannelPromise promise) {}

    private final ReplyBatch batch;
    private final Object lock = new Object();
    private List<Answer> collected = new ArrayList<>();
    private ChannelHandlerContext context;

    private ReplyBatcher(ReplyBatch batch) {
        this.batch = batch;
    }

    /**
     * @param pipeline of a client's connection, to which all other handlers have been added
     * @param batch what this connection's answers are collected in, with those of the server's other connections
     */
    static void install(ChannelPipeline pipeline, ReplyBatch batch) {
        pipeline.addLast(CallingThread.INSTANCE, "replyBatcher", new ReplyBatcher(batch));
    }

    /** Apply thread: hands over what has been collected of this connection. */
    void handOver() {
        try {
            context.channel().eventLoop().execute(this::send);
        } catch (RejectedExecutionException e) {
            drop(e);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void write(ChannelHandlerContext of, Object message, ChannelPromise promise) {
        count(message, promise);
        boolean collects = batch.isOfCallingThread();
        synchronized (lock) {
            boolean isFirst = collected.isEmpty();
            if (isFirst && !collects) {
                of.write(message, promise);
                return;
            }
            collected.add(new Answer(message, promise));
            if (isFirst) {
                batch.join(this);
            }
        }
        if (collects) {
            batch.collected();
        }
    }

    private static void count(Object message, ChannelPromise promise) {
        int bytes = message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
        if (bytes > ReplyMemory.LONG_REPLY_BYTES) {
            ReplyMemory.OF_PROCESS.sent(bytes);
            promise.addListener(written -> ReplyMemory.OF_PROCESS.release(bytes));
        }
    }

    /** What is collected is flushed when it is sent. */
    @Override
    public void flush(ChannelHandlerContext of) {
        synchronized (lock) {
            if (!collected.isEmpty()) {
                return;
            }
        }
        of.flush();
    }

    private List<Answer> pollCollected() {
        synchronized (lock) {
            List<Answer> answers = collected;
            collected = new ArrayList<>();
            return answers;
        }
    }

    /** The server closes, and the I/O threads with it. */
    private void drop(RejectedExecutionException reason) {
        for (Answer answer : pollCollected()) {
            ReferenceCountUtil.release(answer.message());
            answer.promise().tryFailure(reason);
        }
    }

    /**
     * On the connection's I/O thread. What is small goes as one message: on its way to the socket each has to pass all
     * handlers, gets memory of its own outside the heap, and a place in a vectored write.
     */
    private void send() {
        List<Answer> together = new ArrayList<>();
        int bytes = 0;
        for (Answer answer : pollCollected()) {
            int size = bytesIfSmall(answer.message());
            if (size == 0 || bytes + size > MAX_TOGETHER_BYTES) {
                write(together, bytes);
                together = new ArrayList<>();
                bytes = 0;
            }
            if (size == 0) {
                context.write(answer.message(), answer.promise());
            } else {
                together.add(answer);
                bytes += size;
            }
        }
        write(together, bytes);
        context.flush();
    }

    /** Returns 0 for what stays a message of its own; with an empty one ZooKeeper asks for the connection's end. */
    private static int bytesIfSmall(Object message) {
        int bytes = message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
        return bytes <= MAX_TOGETHER_BYTES ? bytes : 0;
    }

    private void write(List<Answer> together, int bytes) {
        if (together.size() == 1) {
            context.write(together.get(0).message(), together.get(0).promise());
        } else if (!together.isEmpty()) {
            ByteBuf all = context.alloc().ioBuffer(bytes);
            for (Answer answer : together) {
                ByteBuf message = (ByteBuf) answer.message();
                all.writeBytes(message);
                message.release();
            }
            context.write(all).addListener(written -> together.forEach(answer -> complete(answer.promise(), written)));
        }
    }

    private static void complete(ChannelPromise promise, Future<?> written) {
        if (written.isSuccess()) {
            promise.trySuccess();
        } else {
            promise.tryFailure(written.cause());
        }
    }

    /** Runs a handler on whichever thread uses it. */
    private static final class CallingThread extends AbstractEventExecutor {
        private static final EventExecutor INSTANCE = new CallingThread();

        @Override
        public boolean inEventLoop(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public boolean isShuttingDown() {
            return false;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }

        @Override
        public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
            return terminationFuture();
        }

        @Override
        public Future<?> terminationFuture() {
            return GlobalEventExecutor.INSTANCE.terminationFuture();
        }

        @Override
        @Deprecated
        public void shutdown() {
            // It has no thread that could end.
        }
    }
}
