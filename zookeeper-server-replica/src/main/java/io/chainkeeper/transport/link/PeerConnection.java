package io.chainkeeper.transport.link;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.release.Release;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection that has proved itself: frames in, frames out, pings. {@link #send} and {@link #flush} belong to the
 * sending thread, {@link #outboundBytes()} and the getters to any, all else to the I/O thread.
 */
public final class PeerConnection extends ChannelInboundHandlerAdapter implements HandshakeHandler.NextHandler {
    private final LinkContext context;
    private final PeerLink link;
    private final Channel channel;
    private final String remote;
    private final Hello hello;
    private final FrameReader reader;
    private final FrameWriter writer = new FrameWriter();
    private final AtomicLong outboundBytes = new AtomicLong();
    private final int idleChecks;
    private final int version;

    /** By the first byte of a frame. */
    private final boolean[] isMessageKind = new boolean[256];

    private long ordinal;
    private boolean open = true;
    private boolean receivedSinceCheck;
    private boolean wroteSinceCheck;
    private boolean pingPending;
    private int silentChecks;

    /** Null until the link has taken this connection. */
    private Future<?> check;

    /** What the socket had given out already when the listener wanted no more frames; not more than one read of it. */
    private final Queue<ByteBuf> unread = new ArrayDeque<>();

    private final Queue<List<ByteSlice[]>> handedOver = new ConcurrentLinkedQueue<>();
    private List<ByteSlice[]> pending = new ArrayList<>();
    private boolean overflowed;

    /**
     * @param context what links share
     * @param link the link that the connection belongs to
     * @param channel the socket
     * @param remote address of the other end, for the log
     * @param hello of the other end
     */
    public PeerConnection(LinkContext context, PeerLink link, Channel channel, String remote, Hello hello) {
        this.context = context;
        this.link = link;
        this.channel = channel;
        this.remote = remote;
        this.hello = hello;
        TransportLimits limits = context.settings().limits();
        this.reader = new FrameReader(limits.maxFrameBytes());
        this.version = context.settings().wire().common(hello.release().wire());
        for (int kind = 0; kind < isMessageKind.length; kind++) {
            isMessageKind[kind] = context.settings().isMessageKind(kind, version);
        }
        int interval = limits.pingIntervalMillis();
        this.idleChecks = (limits.idleLimitMillis() + interval - 1) / interval;
    }

    String remote() {
        return remote;
    }

    /** @return the hello of the other end */
    public Hello hello() {
        return hello;
    }

    /** @return the number of this connection among those of its link, from 1; set before other threads see it */
    long ordinal() {
        return ordinal;
    }

    /** @return bytes sent but not yet taken by the socket */
    long outboundBytes() {
        return outboundBytes.get();
    }

    void tellOccupancy(Occupancy occupancy) {
        long bound = context.settings().limits().maxOutboundBytesPerLink();
        occupancy.holds("link_outbound_bytes", outboundBytes.get(), bound, Slack.NONE);
    }

    /** @param number the {@link #ordinal()} */
    void begin(long number) {
        ordinal = number;
        int interval = context.settings().limits().pingIntervalMillis();
        check = context.io().scheduleRepeatedly(this::checkLife, interval);
    }

    /** @param parts of a frame; kept until {@link #flush} */
    public void send(ByteSlice[] parts) {
        if (overflowed) {
            return;
        }
        long bytes = TransportLimits.LENGTH_PREFIX_BYTES + FrameWriter.length(parts);
        long bound = context.settings().limits().maxOutboundBytesPerLink();
        // Only this thread adds; what is taken meanwhile makes more room than is seen.
        if (outboundBytes.get() + bytes > bound) {
            overflowed = true;
            pending = List.of();
            context.io()
                    .execute(() -> close("more than " + bound + " bytes wait to be sent; the peer is too slow", true));
            return;
        }
        outboundBytes.addAndGet(bytes);
        pending.add(parts);
    }

    /**
     * Writes what {@link #send} has collected: at once if the caller is the I/O thread, else with one task and one
     * wake-up of that thread.
     */
    public void flush() {
        if (pending.isEmpty()) {
            return;
        }
        handedOver.add(pending);
        pending = new ArrayList<>();
        if (context.io().isCurrent()) {
            IoThread.run(this::writeHandedOver);
        } else {
            context.io().execute(this::writeHandedOver);
        }
    }

    /** Also writes batches whose own task has not run yet: frames leave in the order in which they were sent. */
    private void writeHandedOver() {
        for (List<ByteSlice[]> batch = handedOver.poll(); batch != null; batch = handedOver.poll()) {
            if (open) {
                writer.add(batch);
            }
        }
        drain();
    }

    private void drain() {
        boolean wrote = false;
        while (open && writer.remainingBytes() > 0 && channel.isWritable()) {
            ByteBuf chunk =
                    channel.alloc().directBuffer((int) Math.min(FrameWriter.CHUNK_BYTES, writer.remainingBytes()));
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
    public void channelWritabilityChanged(ChannelHandlerContext handling) {
        drain();
    }

    @Override
    public void channelRead(ChannelHandlerContext handling, Object message) {
        try {
            receive((ByteBuf) message);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** A pause of the connection before this one goes on: else each that comes up would be read once more. */
    @Override
    public void start() {
        link.up(this);
        if (open && link.isPaused()) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void receive(ByteBuf in) {
        if (open && link.isPaused()) {
            unread.add(in.retain());
        } else {
            read(in);
        }
    }

    private void read(ByteBuf in) {
        receivedSinceCheck = true;
        if (!open) {
            return;
        }
        try {
            reader.read(in, this::deliver);
        } catch (MalformedMessageException e) {
            close("the peer " + e.getMessage() + ": run the same release on all servers", true);
        }
        context.listener().onFramesRead();
    }

    private boolean deliver(ByteSlice frame) {
        link.countIn(frame.length());
        int kind = frame.length() == 0 ? 0 : Byte.toUnsignedInt(frame.get(0));
        if (!isMessageKind[kind]) {
            close(
                    "the peer, release " + hello.release().release() + ", sent a message of kind " + kind
                            + ", which release " + Release.name() + " does not know in version " + version
                            + " of the frames: run releases at most one apart on all servers",
                    true);
            return false;
        }
        if (!context.listener().onFrame(link.peer(), frame) && !link.isPaused()) {
            link.pause();
            channel.config().setAutoRead(false);
        }
        return open;
    }

    /** Reads on after the listener had stopped the reading. */
    void resumeReading() {
        silentChecks = 0;
        while (!unread.isEmpty() && !link.isPaused()) {
            ByteBuf in = unread.remove();
            try {
                read(in);
            } finally {
                in.release();
            }
        }
        if (open && !link.isPaused()) {
            channel.config().setAutoRead(true);
        }
    }

    /**
     * Silence is counted in checks, not in time: if this replica itself was stopped for a while, it finds one silent
     * check, not a silent peer. While reading is paused, silence means nothing.
     */
    private void checkLife() {
        if (!open) {
            return;
        }
        silentChecks = receivedSinceCheck || link.isPaused() ? 0 : silentChecks + 1;
        receivedSinceCheck = false;
        if (silentChecks >= idleChecks) {
            close("nothing was received for " + context.settings().limits().idleLimitMillis() + " ms", true);
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
    public void channelInactive(ChannelHandlerContext handling) {
        close("closed by the other side", false);
    }

    /** What goes wrong in here Netty would only log. */
    @Override
    public void exceptionCaught(ChannelHandlerContext handling, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            IoThread.run(() -> close(String.valueOf(cause.getMessage()), false));
        } else {
            IoThread.run(() -> close("internal error: " + cause, true));
            IoThread.reportDefect(cause);
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
    public void close(String reason, boolean warn) {
        if (!open) {
            return;
        }
        open = false;
        if (check != null) { // else the listener has failed when it was told of the connection before this one
            check.cancel(false);
        }
        writer.clear();
        unread.forEach(ByteBuf::release);
        unread.clear();
        channel.close();
        link.down(this, reason, warn);
    }
}
