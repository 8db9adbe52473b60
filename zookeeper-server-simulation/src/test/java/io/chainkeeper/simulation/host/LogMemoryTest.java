package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.Test;

/** A log that forgets or invents is found out. */
public class LogMemoryTest {
    private final LogMemory memory = new LogMemory();

    private static LogRecord record(long position, String value) {
        return new LogRecord(position, 1, ByteSlice.EMPTY, ByteSlice.of(value.getBytes()));
    }

    private static LogRecord metadata(String value) {
        return new LogRecord(LogRecord.METADATA, 5, ByteSlice.of(value.getBytes()), ByteSlice.EMPTY);
    }

    private void appended(LogRecord... records) {
        List.of(records).forEach(memory::appended);
    }

    private void finds(LogRecord... records) {
        memory.reopened(1, new Found(List.of(records)));
    }

    private void assertFoundOut(LogRecord... records) {
        assertThrows(InvariantViolated.class, () -> finds(records));
    }

    @Test
    public void stableRecordIsMissing_isFoundOut() {
        appended(record(1, "a"), record(2, "b"));
        memory.stable(2);
        assertFoundOut(record(1, "a"));
    }

    @Test
    public void stableRecordIsAnother_isFoundOut() {
        appended(record(1, "a"));
        memory.stable(1);
        assertFoundOut(record(1, "b"));
    }

    @Test
    public void stableMetadataIsOld_isFoundOut() {
        appended(metadata("1"), metadata("2"));
        memory.stable(2);
        assertFoundOut(metadata("1"));
    }

    @Test
    public void inventedRecord_isFoundOut() {
        assertFoundOut(record(1, "a"));
    }

    @Test
    public void laterRecordWithoutAnEarlierOne_isFoundOut() {
        appended(record(1, "a"), metadata("1"), record(2, "b"));
        assertFoundOut(record(1, "a"), record(2, "b"));
    }

    @Test
    public void firstOfTheUnstable_areStableFromNowOn() {
        appended(record(1, "a"));
        memory.stable(1);
        appended(record(1, "b"), metadata("1"), record(2, "c"));
        finds(record(1, "b"), metadata("1"));
        assertEquals(record(1, "b"), memory.positions().get(1L));
        assertEquals(metadata("1"), memory.metadata(5));
        assertEquals(0, memory.unstable().size());
        assertFoundOut(metadata("1"));
    }

    @Test
    public void truncatedRecord_mayBeThereOrNot() {
        appended(record(1, "a"), record(2, "b"));
        memory.stable(2);
        memory.truncated(2);
        finds(record(1, "a"), record(2, "b"));
        memory.truncated(2);
        finds(record(2, "b"));
        assertFoundOut(record(1, "a"), record(2, "b"));
    }

    @Test
    public void discardedRecordIsBack_isFoundOut() {
        appended(record(1, "a"), record(2, "b"));
        memory.stable(2);
        memory.discarded(1);
        assertFoundOut(record(1, "a"), record(2, "b"));
    }

    private static final class Found implements RecoveredState {
        private final TreeMap<Long, LogRecord> positions = new TreeMap<>();
        private final TreeMap<Integer, LogRecord> metadata = new TreeMap<>();

        Found(List<LogRecord> records) {
            for (LogRecord record : records) {
                if (record.position() == LogRecord.METADATA) {
                    metadata.put(record.kind(), record);
                } else {
                    positions.put(record.position(), record);
                }
            }
        }

        @Override
        public long appliedPosition() {
            return 0;
        }

        @Override
        public LogRecord metadata(int kind) {
            return metadata.get(kind);
        }

        @Override
        public long firstPosition() {
            return positions.isEmpty() ? 0 : positions.firstKey();
        }

        @Override
        public long lastPosition() {
            return positions.isEmpty() ? 0 : positions.lastKey();
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            positions.tailMap(fromPosition, true).values().forEach(visitor);
        }
    }
}
