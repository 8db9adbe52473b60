package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.After;
import org.junit.Test;

/** Group commit, back-pressure, and that nothing becomes durable after a failure. */
public final class LogWriterTest {
    private final ScriptedAcceptorLog log = new ScriptedAcceptorLog();
    private final Failures failures = new Failures();
    private final AtomicInteger notices = new AtomicInteger();
    private final PositionTimes times = new PositionTimes();
    private final LogWriter writer = new LogWriter(
            log.log(),
            new LatestPromise(log.log().recovered(0), OrderingProtocolFactory.NO_KIND),
            times,
            1_000,
            "log-writer-test",
            notices::incrementAndGet,
            failures,
            ThreadScheduler.INSTANCE);

    @After
    public void close() throws InterruptedException {
        log.syncs.release(1_000);
        writer.close();
    }

    private static LogRecord record(long position, int bytes) {
        return new LogRecord(position, 2, ByteSlice.EMPTY, ByteSlice.of(new byte[bytes]));
    }

    private void awaitDurable(long sequence) {
        Failures.await("sequence " + sequence, () -> writer.durableSequence() >= sequence);
    }

    @Test
    public void recordsAppendedWhileSyncing_shareTheNextSync() {
        log.syncs.drainPermits();
        writer.start();
        writer.append(record(1, 10));
        Failures.await("the first record", () -> log.appended().size() == 1);
        for (int i = 2; i <= 50; i++) {
            writer.append(record(i, 10));
        }
        assertEquals("nothing is durable before its sync has ended", 0, writer.durableSequence());
        log.syncs.release(2);
        awaitDurable(50);
        assertEquals(List.of(1, 49), log.batches());
        Failures.await("both notices", () -> notices.get() == 2);
    }

    @Test
    public void positions_areNotedWhenTheyAreAcceptedAndWhenTheyAreDurable() {
        log.syncs.drainPermits();
        writer.start();
        writer.append(record(1, 10));
        assertTrue(times.of(1).accepted() != StageTimes.UNKNOWN);
        assertEquals(StageTimes.UNKNOWN, times.of(1).durable());
        log.syncs.release(1_000);
        awaitDurable(1);
        assertTrue(times.of(1).durable() - times.of(1).accepted() >= 0);
    }

    @Test
    public void tooMuchUnsynced_appendWaitsUntilThereIsRoom() throws Exception {
        log.syncs.drainPermits();
        writer.start();
        writer.append(record(1, 600));
        Failures.await("the first record", () -> log.appended().size() == 1);
        writer.append(record(2, 600));
        writer.append(record(3, 600));
        Thread appender = new Thread(() -> writer.append(record(4, 600)), "appender");
        appender.start();
        Failures.awaitBlocked(appender);
        assertEquals(2, writer.waitingRecords());
        log.syncs.release(1_000);
        Failures.join(appender);
        awaitDurable(4);
    }

    @Test
    public void logCannotBeWritten_nothingLaterBecomesDurable() throws Exception {
        writer.start();
        writer.append(record(1, 1));
        awaitDurable(1);
        log.failAppends(new IOException("No space left on device"));
        writer.append(record(2, 1));
        String message = failures.await();
        assertTrue(message, message.contains("No space left on device"));
        log.failAppends(null);
        writer.append(record(3, 1));
        writer.close();
        assertEquals(1, writer.durableSequence());
        assertEquals(1, log.durable());
        assertEquals("the log is not called again", 0, log.callsAfterFailure());
        assertEquals(1, failures.messages().size());
    }

    /** P11: an fsync that failed is not tried again. */
    @Test
    public void fsyncFails_writerStops() throws Exception {
        log.failSyncs(new IOException("Input/output error"));
        writer.start();
        writer.append(record(1, 1));
        failures.await();
        log.failSyncs(null);
        writer.append(record(2, 1));
        writer.close();
        assertEquals(0, writer.durableSequence());
        assertEquals(0, log.callsAfterFailure());
    }

    @Test
    public void logFailsWhileAppendWaits_appendReturns() throws Exception {
        log.syncs.drainPermits();
        writer.start();
        writer.append(record(1, 1));
        Failures.await("the first record", () -> log.appended().size() == 1);
        writer.append(record(2, 1_100));
        Thread appender = new Thread(() -> writer.append(record(3, 1)), "appender");
        appender.start();
        Failures.awaitBlocked(appender);
        log.failSyncs(new IOException("Input/output error"));
        log.syncs.release(1);
        failures.await();
        Failures.join(appender);
        assertEquals(0, writer.durableSequence());
    }

    @Test
    public void logFailsWhileSomebodyWaitsForARecord_heIsTold() throws Exception {
        log.failSyncs(new IOException("Input/output error"));
        long sequence = writer.append(record(1, 1));
        writer.start();
        failures.await();
        assertThrows(PartStoppedException.class, () -> writer.awaitDurable(sequence));
    }

    @Test
    public void closed_writesWhatWaits() throws Exception {
        for (int i = 1; i <= 10; i++) {
            writer.append(record(i, 10));
        }
        writer.start();
        writer.close();
        assertEquals(10, log.durable());
    }

    @Test
    public void closedByTheFailureItself_doesNotWaitForItself() throws Exception {
        Failures closed = new Failures();
        LogWriter[] own = new LogWriter[1];
        own[0] = new LogWriter(
                log.log(),
                new LatestPromise(log.log().recovered(0), OrderingProtocolFactory.NO_KIND),
                times,
                1_000,
                "log-writer-closing",
                () -> {},
                (message, cause) -> {
                    try {
                        own[0].close();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    closed.failed(message, cause);
                },
                ThreadScheduler.INSTANCE);
        log.failSyncs(new IOException("Input/output error"));
        own[0].start();
        own[0].append(record(1, 1));
        closed.await();
    }

    /** What goes with the state is at least what was promised, so it does not wait for the disk. */
    @Test
    public void promiseIsAppended_itGoesWithTheState() {
        int kind = 3;
        LatestPromise promise = new LatestPromise(log.log().recovered(0), kind);
        LogWriter own = new LogWriter(
                log.log(), promise, times, 1_000, "log-writer-promise", () -> {}, failures, ThreadScheduler.INSTANCE);
        assertEquals(ByteSlice.EMPTY, promise.head());
        ByteSlice head = ByteSlice.of(new byte[] {1, 2});
        own.append(new LogRecord(LogRecord.METADATA, kind, head, ByteSlice.EMPTY));
        own.append(new LogRecord(LogRecord.METADATA, kind + 1, ByteSlice.EMPTY, ByteSlice.EMPTY));
        own.append(new LogRecord(1, kind, ByteSlice.EMPTY, ByteSlice.EMPTY));
        assertEquals(head, promise.head());
    }
}
