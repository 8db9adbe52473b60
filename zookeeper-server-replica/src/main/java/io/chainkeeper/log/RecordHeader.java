package io.chainkeeper.log;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What stands before head and body of each record in a segment, big-endian:
 *
 * <pre>
 *   0  int   CRC32C of the segment's salt, the record's offset and bytes 4 to 31
 *   4  int   CRC32C of head and body
 *   8  int   length of the head
 *  12  int   length of the body
 *  16  long  position
 *  24  int   synced-below: the segment had been forced up to this offset when the record was written
 *  28  int   kind
 * </pre>
 *
 * The salt keeps bytes that a client chose, or that an older file left on the disk, from passing for a record.
 * Synced-below tells damage from an unfinished write: what lies below it in front of an intact record was once on
 * stable storage. A reused carrier of the decoded fields, for one thread.
 */
final class RecordHeader {
    /** Size on disk. */
    static final int BYTES = 32;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int CRC_BYTES = 4;
    private static final int SEED_BYTES = 12;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer covered = ByteBuffer.allocate(SEED_BYTES + BYTES - CRC_BYTES);

    private int payloadCrc;
    private int headLength;
    private int bodyLength;
    private long position;
    private int syncedBelow;
    private int kind;

    /**
     * Writes the header of a record.
     *
     * @param out with room for {@link #BYTES}
     * @param record the record
     * @param salt the segment's
     * @param offset where in the segment the record begins
     * @param forcedOffset how far the segment has been forced
     */
    void encode(ByteBuffer out, LogRecord record, long salt, int offset, int forcedOffset) {
        crc.reset();
        update(record.head());
        update(record.body());
        covered.clear();
        covered.putLong(salt).putInt(offset);
        covered.putInt((int) crc.getValue());
        covered.putInt(record.head().length()).putInt(record.body().length());
        covered.putLong(record.position());
        covered.putInt(forcedOffset).putInt(record.kind());
        out.putInt(coveredCrc());
        out.put(covered.array(), SEED_BYTES, BYTES - CRC_BYTES);
    }

    private void update(ByteSlice slice) {
        crc.update(slice.array(), slice.offset(), slice.length());
    }

    private int coveredCrc() {
        crc.reset();
        crc.update(covered.array(), 0, covered.capacity());
        return (int) crc.getValue();
    }

    /**
     * Reads a header.
     *
     * @param bytes holds at least {@link #BYTES} from {@code index}
     * @param index where in {@code bytes} the header would begin
     * @param salt the segment's
     * @param offset where in the segment the header would begin
     * @return whether there is an intact header; the fields hold it
     */
    boolean decode(byte[] bytes, int index, long salt, int offset) {
        kind = (int) INT.get(bytes, index + 28);
        headLength = (int) INT.get(bytes, index + 8);
        bodyLength = (int) INT.get(bytes, index + 12);
        // Cheap tests first: behind a bad record every byte is tried as the beginning of a header.
        if (kind < 1 || kind > 127 || headLength < 0 || bodyLength < 0 || recordBytes() > Integer.MAX_VALUE) {
            return false;
        }
        position = (long) LONG.get(bytes, index + 16);
        syncedBelow = (int) INT.get(bytes, index + 24);
        payloadCrc = (int) INT.get(bytes, index + CRC_BYTES);
        if (position < LogRecord.METADATA || syncedBelow < 0 || syncedBelow > offset) {
            return false;
        }
        covered.clear();
        covered.putLong(salt).putInt(offset).put(bytes, index + CRC_BYTES, BYTES - CRC_BYTES);
        return coveredCrc() == (int) INT.get(bytes, index);
    }

    /**
     * Checks head and body behind the header read last.
     *
     * @param bytes holds the whole record
     * @param index where in {@code bytes} the header begins
     * @return whether they are intact
     */
    boolean payloadMatches(byte[] bytes, int index) {
        crc.reset();
        crc.update(bytes, index + BYTES, headLength + bodyLength);
        return (int) crc.getValue() == payloadCrc;
    }

    /**
     * Makes the record of the header read last.
     *
     * @param bytes holds the whole record; the result is a view of it
     * @param index where in {@code bytes} the header begins
     * @return the record
     */
    LogRecord record(byte[] bytes, int index) {
        ByteSlice head = ByteSlice.of(bytes, index + BYTES, headLength);
        ByteSlice body = ByteSlice.of(bytes, index + BYTES + headLength, bodyLength);
        return new LogRecord(position, kind, head, body);
    }

    /**
     * Makes the record of the header read last, without its body.
     *
     * @param bytes begins with the header and holds the head; the result is a view of it
     * @return the record with an empty body
     */
    LogRecord headOf(byte[] bytes) {
        return new LogRecord(position, kind, ByteSlice.of(bytes, BYTES, headLength), ByteSlice.EMPTY);
    }

    /** @return where the head ends, counted from the beginning of the record */
    int headEnd() {
        return BYTES + headLength;
    }

    /** @return size of the whole record */
    long recordBytes() {
        return (long) BYTES + headLength + bodyLength;
    }

    /** @return kind of the record of the header read last */
    int kind() {
        return kind;
    }

    /** @return position of the header read last */
    long position() {
        return position;
    }

    /** @return synced-below of the header read last */
    int syncedBelow() {
        return syncedBelow;
    }

    /**
     * @param record a record
     * @return its size on disk
     */
    static long recordBytes(LogRecord record) {
        return (long) BYTES + record.head().length() + record.body().length();
    }
}
