package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** What every acceptor log does, whatever it is kept in. */
@RunWith(Parameterized.class)
public class AcceptorLogContractTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Parameter(0)
    public LogStore store;

    @Parameter(1)
    public Durability durability;

    private Path directory;
    private AcceptorLog log;

    @Parameters(name = "{0} {1}")
    public static List<Object[]> logs() {
        return List.of(
                new Object[] {LogStore.SEGMENTED, Durability.SYNC},
                new Object[] {LogStore.SEGMENTED, Durability.ASYNC},
                new Object[] {LogStore.SEGMENTED, Durability.MEMORY},
                new Object[] {LogStore.LMDB, Durability.SYNC},
                new Object[] {LogStore.LMDB, Durability.ASYNC});
    }

    @Before
    public void open() throws IOException {
        directory = folder.getRoot().toPath().resolve("ordering");
        log = AcceptorLogs.open(directory, store, durability, LogRecords.SMALL);
    }

    @After
    public void close() throws IOException {
        log.close();
    }

    private void reopen(AcceptorLogSettings settings) throws IOException {
        log.close();
        log = AcceptorLogs.open(directory, store, durability, settings);
    }

    private void appendAndSync(LogRecord... records) throws IOException {
        for (LogRecord record : records) {
            log.append(record);
        }
        log.sync();
    }

    @Test
    public void newLog_holdsNothing() throws IOException {
        assertEquals(42, log.recovered(42).appliedPosition());
        assertEquals(0, log.recovered(0).firstPosition());
        assertEquals(0, log.recovered(0).lastPosition());
        assertNull(log.recovered(0).metadata(1));
        assertEquals(List.of(), log.read(1, 1000));
        assertEquals(List.of(), LogRecords.positional(log.recovered(0)));
    }

    @Test
    public void recordsSynced_areReadInOrder() throws IOException {
        List<LogRecord> values = new ArrayList<>();
        for (int position = 1; position <= 100; position++) {
            values.add(LogRecords.value(position, "1.1", position));
            log.append(values.get(position - 1));
        }
        log.sync();
        assertEquals(values, log.read(1, 1 << 20));
        assertEquals(values.subList(40, 100), log.read(41, 1 << 20));
        assertEquals(List.of(), log.read(101, 1 << 20));
        assertEquals(List.of(), log.read(0, 1 << 20));
    }

    @Test
    public void readWithBound_stopsNearItButReturnsOneRecord() throws IOException {
        for (int position = 1; position <= 10; position++) {
            log.append(LogRecords.value(position, "1.1", 100));
        }
        log.sync();
        assertEquals(1, log.read(3, 1).size());
        int some = log.read(1, 450).size();
        assertTrue("got " + some, some >= 4 && some <= 6);
    }

    @Test
    public void positionAppendedAgain_latestIsRead() throws IOException {
        appendAndSync(LogRecords.value(1, "1.1", 10), LogRecords.value(2, "1.1", 10), LogRecords.value(3, "1.1", 10));
        appendAndSync(LogRecords.value(2, "2.3", 200), LogRecords.value(1, "2.3", 5));
        assertEquals(
                List.of(LogRecords.value(1, "2.3", 5), LogRecords.value(2, "2.3", 200), LogRecords.value(3, "1.1", 10)),
                log.read(1, 1 << 20));
    }

    @Test
    public void positionsWithGap_readStopsAtIt() throws IOException {
        appendAndSync(
                LogRecords.value(5, "1.1", 1), LogRecords.value(6, "1.1", 1), LogRecords.value(1L << 40, "1.1", 1));
        assertEquals(2, log.read(5, 1000).size());
        assertEquals(1, log.read(1L << 40, 1000).size());
        assertEquals(List.of(), log.read(7, 1000));
    }

    @Test
    public void emptyAndLargestRecord_areRead() throws IOException {
        LogRecord empty = new LogRecord(1, 127, ByteSlice.EMPTY, ByteSlice.EMPTY);
        LogRecord largest = new LogRecord(2, 1, LogRecords.bytes("head"), ByteSlice.of(new byte[1020]));
        appendAndSync(empty, largest);
        assertEquals(List.of(empty, largest), log.read(1, 1 << 20));
    }

    @Test
    public void sliceInsideLargerArray_onlyItsRangeIsKept() throws IOException {
        byte[] frame = new byte[64];
        frame[10] = 7;
        appendAndSync(new LogRecord(1, 1, ByteSlice.of(frame, 10, 2), ByteSlice.of(frame, 9, 3)));
        LogRecord read = log.read(1, 100).get(0);
        assertEquals(ByteSlice.of(new byte[] {7, 0}), read.head());
        assertEquals(ByteSlice.of(new byte[] {0, 7, 0}), read.body());
    }

    @Test
    public void truncated_mayDropBelowAndKeepsTheRest() throws IOException {
        for (int position = 1; position <= 200; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 100));
        }
        log.truncate(150);
        assertEquals("dropped without retention", List.of(), log.read(1, 1000));
        assertEquals(51, log.read(150, 1 << 20).size());
        appendAndSync(LogRecords.value(201, "1.1", 100));
        assertEquals(52, log.read(150, 1 << 20).size());
    }

    @Test
    public void truncatedAboveEverything_goesOn() throws IOException {
        appendAndSync(LogRecords.value(1, "1.1", 100), LogRecords.metadata(3, "m"));
        log.truncate(1_000_000);
        appendAndSync(LogRecords.value(1_000_000, "1.1", 100));
        assertEquals(1, log.read(1_000_000, 1000).size());
    }

    @Test
    public void readerBesideWriter_seesOnlyWholeLatestRecords() throws Exception {
        AtomicLong synced = new AtomicLong();
        AtomicLong truncatedBelow = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AcceptorLog read = log;
        Thread reader = new Thread(() -> {
            try {
                while (!done.get()) {
                    long last = synced.get();
                    long from = Math.max(1, last - 20);
                    List<LogRecord> records = read.read(from, 1 << 16);
                    assertTrue(
                            "synced records are missing", from < truncatedBelow.get() || from + records.size() > last);
                    for (int i = 0; i < records.size(); i++) {
                        assertEquals(LogRecords.value(from + i, "1.1", 90), records.get(i));
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        reader.start();
        for (int position = 1; position <= 400 && failure.get() == null; position++) {
            log.append(LogRecords.value(position, "1.1", 90));
            if (position % 3 == 0) {
                log.sync();
                synced.set(position);
            }
            if (position % 50 == 0) {
                truncatedBelow.set(position - 40);
                log.truncate(position - 40);
            }
        }
        done.set(true);
        reader.join();
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }

    @Test
    public void reopened_holdsWhatWasSynced() throws IOException {
        List<LogRecord> appended = List.of(
                LogRecords.metadata(1, "promised 1.1"),
                LogRecords.value(1, "1.1", 10),
                LogRecords.value(2, "1.1", 1000),
                LogRecords.metadata(1, "promised 2.2"),
                LogRecords.metadata(100, "incarnation 1"),
                LogRecords.value(1, "2.2", 30));
        appendAndSync(appended.toArray(new LogRecord[0]));
        reopen(LogRecords.SMALL);
        if (durability == Durability.MEMORY) {
            assertEquals(List.of(), LogRecords.contents(log));
            return;
        }
        assertEquals(LogRecords.after(appended, 6), LogRecords.contents(log));
        assertEquals(1, log.recovered(0).firstPosition());
        assertEquals(2, log.recovered(0).lastPosition());
        appendAndSync(LogRecords.value(3, "2.2", 5));
        reopen(LogRecords.SMALL);
        assertEquals(3, LogRecords.positional(log.recovered(0)).size());
    }

    @Test
    public void recoveredFromPosition_visitsAscendingAcrossGaps() throws IOException {
        appendAndSync(LogRecords.value(2000, "1.1", 1), LogRecords.value(3, "1.1", 1), LogRecords.value(4, "1.1", 1));
        reopen(LogRecords.SMALL);
        List<Long> positions = new ArrayList<>();
        log.recovered(0).forEachPosition(4, record -> positions.add(record.position()));
        assertEquals(durability == Durability.MEMORY ? List.of() : List.of(4L, 2000L), positions);
    }

    @Test
    public void headsOfAllLengths_areVisitedWithoutTheirBodies() throws IOException {
        List<LogRecord> written = new ArrayList<>();
        for (int position = 1; position <= 40; position++) {
            LogRecord record = LogRecords.value(position, "head".repeat(position * 5), position * 3);
            written.add(record);
            appendAndSync(record);
        }
        reopen(LogRecords.SMALL);
        List<LogRecord> recovered = LogRecords.positional(log.recovered(0));
        assertEquals(durability == Durability.MEMORY ? List.of() : written, recovered);
    }

    @Test
    public void metadataAfterManyTruncations_isKept() throws IOException {
        appendAndSync(LogRecords.metadata(1, "promised"), LogRecords.metadata(100, "incarnation"));
        for (int position = 1; position <= 300; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 200));
            if (position % 20 == 0) {
                log.truncate(position);
            }
        }
        assertTrue("size stays bounded: " + log.sizeBytes(), log.sizeBytes() < 1 << 20);
        reopen(LogRecords.SMALL);
        if (durability != Durability.MEMORY) {
            assertEquals(LogRecords.metadata(1, "promised"), log.recovered(0).metadata(1));
            assertEquals(
                    LogRecords.metadata(100, "incarnation"), log.recovered(0).metadata(100));
            assertEquals(300, log.recovered(0).lastPosition());
        }
    }

    @Test
    public void retention_keepsAboutSoManyBytesBelowTheTruncationPoint() throws IOException {
        reopen(LogRecords.retaining(LogRecords.SMALL, 12_000, 1_000_000));
        fillAndTruncate();
        assertEquals(List.of(), log.read(1, 1000));
        assertTrue(log.read(460, 1 << 20).size() >= 40);
    }

    @Test
    public void retentionOfPositions_isBounded() throws IOException {
        reopen(LogRecords.retaining(LogRecords.SMALL, 1 << 20, 100));
        fillAndTruncate();
        assertEquals(List.of(), log.read(399, 1000));
        assertTrue(log.read(460, 1 << 20).size() >= 40);
    }

    private void fillAndTruncate() throws IOException {
        for (int position = 1; position <= 500; position++) {
            log.append(LogRecords.value(position, "1.1", 150));
            if (position % 10 == 0) {
                log.sync();
            }
        }
        log.truncate(500);
    }

    private List<Long> found() {
        return LogRecords.positional(log.recovered(0)).stream()
                .map(LogRecord::position)
                .toList();
    }

    /** As {@link #found} must be, unless the log forgets everything. */
    private List<Long> unlessForgotten(List<Long> positions) {
        return durability == Durability.MEMORY ? List.of() : positions;
    }

    @Test
    public void discardedThrough_nothingUpToThereIsFoundAgain() throws IOException {
        for (int position = 1; position <= 60; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 150));
        }
        reopen(LogRecords.SMALL);
        log.discardThrough(57);
        for (int start = 1; start <= 3; start++) {
            assertEquals(unlessForgotten(List.of(58L, 59L, 60L)), found());
            assertEquals(
                    durability == Durability.MEMORY ? 0 : 58, log.recovered(0).firstPosition());
            for (int position = 1; position <= 57; position++) {
                assertEquals(List.of(), log.read(position, 1 << 20));
            }
            reopen(LogRecords.SMALL);
            log.discardThrough(57);
        }
    }

    @Test
    public void discardedWithoutAnySync_isOnStableStorage() throws IOException {
        appendAndSync(
                LogRecords.value(1, "1.1", 10), LogRecords.value(2, "1.1", 10), LogRecords.metadata(1, "promised"));
        log.discardThrough(2);
        assertEquals(List.of(), log.read(1, 100));
        reopen(LogRecords.SMALL);
        assertEquals(List.of(), found());
        assertEquals(0, log.recovered(0).firstPosition());
        assertEquals(0, log.recovered(0).lastPosition());
        if (durability != Durability.MEMORY) {
            assertEquals(LogRecords.metadata(1, "promised"), log.recovered(0).metadata(1));
        }
    }

    @Test
    public void appendedAfterDiscarding_countsWhateverItsPosition() throws IOException {
        appendAndSync(LogRecords.value(1, "1.1", 10), LogRecords.value(2, "1.1", 10), LogRecords.value(3, "1.1", 10));
        log.discardThrough(3);
        appendAndSync(LogRecords.value(2, "2.3", 20), LogRecords.value(4, "2.3", 20));
        for (int position = 5; position <= 60; position++) {
            appendAndSync(LogRecords.value(position, "2.3", 200)); // the metadata is copied into several segments
        }
        reopen(LogRecords.SMALL);
        log.discardThrough(3);
        List<Long> found = found();
        assertEquals(unlessForgotten(List.of(2L, 4L, 5L)), found.subList(0, Math.min(3, found.size())));
        if (durability != Durability.MEMORY) {
            assertEquals(List.of(LogRecords.value(2, "2.3", 20)), log.read(2, 1000));
        }
    }

    @Test
    public void discardedSeveralTimes_eachCounts() throws IOException {
        for (int position = 1; position <= 40; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 200));
        }
        log.discardThrough(10);
        log.discardThrough(30);
        assertEquals(List.of(), log.read(30, 1000));
        appendAndSync(LogRecords.value(20, "2.2", 10));
        log.discardThrough(25); // an older state came, in place of a wrong one
        assertEquals(List.of(), log.read(20, 1000));
        assertEquals(10, log.read(31, 1 << 20).size());
        reopen(LogRecords.SMALL);
        List<Long> found = found();
        assertEquals(unlessForgotten(List.of(31L)), found.subList(0, Math.min(1, found.size())));
    }

    @Test
    public void discardedThenTruncated_goesOn() throws IOException {
        for (int position = 1; position <= 100; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 100));
        }
        log.discardThrough(80);
        log.truncate(90);
        for (int position = 101; position <= 200; position++) {
            appendAndSync(LogRecords.value(position, "1.1", 100));
        }
        log.truncate(150);
        reopen(LogRecords.SMALL);
        log.discardThrough(80);
        assertEquals(
                durability == Durability.MEMORY ? 0 : 51, log.read(150, 1 << 20).size());
        assertEquals(List.of(), log.read(80, 1000));
    }

    @Test
    public void recordOverTheBound_isRefused() throws IOException {
        assertThrows(InvariantViolated.class, () -> log.append(LogRecords.value(1, "1.1", 1100)));
    }

    @Test
    public void closedTwice_isHarmlessAndFurtherUseIsRefused() throws IOException {
        log.append(LogRecords.value(1, "1.1", 1));
        log.close();
        log.close();
        assertThrows(IOException.class, () -> log.append(LogRecords.value(2, "1.1", 1)));
        assertThrows(IOException.class, () -> log.sync());
        assertThrows(IOException.class, () -> log.truncate(1));
        assertThrows(IOException.class, () -> log.read(1, 1));
    }

    @Test
    public void forces_areCounted() throws Exception {
        appendAndSync(LogRecords.value(1, "1.1", 1));
        SyncStatistics statistics = log.syncStatistics();
        if (durability == Durability.MEMORY) {
            assertEquals(0, statistics.count());
            return;
        }
        log.close();
        assertTrue(statistics.count() >= 1);
        assertTrue(statistics.lastNanos() > 0 && statistics.totalNanos() >= statistics.maxNanos());
    }

    @Test
    public void forces_areToldWithTheirFileAndBytes() throws Exception {
        List<String> files = new ArrayList<>();
        AtomicLong bytes = new AtomicLong();
        log.syncStatistics().watch((file, written, nanos) -> {
            synchronized (files) {
                files.add(file.get());
            }
            bytes.addAndGet(written);
        });
        LogRecord record = LogRecords.value(1, "1.1", 100);
        appendAndSync(record);
        log.close();
        if (durability == Durability.MEMORY) {
            assertEquals(List.of(), files);
            return;
        }
        assertTrue(bytes.toString(), bytes.get() >= record.body().length());
        assertTrue(files.toString(), Files.exists(Path.of(files.get(0))));
    }
}
