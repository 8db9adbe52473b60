package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.ByteSlice;
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
        return new StoredLog(1, settings, run.newDisk(random.split()), random);
    }

    private static LogRecord record(long position, String value) {
        return new LogRecord(position, 1, ByteSlice.EMPTY, ByteSlice.of(value.getBytes()));
    }

    private static LogRecord metadata(String value) {
        return new LogRecord(LogRecord.METADATA, 5, ByteSlice.of(value.getBytes()), ByteSlice.EMPTY);
    }

    private void sync() throws IOException {
        log.completeSync(log.beginSync());
    }

    private void appendAndSync(long position, String value) throws IOException {
        log.append(record(position, value));
        sync();
    }

    @Test
    public void killed_losesWhatTheSystemWasNotGiven() throws IOException {
        appendAndSync(1, "a");
        log.append(record(2, "b"));
        log.append(metadata("promised"));
        log.kill(0);
        assertEquals(1, log.recovered(0).lastPosition());
        assertNull(log.recovered(0).metadata(5));
        assertNull(log.metadata(5));
    }

    @Test
    public void killed_keepsTheFirstOfWhatTheSystemWasGiven() throws IOException {
        appendAndSync(1, "a");
        log.append(record(2, "b"));
        log.append(record(3, "c"));
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
            log.append(metadata("promised"));
            sync();
            for (int position = 2; position <= 4; position++) {
                log.append(record(position, "b"));
            }
            if (i % 3 == 0) {
                log.beginSync();
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
    public void appendedDuringSync_isNotStableWithIt() throws IOException {
        log.append(record(1, "a"));
        long target = log.beginSync();
        log.append(record(2, "b"));
        log.completeSync(target);
        assertTrue(log.hasUnstable());
        assertNull(log.at(2));
        log.kill(0);
        assertEquals(1, log.recovered(0).lastPosition());
    }

    @Test
    public void positionWrittenTwice_latestCounts() throws IOException {
        appendAndSync(1, "a");
        appendAndSync(1, "b");
        assertEquals(record(1, "b"), log.read(1, 100).get(0));
    }

    @Test
    public void truncatedWhileRecordsAreForced_isDoneBehindThem() throws IOException {
        appendAndSync(1, "a");
        appendAndSync(2, "b");
        log.append(record(3, "c"));
        long target = log.beginSync();
        log.truncate(3);
        assertEquals(record(1, "a"), log.read(1, 1).get(0));
        log.completeSync(target);
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
        log.append(record(2, "b"));
        long target = log.beginSync();
        assertThrows(IOException.class, () -> log.completeSync(target));
        assertThrows(IOException.class, () -> log.completeSync(target));
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
