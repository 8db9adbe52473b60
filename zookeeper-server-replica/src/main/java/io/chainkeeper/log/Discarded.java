package io.chainkeeper.log;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.nio.ByteBuffer;

/**
 * The metadata record by which the host says that positional records up to a position no longer count, if they stand
 * before this record in the log. Head: the position, a long.
 */
final class Discarded {
    /** Kind of the record. */
    static final int KIND = LogRecord.FIRST_HOST_KIND + 1;

    private Discarded() {}

    /** @param position the last one that no longer counts */
    static LogRecord record(long position) {
        ByteSlice head =
                ByteSlice.of(ByteBuffer.allocate(Long.BYTES).putLong(position).array());
        return new LogRecord(LogRecord.METADATA, KIND, head, ByteSlice.EMPTY);
    }

    /**
     * @param record a record of {@link #KIND}, null if there is none
     * @return the position, 0 if there is none
     */
    static long position(LogRecord record) {
        return record == null ? 0 : record.head().asByteBuffer().getLong();
    }
}
