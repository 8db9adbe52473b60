package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What the log does when the disk does not do as it is told. */
@RunWith(Parameterized.class)
public class SegmentedLogFaultTest {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Written through the system's cache, and past it. */
    @Parameters(name = "blocks of {0} bytes")
    public static List<Integer> blockBytes() {
        return List.of(1, SimulatedDisk.DIRECT_BLOCK_BYTES);
    }

    private final int blockBytes;

    private final SimulatedDisk disk;

    public SegmentedLogFaultTest(int blockBytes) {
        this.blockBytes = blockBytes;
        disk = new SimulatedDisk(blockBytes);
    }

    private SegmentedAcceptorLog open(Durability durability) throws IOException {
        return new SegmentedAcceptorLog(disk, durability, LogRecords.SMALL, () -> {});
    }

    private void fail(String operation) {
        disk.setFault(next -> {
            if (next.equals(operation)) {
                throw new IOException("No space left on device");
            }
        });
    }

    private void assertUnusable(AcceptorLog log) {
        disk.setFault(operation -> {});
        AcceptorLog[] logs = {log};
        assertThrows(IOException.class, () -> logs[0].append(LogRecords.value(9, "1.1", 1)));
        assertThrows(IOException.class, () -> logs[0].sync());
        assertThrows(IOException.class, () -> logs[0].truncate(1));
        assertThrows(IOException.class, () -> logs[0].read(1, 1));
    }

    @Test
    public void writeFails_syncFailsAndEveryCallAfterIt() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            log.append(LogRecords.value(1, "1.1", 10));
            fail("write");
            IOException failure = assertThrows(IOException.class, log::sync);
            assertTrue(failure.getMessage(), failure.getMessage().contains("No space left on device"));
            assertTrue(failure.getMessage(), failure.getMessage().contains(disk.directory()));
            assertUnusable(log);
        }
    }

    @Test
    public void writeFailsInAppend_everyCallAfterItFails() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            fail("write");
            assertThrows(IOException.class, () -> log.append(LogRecords.value(1, "1.1", 900)));
            assertUnusable(log);
        }
    }

    @Test
    public void forceFails_isNotTriedAgain() throws IOException {
        AtomicInteger forces = new AtomicInteger();
        SegmentedAcceptorLog log = open(Durability.SYNC);
        long forcedBefore = log.syncStatistics().count();
        log.append(LogRecords.value(1, "1.1", 10));
        disk.setFault(operation -> {
            if (operation.equals("force")) {
                forces.incrementAndGet();
                throw new IOException("Input/output error");
            }
        });
        assertThrows(IOException.class, log::sync);
        assertThrows(IOException.class, log::sync);
        log.close();
        assertEquals(1, forces.get());
        assertEquals(forcedBefore, log.syncStatistics().count());
    }

    @Test
    public void forceFailsAndSystemForgetsTheBytes_whatTheNextStartReadsSurvivesAPowerFailure() throws IOException {
        disk.forgetOnFailedForce();
        SegmentedAcceptorLog log = open(Durability.SYNC);
        log.append(LogRecords.value(1, "1.1", 10));
        log.sync();
        log.append(LogRecords.value(2, "1.1", 300));
        log.append(LogRecords.metadata(1, "promised"));
        fail("force");
        assertThrows(IOException.class, log::sync);
        log.close();
        disk.setFault(operation -> {});
        List<LogRecord> recovered;
        try (SegmentedAcceptorLog restarted = open(Durability.SYNC)) {
            recovered = LogRecords.contents(restarted);
        }
        disk.crash(new Random(3));
        try (SegmentedAcceptorLog restarted = open(Durability.SYNC)) {
            assertEquals(recovered, LogRecords.contents(restarted));
        }
    }

    @Test
    public void writesAreShort_everythingIsWritten() throws IOException {
        disk.setLongestWrite(7);
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            for (int position = 1; position <= 20; position++) {
                log.append(LogRecords.value(position, "1.1", 700));
                log.sync();
            }
        }
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            assertEquals(20, LogRecords.positional(log.recovered(0)).size());
        }
    }

    @Test
    public void writeTakesNothing_fails() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            log.append(LogRecords.value(1, "1.1", 10));
            disk.setLongestWrite(0);
            assertThrows(IOException.class, log::sync);
            assertUnusable(log);
        }
    }

    @Test
    public void nextSegmentCannotBePrepared_failsAndLosesNothingSynced() throws IOException {
        for (String operation : List.of("create", "write", "force", "rename", "syncDirectory")) {
            SimulatedDisk used = new SimulatedDisk(blockBytes);
            int synced = 0;
            SegmentedAcceptorLog log = new SegmentedAcceptorLog(used, Durability.SYNC, LogRecords.SMALL, () -> {});
            IOException failure = null;
            for (int position = 1; failure == null && position < 20; position++) {
                if (position == 4) {
                    used.setFault(next -> {
                        if (next.equals(operation)) {
                            throw new IOException("disk is broken");
                        }
                    });
                }
                try {
                    log.append(LogRecords.value(position, "1.1", 1000));
                    log.sync();
                    synced = position;
                } catch (IOException e) {
                    failure = e;
                }
            }
            log.close();
            assertTrue(operation + " was not needed", failure != null);
            used.crash(new Random(4));
            try (SegmentedAcceptorLog restarted =
                    new SegmentedAcceptorLog(used, Durability.SYNC, LogRecords.SMALL, () -> {})) {
                assertTrue(
                        operation, LogRecords.positional(restarted.recovered(0)).size() >= synced);
            }
        }
    }

    @Test
    public void oldSegmentCannotBeDeleted_truncateFails() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            for (int position = 1; position <= 20; position++) {
                log.append(LogRecords.value(position, "1.1", 1000));
                log.sync();
            }
            fail("delete");
            assertThrows(IOException.class, () -> log.truncate(20));
            assertUnusable(log);
        }
    }

    @Test
    public void forceFailsInBackground_nextSyncFails() throws Exception {
        SegmentedAcceptorLog log = open(Durability.ASYNC);
        fail("force");
        log.append(LogRecords.value(1, "1.1", 10));
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        IOException failure = null;
        while (failure == null && System.nanoTime() < deadline) {
            try {
                log.sync();
                Thread.onSpinWait();
            } catch (IOException e) {
                failure = e;
            }
        }
        assertTrue("no failure", failure != null && failure.getMessage().contains("No space left on device"));
        assertUnusable(log);
        log.close();
    }

    @Test
    public void asynchronousLog_isForcedWithoutFurtherCalls() throws Exception {
        try (SegmentedAcceptorLog log = open(Durability.ASYNC)) {
            long before = log.syncStatistics().count();
            log.append(LogRecords.value(1, "1.1", 10));
            log.sync();
            long deadline = System.nanoTime() + DEADLINE_NANOS;
            while (log.syncStatistics().count() == before && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertTrue(log.syncStatistics().count() > before);
            disk.crash(new Random(5));
        }
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            assertEquals(1, log.recovered(0).lastPosition());
        }
    }

    @Test
    public void recordsNotSyncedYet_areReadFromTheBuffer() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            // Larger than the write buffer together, so that one lies half in the file.
            for (int position = 1; position <= 3; position++) {
                log.append(LogRecords.value(position, "1.1", 50));
            }
            assertEquals(3, log.read(1, 1000).size());
            assertEquals(LogRecords.value(3, "1.1", 50), log.read(3, 1000).get(0));
        }
    }

    @Test
    public void runtimeExceptionInsideACall_endsTheLog() throws IOException {
        try (SegmentedAcceptorLog log = open(Durability.SYNC)) {
            log.append(LogRecords.value(1, "1.1", 10));
            disk.setFault(operation -> {
                throw new IllegalStateException("bug");
            });
            assertThrows(IllegalStateException.class, log::sync);
            disk.setFault(operation -> {});
            assertThrows(IOException.class, log::sync);
        }
        assertFalse(disk.list().isEmpty());
    }
}
