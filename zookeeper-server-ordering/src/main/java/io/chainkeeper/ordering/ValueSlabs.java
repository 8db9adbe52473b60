package io.chainkeeper.ordering;

import java.util.ArrayDeque;

/**
 * Values that are kept for a while, in the order in which they came, as copies in arrays that are used again. A value
 * with an array of its own that lives for seconds is moved by the collector out of the young generation, which then
 * fills the old one with arrays of the dead; what is here stays where it is. Arrays are made when they are needed, and
 * never given back. Not thread-safe.
 */
public final class ValueSlabs {
    /** No region of a collector with regions of 1 MiB, its smallest, is spent on one of these alone. */
    public static final int SLAB_BYTES = 256 << 10;

    /** A value that is kept: in an array of its own, or in the slabs. */
    public interface Kept {
        /**
         * @return the bytes: a copy if they are in the slabs, so that it stays what it is whatever comes later
         * @throws InvariantViolated if the slabs have let go of them
         */
        ByteSlice value();

        /** @return number of bytes */
        int length();
    }

    private record Own(ByteSlice value) implements Kept {
        @Override
        public int length() {
            return value.length();
        }
    }

    private final class Stored implements Kept {
        private final long position;
        private final int length;

        Stored(long position, int length) {
            this.position = position;
            this.length = length;
        }

        @Override
        public ByteSlice value() {
            return read(position, length);
        }

        @Override
        public int length() {
            return length;
        }

        boolean isIn(ValueSlabs slabs) {
            return slabs == ValueSlabs.this;
        }
    }

    private final int slabBytes;

    /** The slab with a number is at the remainder of its number. */
    private final byte[][] slabs;

    private final ArrayDeque<byte[]> spare = new ArrayDeque<>();
    private int made;

    /** Bytes ever kept: positions from {@code released} to {@code end} are here. */
    private long end;

    private long released;

    /** @param maxBytes of values that fit at least; one slab more may be made */
    public ValueSlabs(long maxBytes) {
        this(maxBytes, SLAB_BYTES);
    }

    ValueSlabs(long maxBytes, int slabBytes) {
        this.slabBytes = slabBytes;
        // The oldest slab may hold one last byte of a value, and the newest may be full.
        this.slabs = new byte[Math.toIntExact((maxBytes + slabBytes - 1) / slabBytes) + 1][];
    }

    /**
     * @param value bytes
     * @return the value with the array that it has
     */
    public static Kept own(ByteSlice value) {
        return new Own(value);
    }

    /**
     * Copies a value into the slabs.
     *
     * @param value what {@link #own} made
     * @return what to hold in its place; the same if there is no room, or if it has no bytes
     */
    public Kept keep(Kept value) {
        InvariantViolated.check(value instanceof Own, "a value is in slabs already");
        int length = value.length();
        boolean fits = (end + length - 1) / slabBytes - released / slabBytes < slabs.length;
        if (length == 0 || !fits) {
            return value;
        }
        ByteSlice bytes = value.value();
        long position = end;
        int done = 0;
        while (done < length) {
            int offset = (int) (end % slabBytes);
            int part = Math.min(length - done, slabBytes - offset);
            System.arraycopy(bytes.array(), bytes.offset() + done, slabForWriting(), offset, part);
            done += part;
            end += part;
        }
        return new Stored(position, length);
    }

    /**
     * Lets go of a value and of all that were kept before it.
     *
     * @param value with its own array, for which nothing is to be done, or kept here
     */
    public void release(Kept value) {
        if (!(value instanceof Stored stored)) {
            return;
        }
        InvariantViolated.check(stored.isIn(this), "a value is in other slabs");
        long next = Math.max(released, stored.position + stored.length);
        for (long number = released / slabBytes; number < next / slabBytes; number++) {
            int index = (int) (number % slabs.length);
            spare.push(slabs[index]);
            slabs[index] = null;
        }
        released = next;
    }

    /** Lets go of all values. */
    public void clear() {
        if (released < end) {
            release(new Stored(released, Math.toIntExact(end - released)));
        }
    }

    /** @return bytes of the arrays that there are */
    public long madeBytes() {
        return (long) made * slabBytes;
    }

    /** @return most bytes that arrays may have */
    public long maxMadeBytes() {
        return (long) slabs.length * slabBytes;
    }

    private byte[] slabForWriting() {
        int index = (int) (end / slabBytes % slabs.length);
        if (slabs[index] == null) {
            if (spare.isEmpty()) {
                made++;
                slabs[index] = new byte[slabBytes];
            } else {
                slabs[index] = spare.pop();
            }
        }
        return slabs[index];
    }

    private ByteSlice read(long position, int length) {
        InvariantViolated.check(position >= released, "the value at %d is gone, up to %d", position, released);
        byte[] copy = new byte[length];
        int done = 0;
        while (done < length) {
            long from = position + done;
            int offset = (int) (from % slabBytes);
            int part = Math.min(length - done, slabBytes - offset);
            System.arraycopy(slabs[(int) (from / slabBytes % slabs.length)], offset, copy, done, part);
            done += part;
        }
        return ByteSlice.of(copy);
    }
}
