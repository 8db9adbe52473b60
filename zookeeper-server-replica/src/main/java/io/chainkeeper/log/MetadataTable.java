package io.chainkeeper.log;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.util.function.Consumer;

/** The latest metadata record of each kind. Not thread-safe. */
final class MetadataTable {
    private final LogRecord[] latest = new LogRecord[128];
    private long bytes;

    /** @param record metadata; the table copies its bytes, because each new segment begins with them */
    void put(LogRecord record) {
        bytes = bytesWith(record);
        latest[record.kind()] = copy(record);
    }

    /**
     * @param record a record
     * @return the same with bytes of its own
     */
    static LogRecord copy(LogRecord record) {
        return new LogRecord(
                record.position(),
                record.kind(),
                ByteSlice.of(record.head().toByteArray()),
                ByteSlice.of(record.body().toByteArray()));
    }

    /**
     * @param kind 1 to 127
     * @return the latest record, null if there is none
     */
    LogRecord get(int kind) {
        return latest[kind];
    }

    /** @return size on disk of all latest records */
    long bytes() {
        return bytes;
    }

    /**
     * @param record metadata
     * @return what {@link #bytes} would be after {@link #put}
     */
    long bytesWith(LogRecord record) {
        LogRecord superseded = latest[record.kind()];
        return bytes
                + RecordHeader.recordBytes(record)
                - (superseded == null ? 0 : RecordHeader.recordBytes(superseded));
    }

    /** @param visitor called for each latest record, by ascending kind */
    void forEach(Consumer<LogRecord> visitor) {
        for (LogRecord record : latest) {
            if (record != null) {
                visitor.accept(record);
            }
        }
    }
}
