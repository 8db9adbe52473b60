package io.chainkeeper.transport.io;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.TransportLimits;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Frames on their way into a socket. Frames are copied once, in pieces, into the buffers that the socket writes from,
 * so that many small frames share a system call and a large frame never needs as much direct memory as it has bytes.
 * Not thread-safe.
 */
public final class FrameWriter {
    /** Bytes that are copied for the socket at a time. */
    public static final int CHUNK_BYTES = 64 << 10;

    private final ArrayDeque<ByteSlice[]> frames = new ArrayDeque<>();
    private long remainingBytes;
    private int part;
    private int offset;
    private boolean prefixWritten;
    private long finishedFrames;
    private long finishedBytes;

    /**
     * @param parts of one frame
     * @return its length, without prefix
     */
    public static long length(ByteSlice[] parts) {
        long length = 0;
        for (ByteSlice slice : parts) {
            length += slice.length();
        }
        return length;
    }

    /** @param batch frames to be written after those before */
    public void add(List<ByteSlice[]> batch) {
        for (ByteSlice[] frame : batch) {
            frames.add(frame);
            remainingBytes += TransportLimits.LENGTH_PREFIX_BYTES + length(frame);
        }
    }

    /** @return bytes not yet copied, prefixes included */
    public long remainingBytes() {
        return remainingBytes;
    }

    /** @return frames copied completely so far */
    public long finishedFrames() {
        return finishedFrames;
    }

    /** @return bytes of these frames, without prefixes */
    public long finishedBytes() {
        return finishedBytes;
    }

    /** Forgets all frames. */
    public void clear() {
        frames.clear();
        remainingBytes = 0;
    }

    /** @param chunk filled as far as its capacity and the frames reach; takes at least a length prefix */
    public void fill(ByteBuf chunk) {
        int before = chunk.writerIndex();
        while (!frames.isEmpty()) {
            ByteSlice[] frame = frames.peek();
            if (!prefixWritten) {
                if (chunk.writableBytes() < TransportLimits.LENGTH_PREFIX_BYTES) {
                    break;
                }
                chunk.writeInt((int) length(frame));
                prefixWritten = true;
            }
            if (!copyParts(frame, chunk)) {
                break;
            }
            frames.remove();
            finishedFrames++;
            finishedBytes += length(frame);
            part = 0;
            prefixWritten = false;
        }
        remainingBytes -= chunk.writerIndex() - before;
    }

    /** @return true if the frame is complete, false if the chunk is full */
    private boolean copyParts(ByteSlice[] frame, ByteBuf chunk) {
        while (part < frame.length) {
            ByteSlice slice = frame[part];
            int size = Math.min(slice.length() - offset, chunk.writableBytes());
            chunk.writeBytes(slice.array(), slice.offset() + offset, size);
            offset += size;
            if (offset < slice.length()) {
                return false;
            }
            part++;
            offset = 0;
        }
        return true;
    }
}
