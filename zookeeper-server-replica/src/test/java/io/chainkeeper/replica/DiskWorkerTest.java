package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Test;
import org.slf4j.LoggerFactory;

/** Answers in the order of requests, one write for those side by side, and nothing of before a failure after it. */
public final class DiskWorkerTest {
    private static final int BLOCK = SharedDisk.BLOCK_BYTES;

    private static final long MAX_WAITING_BYTES = ReplicaLimits.DEFAULT.maxSharedDiskBytes();

    private static final String NAME = "shared-disk-test";

    private final AtomicLong time = new AtomicLong();
    private final Failures failures = new Failures();
    private final Listener listener = new Listener();
    private final MemoryDisk memory = new MemoryDisk();
    private final DiskWorker worker = new DiskWorker(
            1,
            () -> {
                memory.note("open");
                return memory;
            },
            listener,
            failures,
            MAX_WAITING_BYTES,
            NAME,
            new ThreadsInOwnTime(time::get));

    /** Notes what is done to it; waits for a permit before each operation. */
    private static final class MemoryDisk implements SharedDisk {
        private final List<String> done = new ArrayList<>();
        private final Semaphore permits = new Semaphore(1_000);
        private IOException failure;
        private RuntimeException defect;

        private synchronized void note(String what) throws IOException {
            done.add(what);
            if (defect != null) {
                throw defect;
            }
            if (failure != null) {
                throw failure;
            }
        }

        private synchronized List<String> done() {
            return List.copyOf(done);
        }

        private synchronized void fail(IOException with) {
            failure = with;
        }

        @Override
        public void write(long offset, ByteSlice bytes) throws IOException {
            permits.acquireUninterruptibly();
            note("write " + offset / BLOCK + "+" + bytes.length() / BLOCK);
        }

        @Override
        public void force() throws IOException {
            note("force");
        }

        @Override
        public ByteSlice read(long offset, int length) throws IOException {
            permits.acquireUninterruptibly();
            note("read " + offset / BLOCK + "+" + length / BLOCK);
            return ByteSlice.of(new byte[length]);
        }

        @Override
        public long length() {
            return Long.MAX_VALUE;
        }

        @Override
        public synchronized void close() {
            done.add("close");
        }
    }

    private static final class Listener implements DiskWorker.Listener {
        private final List<String> said = new ArrayList<>();

        private synchronized void say(String what) {
            said.add(what);
        }

        private synchronized List<String> said() {
            return List.copyOf(said);
        }

        @Override
        public void written(int disk, long offset, int length) {
            say(disk + " written " + offset / BLOCK + "+" + length / BLOCK);
        }

        @Override
        public void read(int disk, long offset, ByteSlice bytes) {
            say(disk + " read " + offset / BLOCK + "+" + bytes.length() / BLOCK);
        }

        @Override
        public void failed(int disk, String reason) {
            say(disk + " failed " + reason);
        }

        private void await(String... all) {
            Failures.await("answers " + List.of(all), () -> said().size() >= all.length);
            assertEquals(List.of(all), said());
        }
    }

    @After
    public void close() throws InterruptedException {
        memory.permits.release(1_000);
        worker.stop();
        worker.awaitEnd(DiskWorker.HANGS_NANOS);
    }

    private void write(long block, int blocks) {
        worker.write(block * BLOCK, ByteSlice.of(new byte[blocks * BLOCK]));
    }

    private void read(long block, int blocks) {
        worker.read(block * BLOCK, blocks * BLOCK);
    }

    /** Waits until the worker is in the middle of a request. */
    private void awaitBusy() {
        Failures.await("the disk to be asked", memory.permits::hasQueuedThreads);
    }

    /** Waits until the worker has nothing to do: an answer comes before that, and it counts as busy until it looks. */
    private static void awaitAsleep() {
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(NAME))
                .findFirst()
                .orElseThrow();
        Failures.awaitBlocked(thread);
    }

    @Test
    public void requests_areAnsweredInTheirOrder() {
        write(0, 1);
        read(5, 2);
        write(9, 1);
        worker.start();
        listener.await("1 written 0+1", "1 read 5+2", "1 written 9+1");
        assertEquals(List.of("open", "write 0+1", "force", "read 5+2", "write 9+1", "force"), memory.done());
    }

    @Test
    public void writesSideBySide_goTogether_andEachIsAnswered() {
        write(0, 1);
        write(1, 2);
        write(3, 1);
        write(8, 1);
        read(0, 1);
        write(9, 1);
        worker.start();
        listener.await(
                "1 written 0+1", "1 written 1+2", "1 written 3+1", "1 written 8+1", "1 read 0+1", "1 written 9+1");
        assertEquals(
                List.of("open", "write 0+4", "force", "write 8+1", "force", "read 0+1", "write 9+1", "force"),
                memory.done());
    }

    @Test
    public void failure_dropsWhatWaits_andTheNextRequestOpensAnew() {
        worker.start();
        write(0, 1);
        listener.await("1 written 0+1");
        memory.permits.drainPermits();
        write(2, 1);
        read(0, 1);
        awaitBusy();
        memory.fail(new IOException("/dev/x cannot be written at byte 8192 (Input/output error)"));
        memory.permits.release(1_000);
        String failed = "1 failed /dev/x cannot be written at byte 8192 (Input/output error)";
        listener.await("1 written 0+1", failed);
        memory.fail(null);
        read(4, 1);
        worker.resume();
        read(6, 1);
        listener.await("1 written 0+1", failed, "1 read 6+1");
        assertEquals(List.of("open", "write 0+1", "force", "write 2+1", "close", "open", "read 6+1"), memory.done());
        assertEquals(List.of(), failures.messages());
    }

    @Test
    public void diskThatDoesNotOpen_failsEachRequest() {
        memory.fail(new IOException("/dev/x does not exist"));
        worker.start();
        read(0, 1);
        listener.await("1 failed /dev/x does not exist");
        worker.resume();
        read(0, 1);
        listener.await("1 failed /dev/x does not exist", "1 failed /dev/x does not exist");
    }

    @Test
    public void diskThatIsReadAndNotWritten_isToldOfOnce() {
        List<String> texts = logged(log -> {
            worker.start();
            String failed = "1 failed /dev/x cannot be written";
            List<String> all = new ArrayList<>();
            for (int attempt = 0; attempt < 3; attempt++) {
                memory.fail(new IOException("/dev/x cannot be written"));
                write(0, 1);
                all.add(failed);
                listener.await(all.toArray(String[]::new));
                memory.fail(null);
                worker.resume();
                read(0, 1);
                all.add("1 read 0+1");
                listener.await(all.toArray(String[]::new));
            }
            assertEquals(List.of("Shared disk 2 is not used: /dev/x cannot be written. It is tried again"), texts(log));
            write(0, 1);
            all.add("1 written 0+1");
            listener.await(all.toArray(String[]::new));
        });
        assertEquals("Shared disk 2 answers again", texts.get(1));
    }

    private long isToldToHaveFailed() {
        Map<String, Long> gauges = new TreeMap<>();
        worker.putGauges(gauges);
        return gauges.get("shared_disk_failed.2");
    }

    @Test
    public void diskThatHangs_isToldOfOnce_untilItAnswers() {
        List<String> texts = logged(log -> {
            worker.start();
            write(0, 1);
            listener.await("1 written 0+1");
            awaitAsleep();
            time.addAndGet(2 * DiskWorker.HANGS_NANOS);
            assertEquals("nothing was asked", 0, isToldToHaveFailed());
            memory.permits.drainPermits();
            write(2, 1);
            read(0, 1);
            awaitBusy();
            time.addAndGet(DiskWorker.HANGS_NANOS);
            assertEquals("not for so long", 0, isToldToHaveFailed());
            time.addAndGet(1);
            assertEquals(1, isToldToHaveFailed());
            assertEquals(1, isToldToHaveFailed());
            assertEquals(
                    List.of("Shared disk 2 is not used: it hangs, without an answer for 5 s. It is tried again"),
                    texts(log));
            memory.permits.release(1_000);
            listener.await("1 written 0+1", "1 written 2+1", "1 read 0+1");
            assertEquals(0, isToldToHaveFailed());
        });
        assertEquals("Shared disk 2 answers again", texts.get(1));
    }

    /** What is logged by the end. */
    private static List<String> logged(Consumer<ListAppender<ILoggingEvent>> meanwhile) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(DiskWorker.class);
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
        log.start();
        try {
            meanwhile.accept(log);
            return texts(log);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    private static List<String> texts(ListAppender<ILoggingEvent> log) {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    public void severalLargestValues_mayWaitAtADiskThatWorks() {
        memory.permits.drainPermits();
        worker.start();
        write(0, 1);
        awaitBusy();
        for (int i = 0; i < 4; i++) {
            read(0, SizeLimits.MAX_VALUE_BYTES / BLOCK + 1);
        }
        read(0, 1);
        assertEquals(List.of(), listener.said());
    }

    @Test
    public void diskThatHangs_failsWhenTooMuchWaits_andIsNotHeardLater() {
        memory.permits.drainPermits();
        worker.start();
        write(0, 1);
        awaitBusy();
        int blocks = 1024;
        long bytes = 0;
        while (bytes <= MAX_WAITING_BYTES) {
            read(0, blocks);
            bytes += (long) blocks * BLOCK;
        }
        assertEquals(List.of(), listener.said());
        worker.tellOccupancy((name, held, bound, slack) -> assertTrue(name, held <= bound && held > bound / 2));
        read(0, 1);
        String failed = "1 failed does not keep up: " + bytes + " bytes wait for it";
        listener.await(failed);
        worker.resume();
        read(7, 1);
        memory.permits.release(1_000);
        listener.await(failed, "1 read 7+1");
    }

    @Test
    public void defect_isReported_withItsReason() throws Exception {
        memory.defect = new IllegalStateException("a defect");
        worker.start();
        read(0, 1);
        String message = failures.await();
        assertTrue(message, message.startsWith("Disk 1 could not be used because of a defect:"));
        assertTrue(message, message.contains("a defect"));
        assertEquals(List.of(), listener.said());
    }

    /** Nothing is asked of the disk any more, and it stays open until it has answered. */
    @Test
    public void diskThatHangs_isNotWaitedForAtTheEnd_andClosedWhenItHasAnswered() throws Exception {
        memory.permits.drainPermits();
        worker.start();
        write(0, 1);
        awaitBusy();
        read(1, 1);
        worker.stop();
        worker.awaitEnd(1);
        assertEquals(List.of("open"), memory.done());
        memory.permits.release(1_000);
        worker.awaitEnd(Long.MAX_VALUE);
        assertEquals(List.of("open", "write 0+1", "force", "close"), memory.done());
        assertEquals(List.of(), listener.said());
    }

    @Test
    public void closed_answersNothing_andClosesTheDisk() throws Exception {
        worker.start();
        read(0, 1);
        listener.await("1 read 0+1");
        worker.stop();
        worker.awaitEnd(DiskWorker.HANGS_NANOS);
        read(1, 1);
        assertEquals(List.of("open", "read 0+1", "close"), memory.done());
        listener.await("1 read 0+1");
    }
}
