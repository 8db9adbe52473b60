package io.chainkeeper.transport.bulk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.io.FrameReader;
import io.chainkeeper.transport.io.FrameWriter;
import io.chainkeeper.transport.io.IoThread;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;

/**
 * A connection for bulk requests that has proved itself, seen from either end: frames as on a link, but no pings, and
 * one frame at a time. Belongs to the I/O thread.
 */
abstract class StateConnection extends ChannelInboundHandlerAdapter implements HandshakeHandler.NextHandler {
    private final TransportSettings settings;
    private final IoThread io;
    private final int peer;
    private final String remote;
    private final Channel channel;
    private final FrameReader reader;
    private final FrameWriter writer = new FrameWriter();
    private boolean open = true;
    private boolean turnPending;

    /**
     * @param settings bounds
     * @param io does all input and output
     * @param peer replica id of the other end
     * @param channel the socket
     * @param remote address of the other end, for the log
     * @param maxFrameBytes longest frame that is taken
     */
    StateConnection(
            TransportSettings settings, IoThread io, int peer, Channel channel, String remote, int maxFrameBytes) {
        this.settings = settings;
        this.io = io;
        this.peer = peer;
        this.remote = remote;
        this.channel = channel;
        this.reader = new FrameReader(maxFrameBytes);
    }

    final TransportLimits limits() {
        return settings.limits();
    }

    final IoThread io() {
        return io;
    }

    /** @return replica id of the other end; any thread */
    final int peer() {
        return peer;
    }

    /** @return the other end, for texts; any thread */
    final String who() {
        return "replica " + peer + " (" + remote + ")";
    }

    final boolean isOpen() {
        return open;
    }

    /** @return bytes given to {@link #write} and not yet to the socket */
    final long unwrittenBytes() {
        return writer.remainingBytes();
    }

    /** @param frame that has arrived */
    abstract void onFrame(ByteSlice frame);

    /** Some bytes have arrived or were taken by the socket. */
    abstract void onProgress();

    /**
     * The connection has ended; called once.
     *
     * @param reason for the log
     * @param warn whether it is more than a peer going away
     */
    abstract void onEnd(String reason, boolean warn);

    /** @param frame to be sent */
    final void write(ByteSlice frame) {
        if (open) {
            writer.add(List.<ByteSlice[]>of(new ByteSlice[] {frame}));
            drain();
        }
    }

    /** One chunk per task: the same thread writes the frames of the links, which must not wait for a long answer. */
    private void drain() {
        if (!open || turnPending || writer.remainingBytes() == 0 || !channel.isWritable()) {
            return;
        }
        ByteBuf chunk = channel.alloc().directBuffer((int) Math.min(FrameWriter.CHUNK_BYTES, writer.remainingBytes()));
        writer.fill(chunk);
        channel.writeAndFlush(chunk).addListener(done -> {
            if (done.isSuccess()) {
                onProgress();
            }
        });
        turnPending = true;
        io.execute(() -> {
            turnPending = false;
            drain();
        });
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext context) {
        drain();
    }

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        try {
            receive((ByteBuf) message);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public final void receive(ByteBuf in) {
        if (!open) {
            return;
        }
        onProgress();
        try {
            reader.read(in, frame -> {
                onFrame(frame);
                return open;
            });
        } catch (MalformedMessageException e) {
            end("the peer " + e.getMessage() + ": run the same release on all servers", true);
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        end("closed by the other side", false);
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            IoThread.run(() -> end(String.valueOf(cause.getMessage()), false));
        } else {
            IoThread.run(() -> end("internal error: " + cause, true));
            IoThread.reportDefect(cause);
        }
    }

    /**
     * Ends the connection, once.
     *
     * @param reason for the log
     * @param warn whether it is more than a peer going away
     */
    final void end(String reason, boolean warn) {
        if (!open) {
            return;
        }
        open = false;
        writer.clear();
        channel.close();
        onEnd(reason, warn);
    }
}
