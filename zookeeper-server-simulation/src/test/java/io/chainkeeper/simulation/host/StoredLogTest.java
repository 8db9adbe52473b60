package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.simulation.disk.RunDirectory;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.After;
import org.junit.Test;

public class StoredLogTest {
    private static final int RUNS = 200;

    private final RunDirectory run = new RunDirectory();
    private StoredLog log = log(64, 1);

    @After
    public void filesAreRemoved() {
        log.end();
        run.close();
    }

    private StoredLog log(int segmentBytes, long seed) {
        AcceptorLogSettings defaults = AcceptorLogSettings.defaults();
        AcceptorLogSettings settings = new AcceptorLogSettings(
                segmentBytes,
                64,
                64,
                64,
                defaults.maxRecordBytes(),
                defaults.maxMetadataBytes(),
                0,
                0,
                0,
                defaults.asyncForceIntervalMillis(),
                defaults.lmdbMapBytes());
        SplittableRandom random = new SplittableRandom(seed);
        return new StoredLog(1, settings, run.newDisk(random.split()), true, random);
    }

    private static LogRecord record(long position, String value) {
        return new LogRecord(position, 1, ByteSlice.EMPTY, ByteSlice.of(value.getBytes()));
    }

    private static LogRecord metadata(String value) {
        return new LogRecord(LogRecord.METADATA, 5, ByteSlice.of(value.getBytes()), ByteSlice.EMPTY);
    }

    /** As the protocol does; the log writer has not noticed yet. */
    private LogRecord queue(LogRecord record) {
        log.queued(record);
        return record;
    }

    private void appendAndSync(long position, String value) throws IOException {
        log.append(queue(record(position, value)));
        log.sync();
    }

    @Test
    public void killed_losesWhatTheSystemWasNotGiven() throws IOException {
        appendAndSync(1, "a");
        queue(record(2, "b"));
        queue(metadata("promised"));
        log.kill(0);
        assertEquals(1, log.recovered(0).lastPosition());
        assertNull(log.recovered(0).metadata(5));
        assertNull(log.metadata(5));
    }

    @Test
    public void closed_hasEverything_whateverBecomesOfThePower() throws IOException {
        for (boolean powerIsLost : new boolean[] {false, true}) {
            long next = log.recovered(0).lastPosition() + 1;
            log.append(queue(metadata("promised " + powerIsLost)));
            appendAndSync(next, "a");
            log.close();
            log.closed(powerIsLost);
            assertEquals(0, log.survivors());
            assertEquals(log.recovered(0).metadata(5), log.metadata(5));
        }
        assertEquals(2, log.recovered(0).lastPosition());
    }

    @Test
    public void killed_keepsTheFirstOfWhatTheSystemWasGiven() throws IOException {
        appendAndSync(1, "a");
        queue(record(2, "b"));
        queue(record(3, "c"));
        log.kill(1);
        assertEquals(2, log.recovered(0).lastPosition());
        assertEquals(record(2, "b"), log.at(2));
    }

    @Test
    public void powerLost_keepsWhatWasForcedAndSomeOfTheRest() throws IOException {
        boolean[] kept = new boolean[4];
        for (int i = 0; i < RUNS; i++) {
            log.end();
            log = log(i % 2 == 0 ? 64 : 4096, i);
            appendAndSync(1, "a");
            log.append(queue(metadata("promised")));
            log.sync();
            for (int position = 2; position <= 4; position++) {
                LogRecord record = queue(record(position, "b"));
                if (i % 3 == 0) {
                    log.append(record);
                }
            }
            log.losePower();
            assertEquals(record(1, "a"), log.at(1));
            assertNotNull(log.metadata(5));
            kept[(int) log.recovered(0).lastPosition() - 1] = true;
        }
        for (int last = 1; last <= 4; last++) {
            assertTrue("never ended with position " + last, kept[last - 1]);
        }
    }

    @Test
    public void queuedDuringSync_isNotStableWithIt() throws IOException {
        log.append(queue(record(1, "a")));
        queue(record(2, "b"));
        log.sync();
        assertEquals(1, log.unstableCount());
        assertNull(log.at(2));
        log.kill(0);
        assertEquals(1, log.recovered(0).lastPosition());
    }

    /** The number of a start is the host's record, not the protocol's. */
    @Test
    public void recordOfTheHost_isWrittenBehindAllThatWasQueued() throws IOException {
        LogRecord first = queue(record(1, "a"));
        assertThrows(InvariantViolated.class, () -> log.append(metadata("of the host")));
        log.append(first);
        log.append(metadata("of the host"));
        log.sync();
        log.losePower();
        assertNotNull(log.metadata(5));
    }

    @Test
    public void positionWrittenTwice_latestCounts() throws IOException {
        appendAndSync(1, "a");
        appendAndSync(1, "b");
        assertEquals(record(1, "b"), log.read(1, 100).get(0));
    }

    @Test
    public void powerLostBeforeTruncation_theRestIsThere() throws IOException {
        for (int i = 0; i < RUNS; i++) {
            log.end();
            log = log(64, i);
            appendAndSync(1, "a");
            appendAndSync(2, "b");
            appendAndSync(3, "c");
            log.truncationQueued(3);
            assertEquals(record(1, "a"), log.read(1, 1).get(0));
            log.losePower();
            assertEquals(record(3, "c"), log.at(3));
        }
    }

    @Test
    public void truncated_isNotRead() throws IOException {
        appendAndSync(1, "a");
        appendAndSync(2, "b");
        appendAndSync(3, "c");
        log.truncationQueued(3);
        log.truncate(3);
        assertEquals(0, log.read(1, 1).size());
        assertEquals(3, log.recovered(0).firstPosition());
    }

    @Test
    public void discarded_isNeverFoundAgain() throws IOException {
        for (int position = 1; position <= 4; position++) {
            appendAndSync(position, "a");
        }
        log.discardThrough(3);
        log.losePower();
        assertEquals(4, log.recovered(0).firstPosition());
        assertEquals(0, log.read(3, 100).size());
        assertNull(log.at(3));
    }

    @Test
    public void failedForce_nothingMoreIsWritten() throws IOException {
        log.end();
        log = log(4096, 1);
        appendAndSync(1, "a");
        log.disk().failForces(1);
        log.append(queue(record(2, "b")));
        assertThrows(IOException.class, log::sync);
        assertThrows(IOException.class, log::sync);
        log.kill(1);
        appendAndSync(3, "c");
        log.losePower();
        assertEquals(3, log.recovered(0).lastPosition());
    }

    @Test
    public void rottenSegment_isRefusedOrAsBefore() throws IOException {
        int refused = 0;
        for (int i = 0; i < RUNS; i++) {
            log.end();
            log = log(64, i);
            appendAndSync(1, "a");
            appendAndSync(2, "b");
            refused += log.rot() ? 1 : 0;
        }
        assertTrue("refused " + refused, refused > RUNS / 2);
    }
}
