package io.chainkeeper.ordering;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash of all values up to a position: {@code hash(i) = mix(hash(i - 1), i, hash(value i))}. Replicas that hold the
 * same order have the same hash at the same position; a replica with another hash holds another order. Protects from
 * faults of programs and machines, not from forgers. Pure; 64 bits, so two different prefixes meet by chance once in
 * 10^19 times (docs/decisions/024).
 */
public final class PrefixHash {
    /** Nothing is known of the prefix: it reaches back to a state that was stored without its hash. Never compared. */
    public static final long UNKNOWN = 0;

    /** The hash of the prefix that holds nothing, at position 0. */
    public static final long EMPTY = 0x436861696e6b7072L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    // Odd numbers with about as many ones as zeros: the fractional parts of the square roots of 2, 3, 5, 7.
    private static final long A = 0x6a09e667f3bcc909L;
    private static final long B = 0xbb67ae8584caa73bL;
    private static final long C = 0x3c6ef372fe94f82bL;
    private static final long D = 0xa54ff53a5f1d36f1L;

    private static final int BLOCK_BYTES = 4 * Long.BYTES;

    private PrefixHash() {}

    /**
     * @param before hash of the prefix up to the position before
     * @param position the position
     * @param value what it holds
     * @return hash of the prefix up to the position; {@link #UNKNOWN} if {@code before} is
     */
    public static long next(long before, long position, ByteSlice value) {
        if (before == UNKNOWN) {
            return UNKNOWN;
        }
        long hash = mix(mix(before ^ position * A) + of(value));
        return hash == UNKNOWN ? EMPTY : hash;
    }

    /**
     * Hashes one value, in two lanes, so that the multiplications of one do not wait for those of the other.
     *
     * @param value the bytes
     * @return their hash
     */
    public static long of(ByteSlice value) {
        byte[] bytes = value.array();
        int at = value.offset();
        int end = at + value.length();
        long a = C;
        long b = D;
        for (; at <= end - BLOCK_BYTES; at += BLOCK_BYTES) {
            a = fold((long) LONGS.get(bytes, at) ^ A, (long) LONGS.get(bytes, at + 8) ^ a);
            b = fold((long) LONGS.get(bytes, at + 16) ^ B, (long) LONGS.get(bytes, at + 24) ^ b);
        }
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            a = fold((long) LONGS.get(bytes, at) ^ B, a ^ D);
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = rest << Byte.SIZE | bytes[at] & 0xff;
        }
        return mix(fold(a ^ rest, b ^ C) ^ value.length());
    }

    /** Both halves of the product: every bit of either number changes about half of the result. */
    private static long fold(long one, long other) {
        return Math.multiplyHigh(one, other) ^ one * other;
    }

    /** Spreads every bit over all; a bijection. */
    private static long mix(long number) {
        long mixed = (number ^ number >>> 32) * C;
        mixed = (mixed ^ mixed >>> 29) * D;
        return mixed ^ mixed >>> 32;
    }

    /**
     * @param hash of a prefix
     * @return how it is shown to people
     */
    public static String text(long hash) {
        return hash == UNKNOWN ? "unknown" : String.format("%016x", hash);
    }
}
