package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import org.junit.Test;

public class SimulatedLogTest {
    private final SimulatedLog log = new SimulatedLog(LogHabits.EAGER);

    private static LogRecord record(long position, String value) {
        return new LogRecord(position, 1, ByteSlice.EMPTY, ByteSlice.of(value.getBytes()));
    }

    private void appendAndSync(long position, String value) {
        log.append(record(position, value));
        log.completeSync(log.beginSync());
    }

    @Test
    public void crash_losesWhatIsNotStable() {
        appendAndSync(1, "a");
        log.append(record(2, "b"));
        log.append(new LogRecord(LogRecord.METADATA, 5, ByteSlice.EMPTY, ByteSlice.EMPTY));
        log.crash(0);
        assertEquals(1, log.recovered(0).lastPosition());
        assertNull(log.recovered(0).metadata(5));
    }

    @Test
    public void crashDuringSync_keepsAPrefix() {
        appendAndSync(1, "a");
        log.append(record(2, "b"));
        log.append(record(3, "c"));
        log.beginSync();
        log.crash(1);
        assertEquals(2, log.recovered(0).lastPosition());
    }

    @Test
    public void appendedDuringSync_isNotStableWithIt() {
        log.append(record(1, "a"));
        long target = log.beginSync();
        log.append(record(2, "b"));
        log.completeSync(target);
        assertEquals(1, log.stable());
        log.crash(0);
        assertEquals(1, log.recovered(0).lastPosition());
    }

    @Test
    public void positionWrittenTwice_latestCounts() {
        appendAndSync(1, "a");
        appendAndSync(1, "b");
        assertEquals(record(1, "b"), log.read(1, 100).get(0));
    }

    @Test
    public void truncatedPosition_isNotRead() {
        appendAndSync(1, "a");
        appendAndSync(2, "b");
        log.truncate(2);
        assertEquals(0, log.read(1, 100).size());
        assertEquals(2, log.recovered(0).firstPosition());
    }

    @Test
    public void lazyHabits_dropWholeSegmentsAndPerhapsTooLate() {
        SimulatedLog lazy = new SimulatedLog(new LogHabits(2, 1, true));
        for (int position = 1; position <= 6; position++) {
            lazy.append(record(position, "a"));
            lazy.completeSync(lazy.beginSync());
        }
        lazy.truncate(6);
        assertEquals(
                "3 and 4 are a segment, 5 is retained", 5, lazy.recovered(0).firstPosition());
        lazy.crash(0);
        assertEquals("the crash came first", 1, lazy.recovered(0).firstPosition());
        lazy.discardThrough(3);
        lazy.crash(0);
        assertEquals(4, lazy.recovered(0).firstPosition());
        assertEquals(0, lazy.read(3, 100).size());
    }
}
