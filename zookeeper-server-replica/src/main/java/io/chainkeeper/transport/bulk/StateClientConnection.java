package io.chainkeeper.transport.bulk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.io.IoThread;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** The asking end of a connection for bulk requests: what a {@link StateChannel} stands for. */
final class StateClientConnection extends StateConnection {
    private final Runnable whenEnded;

    /** Guards the fields that follow; the thread that asks waits for it. */
    private final Object lock = new Object();

    private boolean waiting;
    private ByteSlice answer;
    private String ended;
    private long progressNanos;

    /**
     * @param settings bounds
     * @param io does all input and output
     * @param peer replica id of the member that is asked
     * @param channel the socket
     * @param remote address of the other end
     * @param whenEnded run once, when the connection has ended
     */
    StateClientConnection(
            TransportSettings settings, IoThread io, int peer, Channel channel, String remote, Runnable whenEnded) {
        super(settings, io, peer, channel, remote, StateChannel.MAX_ANSWER_BYTES);
        this.whenEnded = whenEnded;
    }

    @Override
    public void start() {
        // There is nothing to do before the first request.
    }

    /** @return this connection for the thread that asks */
    StateChannel channel() {
        return new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) throws IOException {
                return ask(request);
            }

            @Override
            public void close() {
                io().execute(() -> end("this replica closed it", false));
            }
        };
    }

    private ByteSlice ask(ByteSlice request) throws IOException {
        InvariantViolated.check(!io().isCurrent(), "the I/O thread must not wait for an answer");
        InvariantViolated.check(
                request.length() <= StateChannel.MAX_REQUEST_BYTES,
                "a request of %d bytes, at most %d are allowed",
                request.length(),
                StateChannel.MAX_REQUEST_BYTES);
        synchronized (lock) {
            InvariantViolated.check(!waiting, "one request at a time");
            waiting = true;
            progressNanos = io().runtime().nanoTime();
        }
        io().execute(() -> write(request));
        synchronized (lock) {
            try {
                return await();
            } finally {
                waiting = false;
                answer = null;
            }
        }
    }

    private ByteSlice await() throws IOException {
        int limit = limits().stateAnswerLimitMillis();
        while (answer == null) {
            if (ended != null) {
                throw new IOException("bulk connection to " + who() + ": " + ended);
            }
            long left = limit - TimeUnit.NANOSECONDS.toMillis(io().runtime().nanoTime() - progressNanos);
            if (left <= 0) {
                String reason = "nothing arrived for " + limit + " ms";
                io().execute(() -> end(reason, false));
                throw new IOException("bulk connection to " + who() + ": " + reason);
            }
            try {
                io().runtime().await(lock, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                io().execute(() -> end("the thread that asked was interrupted", false));
                throw new InterruptedIOException("interrupted while waiting for an answer of " + who());
            }
        }
        return answer;
    }

    @Override
    void onFrame(ByteSlice frame) {
        synchronized (lock) {
            if (waiting && answer == null) {
                answer = frame;
                lock.notifyAll();
                return;
            }
        }
        end("the peer sent an answer to nothing: run the same release on all servers", true);
    }

    @Override
    void onProgress() {
        synchronized (lock) {
            progressNanos = io().runtime().nanoTime();
        }
    }

    @Override
    void onEnd(String reason, boolean warn) {
        synchronized (lock) {
            ended = reason;
            lock.notifyAll();
        }
        if (warn) {
            StateConnections.LOG.warn("Bulk connection to {} is closed: {}", who(), reason);
        }
        whenEnded.run();
    }
}
