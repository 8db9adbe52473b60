package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to one shared disk and reads from it: a worker of its own does so, in the order in which it was asked, and
 * answers in that order. Writes that wait and lie side by side go to the disk as one.
 *
 * <p>If the disk fails, everything that was asked and not answered is dropped, and so is what is asked until {@link
 * #resume}; the next request after that opens the disk anew. Requests and {@code resume} are for one thread at a time.
 */
final class DiskWorker {
    /** Writes side by side go to the disk together as long as they have so many bytes. */
    private static final int MAX_MERGED_BYTES = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(DiskWorker.class);

    /** A disk that owes an answer for longer hangs, as people are told. */
    static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Told of outcomes, by the worker or by whoever asks; one at a time. */
    interface Listener {
        /** Durable. */
        void written(int disk, long offset, int length);

        void read(int disk, long offset, ByteSlice bytes);

        /** Nothing else is said before {@link DiskWorker#resume}. */
        void failed(int disk, String reason);
    }

    /** A write has bytes, a reading has none. */
    private record Request(long offset, int length, ByteSlice bytes) {
        boolean isWrite() {
            return bytes != null;
        }
    }

    private final int number;
    private final DiskSource source;
    private final Listener listener;
    private final FailureHandler failure;
    private final long maxWaitingBytes;
    private final Scheduler scheduler;
    private final Worker worker;
    private final String ofThisDisk;
    private final Measure writeMicros;
    private final Measure readMicros;

    private final Object lock = new Object();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean isIdle;
    private boolean stopping;
    private boolean hasFailed;

    /** Whether the worker is in the middle of requests, and since when. */
    private boolean isBusy;

    private long busySince;

    /** How often the disk has failed: what was taken before is not answered. */
    private int failures;

    /** What people were told of the present failure; null if there is none. */
    private String reported;

    /** Whether a write met it: a disk that can be read all the same does not answer again. */
    private boolean hasRefusedWrite;

    // The worker's.
    private SharedDisk disk;
    private List<Request> taken = List.of();
    private int takenAfterFailures;
    private boolean hasWritten;
    private long writeBegan;

    /**
     * @param number of the disk, from 0
     * @param source opens it, when it is needed
     * @param listener told what comes of requests
     * @param failure told if the worker itself cannot go on
     * @param maxWaitingBytes bytes that may wait; if more do, the next request makes the disk count as failed
     * @param name of the worker
     * @param scheduler of the worker
     */
    DiskWorker(
            int number,
            DiskSource source,
            Listener listener,
            FailureHandler failure,
            long maxWaitingBytes,
            String name,
            Scheduler scheduler) {
        this.number = number;
        this.source = source;
        this.listener = listener;
        this.failure = failure;
        this.maxWaitingBytes = maxWaitingBytes;
        this.scheduler = scheduler;
        this.worker = scheduler.worker(name, this::work);
        this.ofThisDisk = "." + (number + 1);
        this.writeMicros = new Measure("shared_disk_write_micros", ofThisDisk, scheduler::nanoTime);
        this.readMicros = new Measure("shared_disk_read_micros", ofThisDisk, scheduler::nanoTime);
    }

    void start() {
        worker.start();
    }

    void write(long offset, ByteSlice bytes) {
        add(new Request(offset, bytes.length(), bytes));
    }

    void read(long offset, int length) {
        add(new Request(offset, length, null));
    }

    private void add(Request request) {
        boolean wakes;
        synchronized (lock) {
            if (hasFailed || stopping) {
                return;
            }
            if (waitingBytes > maxWaitingBytes) {
                fail("does not keep up: " + waitingBytes + " bytes wait for it", false);
                return;
            }
            waiting.add(request);
            waitingBytes += request.length();
            wakes = isIdle;
            isIdle = false;
        }
        if (wakes) {
            worker.wake();
        }
    }

    /** Under the lock. */
    private void fail(String reason, boolean ofWrite) {
        hasRefusedWrite = ofWrite;
        hasFailed = true;
        failures++;
        waiting.clear();
        waitingBytes = 0;
        report(reason);
        listener.failed(number, reason);
    }

    private void report(String reason) {
        if (!reason.equals(reported)) {
            LOG.warn("Shared disk {} is not used: {}. It is tried again", number + 1, reason);
            reported = reason;
        }
    }

    /** Tells how many bytes wait in front of the newest request, which was taken while there was room. */
    void tellOccupancy(Occupancy occupancy) {
        synchronized (lock) {
            Request newest = waiting.peekLast();
            long before = waitingBytes - (newest == null ? 0 : newest.length());
            occupancy.holds("shared_disk_waiting_bytes", before, maxWaitingBytes, Slack.NONE);
        }
    }

    /** Whoever asks has learned that the disk has failed: what is asked from now on is tried again. */
    void resume() {
        synchronized (lock) {
            hasFailed = false;
        }
    }

    /** Called every now and then, so it tells people, too, that the disk hangs. */
    void putGauges(Map<String, Long> gauges) {
        writeMicros.put(gauges);
        readMicros.put(gauges);
        synchronized (lock) {
            if (isBusy && reported == null && scheduler.nanoTime() - busySince > HANGS_NANOS) {
                hasRefusedWrite = false;
                report("it hangs, without an answer for " + TimeUnit.NANOSECONDS.toSeconds(HANGS_NANOS) + " s");
            }
            gauges.put("shared_disk_failed" + ofThisDisk, reported == null ? 0L : 1L);
        }
    }

    /** One piece: opens and writes, or makes durable what was written, or reads. */
    private long work() {
        try {
            if (!hasWritten && !take()) {
                return isStopping() ? end() : Work.WHEN_WOKEN;
            }
            doTaken();
        } catch (IOException e) {
            closeDisk();
            hasWritten = false;
            boolean ofWrite = taken.get(0).isWrite();
            taken = List.of();
            failTaken(ofWrite, e.getMessage() == null ? e.toString() : e.getMessage());
        } catch (RuntimeException | Error e) {
            closeDisk();
            failure.failed(
                    "Disk " + number + " could not be used because of a defect: " + e
                            + ". This replica stops; the others go on.",
                    e);
            return Work.NEVER;
        }
        return Work.AT_ONCE;
    }

    private boolean isStopping() {
        synchronized (lock) {
            return stopping;
        }
    }

    private boolean take() {
        synchronized (lock) {
            Request first = waiting.poll();
            isIdle = first == null;
            isBusy = first != null;
            busySince = scheduler.nanoTime();
            if (first == null) {
                return false;
            }
            List<Request> together = new ArrayList<>(List.of(first));
            long bytes = first.length();
            while (first.isWrite() && fits(first.offset() + bytes, bytes)) {
                Request next = waiting.poll();
                together.add(next);
                bytes += next.length();
            }
            waitingBytes -= bytes;
            taken = together;
            takenAfterFailures = failures;
            return true;
        }
    }

    private boolean fits(long offset, long bytes) {
        Request next = waiting.peek();
        return next != null && next.isWrite() && next.offset() == offset && bytes + next.length() <= MAX_MERGED_BYTES;
    }

    private void doTaken() throws IOException {
        if (disk == null) {
            disk = source.open();
        }
        Request first = taken.get(0);
        if (!first.isWrite()) {
            long began = scheduler.nanoTime();
            ByteSlice bytes = disk.read(first.offset(), first.length());
            readMicros.addMicrosSince(began);
            answer(() -> listener.read(number, first.offset(), bytes));
        } else if (!hasWritten) {
            writeBegan = scheduler.nanoTime();
            disk.write(first.offset(), together());
            hasWritten = true;
        } else {
            hasWritten = false;
            disk.force();
            writeMicros.addMicrosSince(writeBegan);
            answer(() -> taken.forEach(each -> listener.written(number, each.offset(), each.length())));
        }
    }

    private ByteSlice together() {
        if (taken.size() == 1) {
            return taken.get(0).bytes();
        }
        byte[] all = new byte[taken.stream().mapToInt(Request::length).sum()];
        int end = 0;
        for (Request each : taken) {
            System.arraycopy(each.bytes().array(), each.bytes().offset(), all, end, each.length());
            end += each.length();
        }
        return ByteSlice.of(all);
    }

    /** Says nothing if the disk has counted as failed since. */
    private void answer(Runnable said) {
        synchronized (lock) {
            if (takenAfterFailures == failures && !stopping) {
                if (reported != null && (!hasRefusedWrite || taken.get(0).isWrite())) {
                    LOG.info("Shared disk {} answers again", number + 1);
                    reported = null;
                }
                said.run();
            }
        }
    }

    private void failTaken(boolean ofWrite, String reason) {
        synchronized (lock) {
            if (takenAfterFailures == failures && !stopping) {
                fail(reason, ofWrite);
            }
        }
    }

    private void closeDisk() {
        if (disk == null) {
            return;
        }
        try {
            disk.close();
        } catch (IOException e) {
            LOG.warn("Disk {} was not closed: {}", number, e.getMessage());
        }
        disk = null;
    }

    private long end() {
        closeDisk();
        return Work.NEVER;
    }

    /** Has the worker finish what it is in the middle of, drop what waits, close the disk and end. */
    void stop() {
        synchronized (lock) {
            stopping = true;
            waiting.clear();
        }
        worker.wake();
    }

    /**
     * Waits for the end of a worker that was told to {@link #stop}. Where the disk hangs the worker is left to wait for
     * it: it keeps the disk open until it has its answer, so that nobody else uses it before ({@link
     * io.chainkeeper.shareddisk.DiskTurns}).
     *
     * @param maxNanos how long to wait at most
     */
    void awaitEnd(long maxNanos) throws InterruptedException {
        if (!worker.join(Math.max(1, maxNanos))) {
            LOG.warn("Shared disk {} hangs: it is not used before it has answered what it was asked last", number + 1);
        }
    }
}
