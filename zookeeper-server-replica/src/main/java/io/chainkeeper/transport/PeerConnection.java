package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection that has proved itself: frames in, frames out, pings. {@link #send} and {@link #flush} belong to the
 * sending thread, {@link #outboundBytes()} and the getters to any, all else to the I/O thread.
 */
final class PeerConnection extends ChannelInboundHandlerAdapter implements HandshakeHandler.Successor {
    /** Bytes that are copied for the socket at a time. */
    static final int CHUNK_BYTES = 64 << 10;

    private final IoContext io;
    private final PeerLink link;
    private final Channel channel;
    private final String remote;
    private final Hello hello;
    private final FrameReader reader;
    private final FrameWriter writer = new FrameWriter();
    private final AtomicLong outboundBytes = new AtomicLong();
    private final int idleChecks;

    private long ordinal;
    private boolean open = true;
    private boolean paused;
    private boolean receivedSinceCheck;
    private boolean wroteSinceCheck;
    private boolean pingPending;
    private int silentChecks;
    private Future<?> check;

    private List<ByteSlice[]> pending = new ArrayList<>();
    private boolean overflowed;

    /**
     * @param io shared parts
     * @param link what it is a connection of
     * @param channel the socket
     * @param remote address of the other end, for the log
     * @param hello of the other end
     */
    PeerConnection(IoContext io, PeerLink link, Channel channel, String remote, Hello hello) {
        this.io = io;
        this.link = link;
        this.channel = channel;
        this.remote = remote;
        this.hello = hello;
        TransportLimits limits = io.settings().limits();
        this.reader = new FrameReader(limits.maxFrameBytes());
        int interval = limits.pingIntervalMillis();
        this.idleChecks = (limits.idleLimitMillis() + interval - 1) / interval;
    }

    String remote() {
        return remote;
    }

    /** @return what the other end said that it is */
    Hello hello() {
        return hello;
    }

    /** @return how manieth connection of its link it is, from 1; written before the link shows it to other threads */
    long ordinal() {
        return ordinal;
    }

    /** @return bytes sent but not yet taken by the socket */
    long outboundBytes() {
        return outboundBytes.get();
    }

    /** @param number the {@link #ordinal()} */
    void begin(long number) {
        ordinal = number;
        int interval = io.settings().limits().pingIntervalMillis();
        check = io.loop()
                .scheduleWithFixedDelay(
                        () -> IoContext.run(this::checkLife), interval, interval, TimeUnit.MILLISECONDS);
    }

    /** @param parts of a frame; kept until {@link #flush} */
    void send(ByteSlice[] parts) {
        if (overflowed) {
            return;
        }
        long bytes = TransportLimits.LENGTH_PREFIX_BYTES + FrameWriter.length(parts);
        long bound = io.settings().limits().maxOutboundBytesPerLink();
        if (outboundBytes.addAndGet(bytes) > bound) {
            overflowed = true;
            pending = List.of();
            io.execute(() -> close("more than " + bound + " bytes wait to be sent; the peer is too slow", true));
            return;
        }
        pending.add(parts);
    }

    /** Hands over what {@link #send} has collected: one task and one wake-up of the I/O thread. */
    void flush() {
        if (pending.isEmpty()) {
            return;
        }
        List<ByteSlice[]> batch = pending;
        pending = new ArrayList<>();
        io.execute(() -> {
            if (open) {
                writer.add(batch);
                drain();
            }
        });
    }

    private void drain() {
        boolean wrote = false;
        while (open && writer.remainingBytes() > 0 && channel.isWritable()) {
            ByteBuf chunk = channel.alloc().directBuffer((int) Math.min(CHUNK_BYTES, writer.remainingBytes()));
            long frames = writer.finishedFrames();
            long bytes = writer.finishedBytes();
            writer.fill(chunk);
            link.countOut(writer.finishedFrames() - frames, writer.finishedBytes() - bytes);
            int size = chunk.readableBytes();
            channel.write(chunk).addListener(done -> outboundBytes.addAndGet(-size));
            wrote = true;
        }
        if (wrote) {
            wroteSinceCheck = true;
            channel.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        drain();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            receive((ByteBuf) message);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void start() {
        link.up(this);
    }

    @Override
    public void receive(ByteBuf in) {
        receivedSinceCheck = true;
        if (!open) {
            return;
        }
        try {
            reader.read(in, this::deliver);
        } catch (MalformedMessageException e) {
            close("the peer " + e.getMessage() + ": run the same release on all servers", true);
        }
        io.listener().onFramesRead();
    }

    private boolean deliver(ByteSlice frame) {
        link.countIn(frame.length());
        if (!io.listener().onFrame(link.peer(), frame) && !paused) {
            paused = true;
            channel.config().setAutoRead(false);
        }
        return open;
    }

    /** Reads on after the listener had enough. */
    void resumeReading() {
        if (open && paused) {
            paused = false;
            silentChecks = 0;
            channel.config().setAutoRead(true);
        }
    }

    /**
     * Silence is counted in checks, not in time: a replica that was itself stopped for a while finds one silent check,
     * not a silent peer. While reading is paused silence says nothing.
     */
    private void checkLife() {
        if (!open) {
            return;
        }
        silentChecks = receivedSinceCheck || paused ? 0 : silentChecks + 1;
        receivedSinceCheck = false;
        if (silentChecks >= idleChecks) {
            close("nothing was received for " + io.settings().limits().idleLimitMillis() + " ms", true);
            return;
        }
        if (!wroteSinceCheck && !pingPending && writer.remainingBytes() == 0) {
            pingPending = true;
            ByteBuf ping = channel.alloc().directBuffer(Integer.BYTES).writeInt(FrameReader.PING);
            channel.writeAndFlush(ping).addListener(done -> pingPending = false);
        }
        wroteSinceCheck = false;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        close("closed by the other side", false);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            close(String.valueOf(cause.getMessage()), false);
        } else {
            close("internal error: " + cause, true);
            IoContext.reportDefect(cause);
        }
    }

    /** Closes a connection that never began. */
    void abandon() {
        open = false;
        channel.close();
    }

    /**
     * Closes the connection and tells the link, once.
     *
     * @param reason for the log
     * @param warn whether it is more than a peer going away
     */
    void close(String reason, boolean warn) {
        if (!open) {
            return;
        }
        open = false;
        check.cancel(false);
        writer.clear();
        channel.close();
        link.down(this, reason, warn);
    }
}
