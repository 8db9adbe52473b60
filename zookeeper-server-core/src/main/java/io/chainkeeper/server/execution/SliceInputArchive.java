package io.chainkeeper.server.execution;

import io.chainkeeper.ordering.ByteSlice;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Index;
import org.apache.jute.InputArchive;
import org.apache.jute.Record;

/**
 * Reads records as {@link BinaryInputArchive} does, straight out of an array: each value is copied once, into an array
 * of its own that is not filled with zeroes before, so that it does not keep what it was in from being collected.
 * Nothing may be longer than what is read from. Used by one thread at a time.
 */
final class SliceInputArchive implements InputArchive {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int ABSENT = -1;

    private final byte[] array;
    private final int totalBytes;
    private final int end;
    private int at;

    /** @param bytes what is read, from its beginning */
    SliceInputArchive(ByteSlice bytes) {
        array = bytes.array();
        totalBytes = bytes.length();
        at = bytes.offset();
        end = at + totalBytes;
    }

    /** Goes on behind the next bytes, and returns where they begin. */
    private int next(int bytes) throws EOFException {
        if (bytes > end - at) {
            throw new EOFException();
        }
        int start = at;
        at += bytes;
        return start;
    }

    private int nextOfLength(int bytes) throws IOException {
        if (bytes < 0 || bytes > totalBytes) {
            throw new IOException(BinaryInputArchive.UNREASONBLE_LENGTH + bytes);
        }
        return next(bytes);
    }

    @Override
    public byte readByte(String tag) throws IOException {
        return array[next(Byte.BYTES)];
    }

    @Override
    public boolean readBool(String tag) throws IOException {
        return readByte(tag) != 0;
    }

    @Override
    public int readInt(String tag) throws IOException {
        return (int) INT.get(array, next(Integer.BYTES));
    }

    @Override
    public long readLong(String tag) throws IOException {
        return (long) LONG.get(array, next(Long.BYTES));
    }

    @Override
    public float readFloat(String tag) throws IOException {
        return Float.intBitsToFloat(readInt(tag));
    }

    @Override
    public double readDouble(String tag) throws IOException {
        return Double.longBitsToDouble(readLong(tag));
    }

    @Override
    public String readString(String tag) throws IOException {
        int length = readInt(tag);
        return length == ABSENT ? null : new String(array, nextOfLength(length), length, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] readBuffer(String tag) throws IOException {
        int length = readInt(tag);
        if (length == ABSENT) {
            return null;
        }
        int start = nextOfLength(length);
        return Arrays.copyOfRange(array, start, start + length);
    }

    @Override
    public void readRecord(Record record, String tag) throws IOException {
        record.deserialize(this, tag);
    }

    @Override
    public void startRecord(String tag) {}

    @Override
    public void endRecord(String tag) {}

    @Override
    public Index startVector(String tag) throws IOException {
        int length = readInt(tag);
        return length == ABSENT ? null : new Countdown(length);
    }

    @Override
    public void endVector(String tag) {}

    @Override
    public Index startMap(String tag) throws IOException {
        return new Countdown(readInt(tag));
    }

    @Override
    public void endMap(String tag) {}

    private static final class Countdown implements Index {
        private int left;

        Countdown(int length) {
            left = length;
        }

        @Override
        public boolean done() {
            return left <= 0;
        }

        @Override
        public void incr() {
            left--;
        }
    }
}
