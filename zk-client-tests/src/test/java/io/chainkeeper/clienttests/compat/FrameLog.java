package io.chainkeeper.clienttests.compat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts one direction of a connection into its frames: four bytes of length, then so many bytes. */
final class FrameLog {
    private static final int MAX_FRAME_BYTES = 64 << 20;

    private final List<byte[]> frames = new ArrayList<>();
    private byte[] rest = new byte[0];
    private boolean unframed;

    /** Adds bytes as they came. What follows a length that no frame can have is not cut any more. */
    synchronized void add(byte[] bytes, int count) {
        int before = rest.length;
        rest = Arrays.copyOf(rest, before + count);
        System.arraycopy(bytes, 0, rest, before, count);
        int from = 0;
        while (!unframed && rest.length - from >= Integer.BYTES) {
            int length = ByteBuffer.wrap(rest).getInt(from);
            unframed = length < 0 || length > MAX_FRAME_BYTES;
            if (unframed || rest.length - from - Integer.BYTES < length) {
                break;
            }
            from += Integer.BYTES;
            frames.add(Arrays.copyOfRange(rest, from, from + length));
            from += length;
        }
        rest = Arrays.copyOfRange(rest, from, rest.length);
    }

    /** Returns the complete frames so far, without their lengths. */
    synchronized List<byte[]> frames() {
        return List.copyOf(frames);
    }

    /** Returns the number of bytes behind the last complete frame. */
    synchronized int restBytes() {
        return rest.length;
    }
}
