package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.DiskTurns;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Test;

/** A server begins anew in its process while a shared disk hangs: nothing of the former start comes behind the new. */
public final class BeginningAnewTest {
    private static final int BLOCK = SharedDisk.BLOCK_BYTES;
    private static final long LIMIT_MILLIS = 30_000;

    private final Failures failures = new Failures();
    private final List<String> events = new ArrayList<>();
    private final Semaphore answers = new Semaphore(0);
    private final DiskTurns turns = new DiskTurns(this::holdDirectory);
    private final List<HostedDisks> starts = new ArrayList<>();
    private volatile boolean hasDirectory = true;

    /** What the protocols are told. */
    private final OrderingProtocol protocol = (OrderingProtocol) Proxy.newProxyInstance(
            BeginningAnewTest.class.getClassLoader(),
            new Class<?>[] {OrderingProtocol.class},
            (proxy, method, arguments) -> {
                note(method.getName() + " " + arguments[0] + (arguments[1] instanceof String why ? ": " + why : ""));
                return null;
            });

    private final AtomicLong waitedTimes = new AtomicLong();

    /** A time in which whatever is waited for has lasted long. */
    private Scheduler impatient() {
        return new ThreadsInOwnTime(() -> TimeUnit.SECONDS.toNanos(10 * waitedTimes.incrementAndGet()));
    }

    /** Writes when it may. */
    private final class SlowDisk implements SharedDisk {
        @Override
        public void write(long offset, ByteSlice bytes) {
            note("asked");
            answers.acquireUninterruptibly();
            note("written " + bytes.get(0));
        }

        @Override
        public void force() {}

        @Override
        public ByteSlice read(long offset, int length) {
            return ByteSlice.of(new byte[length]);
        }

        @Override
        public long length() {
            return Long.MAX_VALUE;
        }

        @Override
        public void close() {
            note("closed");
        }
    }

    @After
    public void close() throws InterruptedException {
        answers.release(1_000);
        for (HostedDisks start : starts) {
            start.close();
        }
    }

    private Closeable holdDirectory() throws IOException {
        return hasDirectory ? () -> note("given back") : refuse();
    }

    private static Closeable refuse() throws IOException {
        throw new IOException("not the server's directory any more");
    }

    private void note(String event) {
        synchronized (events) {
            events.add(event);
        }
    }

    private List<String> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    private void await(String event) {
        Failures.await(event, () -> events().contains(event));
    }

    private HostedDisks start() {
        List<DiskSource> sources = turns.of(List.of(SlowDisk::new));
        HostedDisks start =
                new HostedDisks(sources, 1, input -> input.feed(protocol), failures, Long.MAX_VALUE, impatient());
        starts.add(start);
        start.start();
        return start;
    }

    private static ByteSlice block(int value) {
        byte[] bytes = new byte[BLOCK];
        Arrays.fill(bytes, (byte) value);
        return ByteSlice.of(bytes);
    }

    @Test(timeout = LIMIT_MILLIS)
    public void diskHangs_theNewStartGoesOnWithoutIt_andUsesItBehindTheFormerOne() throws Exception {
        HostedDisks former = start();
        former.write(0, 0, block(1));
        former.write(0, BLOCK, block(2));
        await("asked");
        former.close();
        HostedDisks next = start();
        next.write(0, 0, block(3));
        String refused = "onDiskFailed 0: it has not answered what it was asked before this server began anew";
        await(refused);
        assertEquals(List.of("asked", refused), events());
        answers.release(1_000);
        await("given back");
        next.write(0, 0, block(3));
        await("onBlocksWritten 0");
        assertEquals(
                List.of(
                        "asked",
                        refused,
                        "written 1",
                        "closed",
                        "given back",
                        "asked",
                        "written 3",
                        "onBlocksWritten 0"),
                events());
        assertEquals(List.of(), failures.messages());
    }

    @Test(timeout = LIMIT_MILLIS)
    public void serverStopsWhileADiskHangs_itsEndIsThatOfTheDisksLastAnswer() throws Exception {
        HostedDisks start = start();
        start.write(0, 0, block(1));
        await("asked");
        start.close();
        Thread stopping = new Thread(() -> {
            try {
                turns.awaitNoneOpen();
                note("ended");
            } catch (InterruptedException e) {
                note("interrupted");
            }
        });
        stopping.start();
        Failures.await("it waits", () -> stopping.getState() == Thread.State.WAITING);
        answers.release(1_000);
        stopping.join();
        assertEquals(List.of("asked", "written 1", "closed", "given back", "ended"), events());
    }

    @Test(timeout = LIMIT_MILLIS)
    public void formerStart_opensNothingAnyMore() throws Exception {
        DiskSource former = turns.of(List.of(SlowDisk::new)).get(0);
        former.open().close();
        DiskSource next = turns.of(List.of(SlowDisk::new)).get(0);
        assertEquals(
                "this server has begun anew since",
                assertThrows(IOException.class, former::open).getMessage());
        next.open().close();
    }

    /** Its directory may be another process's by then, and so the server's place on the disks. */
    @Test(timeout = LIMIT_MILLIS)
    public void stoppedServer_opensNothingAnyMore_andUsesTheDiskAgainWithItsDirectory() throws Exception {
        DiskSource source = turns.of(List.of(SlowDisk::new)).get(0);
        hasDirectory = false;
        assertThrows(IOException.class, source::open);
        hasDirectory = true;
        source.open().close();
        assertEquals(List.of("closed", "given back"), events());
    }
}
