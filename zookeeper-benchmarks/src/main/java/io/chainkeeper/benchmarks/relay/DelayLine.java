package io.chainkeeper.benchmarks.relay;

import java.util.ArrayDeque;

/**
 * What is on its way in one direction of a link: each piece comes out a fixed time after it went in, in the same order,
 * however fast pieces follow one another. Has neither a clock nor threads: the caller says what time it is. Not safe
 * for use by several threads.
 */
final class DelayLine {
    private record Piece(byte[] bytes, long dueNanos) {}

    private final long delayNanos;
    private final long maxBytes;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private long bytes;

    /**
     * @param delayNanos how long each piece takes
     * @param maxBytes while so many are on their way no more is let in
     */
    DelayLine(long delayNanos, long maxBytes) {
        this.delayNanos = delayNanos;
        this.maxBytes = maxBytes;
    }

    /** Whether another piece may go in. */
    boolean hasRoom() {
        return bytes < maxBytes;
    }

    /**
     * Lets a piece in.
     *
     * @param piece its bytes, at least one; none is the end of the stream
     * @param nowNanos the time, not before that of any earlier call
     */
    void add(byte[] piece, long nowNanos) {
        pieces.add(new Piece(piece, nowNanos + delayNanos));
        bytes += piece.length;
    }

    /**
     * How long until the next piece comes out.
     *
     * @param nowNanos the time
     * @return nanoseconds, 0 or less if it may come out now; {@link Long#MAX_VALUE} if nothing is on its way
     */
    long nanosToNext(long nowNanos) {
        return pieces.isEmpty() ? Long.MAX_VALUE : pieces.peek().dueNanos() - nowNanos;
    }

    /** Lets the next piece out, whether or not it is time. */
    byte[] take() {
        Piece piece = pieces.remove();
        bytes -= piece.bytes().length;
        return piece.bytes();
    }
}
