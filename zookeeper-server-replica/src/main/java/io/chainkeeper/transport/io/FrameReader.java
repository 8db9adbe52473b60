package io.chainkeeper.transport.io;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.netty.buffer.ByteBuf;

/**
 * Cuts what a link receives into frames. A frame is a length of four bytes and as many bytes; the length
 * {@value #PING} alone is a ping. Bytes are copied once, from the buffer of the socket into the frame's own array.
 * Not thread-safe.
 */
public final class FrameReader {
    /** Stands where a length would: the sender is alive. */
    public static final int PING = -1;

    private final int maxFrameBytes;
    private int prefix;
    private int prefixBytes;
    private byte[] frame;
    private int filled;

    /** Takes complete frames. */
    @FunctionalInterface
    public interface Sink {
        /**
         * @param frame a complete frame
         * @return false if no further frame is wanted, ever
         */
        boolean take(ByteSlice frame);
    }

    /** @param maxFrameBytes longest frame for which memory is given */
    public FrameReader(int maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    /**
     * Reads everything at hand.
     *
     * @param in bytes that follow those of the last call
     * @param sink told of each frame that is complete
     * @throws MalformedMessageException if a length is out of range; no memory was allocated for the frame
     */
    public void read(ByteBuf in, Sink sink) throws MalformedMessageException {
        while (in.isReadable()) {
            if (frame == null && !readPrefix(in)) {
                continue;
            }
            int part = Math.min(frame.length - filled, in.readableBytes());
            in.readBytes(frame, filled, part);
            filled += part;
            if (filled == frame.length) {
                ByteSlice complete = ByteSlice.of(frame);
                frame = null;
                if (!sink.take(complete)) {
                    return;
                }
            }
        }
    }

    /** @return true if a frame has begun */
    private boolean readPrefix(ByteBuf in) throws MalformedMessageException {
        if (prefixBytes == 0 && in.readableBytes() >= Integer.BYTES) {
            prefix = in.readInt();
        } else {
            prefix = prefix << Byte.SIZE | in.readUnsignedByte();
            prefixBytes++;
            if (prefixBytes < Integer.BYTES) {
                return false;
            }
        }
        int length = prefix;
        prefix = 0;
        prefixBytes = 0;
        if (length == PING) {
            return false;
        }
        if (length < 0 || length > maxFrameBytes) {
            throw new MalformedMessageException("announced a frame of " + Integer.toUnsignedString(length)
                    + " bytes where at most " + maxFrameBytes + " are allowed");
        }
        frame = new byte[length];
        filled = 0;
        return true;
    }
}
