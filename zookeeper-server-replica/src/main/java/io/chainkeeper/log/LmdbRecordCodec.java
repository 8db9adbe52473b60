package io.chainkeeper.log;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Keys and values of {@link LmdbAcceptorLog}. A key is the position or, for metadata, the kind, as a big-endian long,
 * so that LMDB sorts keys by number. A value is an int CRC32C of the key and what follows, an int kind, an int length
 * of the head, head and body. Reuses its buffers; for one thread.
 */
final class LmdbRecordCodec {
    private static final int VALUE_OVERHEAD_BYTES = 12;

    private final ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES);
    private final ByteBuffer covered = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + Integer.BYTES);
    private final CRC32C crc = new CRC32C();

    /**
     * @param number position or kind
     * @return its key, valid until the next call
     */
    ByteBuffer key(long number) {
        key.clear();
        key.putLong(number).flip();
        return key;
    }

    /**
     * @param key a key
     * @return position or kind
     */
    static long number(ByteBuffer key) {
        return key.getLong(key.position());
    }

    /**
     * @param key the key of a record that is not intact
     * @param positional whether it is a position
     * @return one line that says which record that is
     */
    static String describe(ByteBuffer key, boolean positional) {
        return key.remaining() == Long.BYTES
                ? "the record of " + (positional ? "position " : "kind ") + number(key) + " is not intact"
                : "a key of " + key.remaining() + " bytes is not one of this log";
    }

    /**
     * @param record a record
     * @return size of its value
     */
    static int valueBytes(LogRecord record) {
        return VALUE_OVERHEAD_BYTES + record.head().length() + record.body().length();
    }

    /**
     * @param value with room for {@link #valueBytes}
     * @param record the record
     */
    void encode(ByteBuffer value, LogRecord record) {
        ByteSlice head = record.head();
        ByteSlice body = record.body();
        seed(record.position() == LogRecord.METADATA ? record.kind() : record.position(), record.kind(), head.length());
        crc.update(head.array(), head.offset(), head.length());
        crc.update(body.array(), body.offset(), body.length());
        value.putInt((int) crc.getValue()).putInt(record.kind()).putInt(head.length());
        value.put(head.array(), head.offset(), head.length());
        value.put(body.array(), body.offset(), body.length());
    }

    private void seed(long number, int kind, int headLength) {
        covered.clear();
        covered.putLong(number).putInt(kind).putInt(headLength);
        crc.reset();
        crc.update(covered.array(), 0, covered.capacity());
    }

    /**
     * @param recordKey its key
     * @param value its value
     * @param positional whether the key is a position
     * @return a copy of the record, null if it is damaged
     */
    LogRecord decode(ByteBuffer recordKey, ByteBuffer value, boolean positional) {
        if (recordKey.remaining() != Long.BYTES || value.remaining() < VALUE_OVERHEAD_BYTES) {
            return null;
        }
        long number = number(recordKey);
        int expectedCrc = value.getInt();
        int kind = value.getInt();
        int headLength = value.getInt();
        byte[] payload = new byte[value.remaining()];
        value.get(payload);
        seed(number, kind, headLength);
        crc.update(payload, 0, payload.length);
        if ((int) crc.getValue() != expectedCrc || headLength < 0 || headLength > payload.length) {
            return null;
        }
        return new LogRecord(
                positional ? number : LogRecord.METADATA,
                kind,
                ByteSlice.of(payload, 0, headLength),
                ByteSlice.of(payload, headLength, payload.length - headLength));
    }
}
