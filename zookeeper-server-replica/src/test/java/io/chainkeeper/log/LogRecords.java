package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Records for tests, and what a log that holds a sequence of them must look like. */
final class LogRecords {
    /** Segments of 4 KiB, records of 1 KiB, nothing retained below the truncation point; a full buffer is large. */
    static final AcceptorLogSettings SMALL =
            new AcceptorLogSettings(4096, 512, 100, 128, 1024, 1024, 0, 0, 1_000_000, 1, 1 << 22);

    static final int KIND = 7;

    private LogRecords() {}

    static AcceptorLogSettings retaining(AcceptorLogSettings settings, long bytes, long positions) {
        return new AcceptorLogSettings(
                settings.segmentBytes(),
                settings.preallocationBytes(),
                settings.largeWriteBytes(),
                settings.writeBufferBytes(),
                settings.maxRecordBytes(),
                settings.maxMetadataBytes(),
                bytes,
                bytes,
                positions,
                settings.asyncForceIntervalMillis(),
                settings.lmdbMapBytes());
    }

    static LogRecord value(long position, String ballot, int bodyBytes) {
        byte[] body = new byte[bodyBytes];
        for (int i = 0; i < bodyBytes; i++) {
            // Never zero, so that a test can see where a record ends.
            body[i] = (byte) (position * 31 + ballot.hashCode() + i | 1);
        }
        return new LogRecord(position, KIND, bytes(ballot), ByteSlice.of(body));
    }

    static LogRecord metadata(int kind, String text) {
        return new LogRecord(LogRecord.METADATA, kind, bytes(text), ByteSlice.EMPTY);
    }

    static ByteSlice bytes(String text) {
        return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static List<LogRecord> positional(RecoveredState state) {
        List<LogRecord> records = new ArrayList<>();
        state.forEachPosition(0, records::add);
        List<LogRecord> heads = new ArrayList<>();
        state.forEachHead(0, record -> heads.add(withoutBody(record)));
        assertEquals(records.stream().map(LogRecords::withoutBody).toList(), heads);
        return records;
    }

    private static LogRecord withoutBody(LogRecord record) {
        return new LogRecord(record.position(), record.kind(), record.head(), ByteSlice.EMPTY);
    }

    /** All that a log holds, metadata and positional, comparable with {@link #after}. */
    static List<LogRecord> contents(AcceptorLog log) {
        RecoveredState state = log.recovered(0);
        List<LogRecord> all = new ArrayList<>();
        for (int kind = 1; kind <= 127; kind++) {
            if (state.metadata(kind) != null) {
                all.add(state.metadata(kind));
            }
        }
        all.addAll(positional(state));
        return all;
    }

    /** What a log must hold after the first records of a sequence were appended. */
    static List<LogRecord> after(List<LogRecord> appended, int count) {
        Map<Integer, LogRecord> metadata = new TreeMap<>();
        Map<Long, LogRecord> positional = new TreeMap<>();
        for (LogRecord record : appended.subList(0, count)) {
            if (record.position() == LogRecord.METADATA) {
                metadata.put(record.kind(), record);
            } else {
                positional.put(record.position(), record);
            }
        }
        List<LogRecord> all = new ArrayList<>(metadata.values());
        all.addAll(positional.values());
        return all;
    }
}
