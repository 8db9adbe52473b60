package io.chainkeeper.ordering;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * An immutable view of a range of a byte array. Values travel as slices so that the bytes encoded once by the proposer
 * are forwarded and logged unchanged, without copying. Whoever creates a slice promises not to change the array
 * afterwards. Safe for use by any thread under that promise.
 */
public final class ByteSlice {
    /** The slice of length zero. */
    public static final ByteSlice EMPTY = new ByteSlice(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int length;

    private ByteSlice(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    /**
     * Views a whole array.
     *
     * @param array the bytes, not copied
     * @return the slice
     */
    public static ByteSlice of(byte[] array) {
        return new ByteSlice(array, 0, array.length);
    }

    /**
     * Views a range of an array.
     *
     * @param array the bytes, not copied
     * @param offset first byte of the range
     * @param length number of bytes
     * @return the slice
     * @throws IndexOutOfBoundsException if the range is not inside the array
     */
    public static ByteSlice of(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        return new ByteSlice(array, offset, length);
    }

    /**
     * Views a part of this slice.
     *
     * @param from first byte, relative to this slice
     * @param size number of bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part is not inside this slice
     */
    public ByteSlice slice(int from, int size) {
        Objects.checkFromIndexSize(from, size, length);
        return new ByteSlice(array, offset + from, size);
    }

    /** @return number of bytes */
    public int length() {
        return length;
    }

    /** @return the backing array; must not be changed */
    public byte[] array() {
        return array;
    }

    /** @return index in {@link #array()} of the first byte */
    public int offset() {
        return offset;
    }

    /**
     * @param index position relative to this slice
     * @return the byte there
     * @throws IndexOutOfBoundsException if there is no such byte
     */
    public byte get(int index) {
        return array[offset + Objects.checkIndex(index, length)];
    }

    /** @return a read-only big-endian buffer over these bytes, position 0, limit {@link #length()} */
    public ByteBuffer asByteBuffer() {
        return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }

    /** @return a copy of the bytes */
    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteSlice that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + array[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return "bytes[" + length + "]";
    }
}
