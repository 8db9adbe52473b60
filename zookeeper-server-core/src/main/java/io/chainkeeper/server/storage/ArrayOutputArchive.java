package io.chainkeeper.server.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.Checksum;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;

/**
 * Encodes records as {@link org.apache.jute.BinaryOutputArchive} does, into an array that grows and is kept.
 * ZooKeeper's goes byte by byte through two streams that lock. Long values are not copied: this archive refers to their
 * own arrays, which nobody may change before {@link #clear}. Used by one thread at a time.
 */
final class ArrayOutputArchive implements OutputArchive {
    /** From how many bytes on a value is referred to; shorter ones are not worth being looked after. */
    static final int REFERRED_VALUE_BYTES = 1 << 11;

    /** An array that one large record has made larger than this is given up. */
    private static final int MAX_KEPT_BYTES = 1 << 20;

    private static final int FIRST_BYTES = 1 << 12;
    private static final int FIRST_VALUES = 16;
    private static final int ABSENT = -1;
    private static final int MAX_BYTES_OF_CHAR = 3;
    private static final int BITS_BEHIND = 6;
    private static final int MASK_BEHIND = 0x3f;

    private byte[] array = new byte[FIRST_BYTES];
    private int size;

    /** What is referred to, in order; each stands before the byte of {@link #array} that {@link #places} names. */
    private final List<byte[]> values = new ArrayList<>();

    private int[] places = new int[FIRST_VALUES];
    private int valueBytes;

    // How far drainTo has come: the next byte of the array, the next value, and the next byte of it.
    private int drainedBytes;
    private int drainedValues;
    private int drainedOfValue;

    /** All that has been written, values that are referred to included. */
    int length() {
        return Math.addExact(size, valueBytes);
    }

    /** Bytes that have been written and are not referred to: where {@link #putInt} finds what is written next. */
    int place() {
        return size;
    }

    /** How many values are referred to. */
    int values() {
        return values.size();
    }

    /**
     * Updates a checksum with what has been written from some moment on.
     *
     * @param checksum what is updated
     * @param fromPlace {@link #place} at that moment, or later by bytes that are not referred to
     * @param fromValue {@link #values} at that moment
     */
    void update(Checksum checksum, int fromPlace, int fromValue) {
        int at = fromPlace;
        for (int i = fromValue; i < values.size(); i++) {
            checksum.update(array, at, places[i] - at);
            checksum.update(values.get(i), 0, values.get(i).length);
            at = places[i];
        }
        checksum.update(array, at, size - at);
    }

    /**
     * Copies what has been written: of what no call before has copied, as much as there is room for.
     *
     * @param target where to
     */
    void drainTo(ByteBuffer target) {
        while (target.hasRemaining() && drainedValues < values.size()) {
            drainArray(target, places[drainedValues]);
            byte[] value = values.get(drainedValues);
            int part = Math.min(value.length - drainedOfValue, target.remaining());
            target.put(value, drainedOfValue, part);
            drainedOfValue += part;
            if (drainedOfValue == value.length) {
                drainedValues++;
                drainedOfValue = 0;
            }
        }
        if (drainedValues == values.size()) {
            drainArray(target, size);
        }
    }

    private void drainArray(ByteBuffer target, int end) {
        int part = Math.min(end - drainedBytes, target.remaining());
        target.put(array, drainedBytes, part);
        drainedBytes += part;
    }

    /** Forgets everything that was written. */
    void clear() {
        size = 0;
        values.clear();
        valueBytes = 0;
        drainedBytes = 0;
        drainedValues = 0;
        drainedOfValue = 0;
        if (array.length > MAX_KEPT_BYTES) {
            array = new byte[FIRST_BYTES];
        }
    }

    private void room(int bytes) {
        if (bytes > array.length - size) {
            array = Arrays.copyOf(array, Math.max(Math.addExact(size, bytes), 2 * array.length));
        }
    }

    /** Writes over what stands at a place. */
    void putInt(int at, int value) {
        array[at] = (byte) (value >>> 24);
        array[at + 1] = (byte) (value >>> 16);
        array[at + 2] = (byte) (value >>> 8);
        array[at + 3] = (byte) value;
    }

    /** Writes over what stands at a place. */
    void putLong(int at, long value) {
        putInt(at, (int) (value >>> Integer.SIZE));
        putInt(at + Integer.BYTES, (int) value);
    }

    @Override
    public void writeByte(byte value, String tag) {
        room(1);
        array[size++] = value;
    }

    @Override
    public void writeBool(boolean value, String tag) {
        writeByte((byte) (value ? 1 : 0), tag);
    }

    @Override
    public void writeInt(int value, String tag) {
        room(Integer.BYTES);
        putInt(size, value);
        size += Integer.BYTES;
    }

    @Override
    public void writeLong(long value, String tag) {
        room(Long.BYTES);
        putLong(size, value);
        size += Long.BYTES;
    }

    @Override
    public void writeFloat(float value, String tag) {
        writeInt(Float.floatToIntBits(value), tag);
    }

    @Override
    public void writeDouble(double value, String tag) {
        writeLong(Double.doubleToLongBits(value), tag);
    }

    /** Each half of a surrogate pair by itself, as ZooKeeper does. */
    @Override
    public void writeString(String value, String tag) {
        if (value == null) {
            writeInt(ABSENT, tag);
            return;
        }
        int length = value.length();
        room(Math.addExact(Integer.BYTES, Math.multiplyExact(length, MAX_BYTES_OF_CHAR)));
        int start = size;
        size += Integer.BYTES;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c < 0x80) {
                array[size++] = (byte) c;
            } else if (c < 0x800) {
                array[size++] = (byte) (0xc0 | c >> BITS_BEHIND);
                array[size++] = (byte) (0x80 | c & MASK_BEHIND);
            } else {
                array[size++] = (byte) (0xe0 | c >> 2 * BITS_BEHIND);
                array[size++] = (byte) (0x80 | c >> BITS_BEHIND & MASK_BEHIND);
                array[size++] = (byte) (0x80 | c & MASK_BEHIND);
            }
        }
        putInt(start, size - start - Integer.BYTES);
    }

    @Override
    public void writeBuffer(byte[] value, String tag) {
        if (value == null) {
            writeInt(ABSENT, tag);
            return;
        }
        writeInt(value.length, tag);
        if (value.length >= REFERRED_VALUE_BYTES) {
            refer(value);
            return;
        }
        room(value.length);
        System.arraycopy(value, 0, array, size, value.length);
        size += value.length;
    }

    private void refer(byte[] value) {
        valueBytes = Math.addExact(valueBytes, value.length);
        if (values.size() == places.length) {
            places = Arrays.copyOf(places, 2 * places.length);
        }
        places[values.size()] = size;
        values.add(value);
    }

    @Override
    public void writeRecord(Record record, String tag) throws IOException {
        record.serialize(this, tag);
    }

    @Override
    public void startRecord(Record record, String tag) {}

    @Override
    public void endRecord(Record record, String tag) {}

    @Override
    public void startVector(List<?> vector, String tag) {
        writeInt(vector == null ? ABSENT : vector.size(), tag);
    }

    @Override
    public void endVector(List<?> vector, String tag) {}

    @Override
    public void startMap(TreeMap<?, ?> map, String tag) {
        writeInt(map.size(), tag);
    }

    @Override
    public void endMap(TreeMap<?, ?> map, String tag) {}

    @Override
    public long getDataSize() {
        return length();
    }
}
