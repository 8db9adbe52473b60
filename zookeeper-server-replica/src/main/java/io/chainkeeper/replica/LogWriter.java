package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Makes records durable: takes all records that wait, appends them, forces the log once (group commit), and tells how
 * far the log is durable. A worker of its own does so, and nobody else writes to the acceptor log.
 */
final class LogWriter {
    private static final String THE_LOG = "the acceptor log";

    private final AcceptorLog log;
    private final LatestPromise promise;
    private final PositionTimes times;
    private final long maxUnsyncedBytes;
    private final Runnable onDurable;
    private final FailureHandler failure;
    private final Scheduler scheduler;
    private final Worker worker;

    private final Object lock = new Object();
    private List<LogRecord> waiting = new ArrayList<>();
    private long waitingBytes;
    private long lastSequence;
    private long truncateBelow;
    private boolean isIdle;
    private boolean stopping;

    // The worker's: what it has taken and not yet made durable.
    private int takenRecords;
    private long takenSequence;
    private long takenTruncation;
    private boolean hasTaken;

    private volatile long durableSequence;
    private final Measure syncMicros;
    private final Measure recordsPerSync;

    LogWriter(
            AcceptorLog log,
            LatestPromise promise,
            PositionTimes times,
            long maxUnsyncedBytes,
            String name,
            Runnable onDurable,
            FailureHandler failure,
            Scheduler scheduler) {
        this.log = log;
        this.promise = promise;
        this.times = times;
        this.maxUnsyncedBytes = maxUnsyncedBytes;
        this.onDurable = onDurable;
        this.failure = failure;
        this.scheduler = scheduler;
        this.worker = scheduler.worker(name, this::work);
        this.syncMicros = new Measure("fsync_micros", scheduler::nanoTime);
        this.recordsPerSync = new Measure("fsync_records", scheduler::nanoTime);
    }

    void start() {
        worker.start();
    }

    /** Queues a record; returns its log sequence. Waits while too many bytes are not durable yet. */
    long append(LogRecord record) {
        boolean wakes;
        long sequence;
        synchronized (lock) {
            if (waitingBytes > maxUnsyncedBytes) {
                scheduler.await(lock, THE_LOG, () -> waitingBytes <= maxUnsyncedBytes || stopping);
            }
            promise.appended(record);
            waiting.add(record);
            waitingBytes += record.head().length() + record.body().length();
            sequence = ++lastSequence;
            if (record.position() != LogRecord.METADATA) {
                // Here, because the record may be durable before this method returns.
                times.accepted(record.position(), sequence, scheduler.nanoTime());
            }
            wakes = endIdleness();
        }
        if (wakes) {
            worker.wake();
        }
        return sequence;
    }

    void truncate(long belowPosition) {
        boolean wakes;
        synchronized (lock) {
            truncateBelow = Math.max(truncateBelow, belowPosition);
            wakes = endIdleness();
        }
        if (wakes) {
            worker.wake();
        }
    }

    /** Under the lock: returns whether the worker is to be woken, which is cheaper behind the lock. */
    private boolean endIdleness() {
        boolean wasIdle = isIdle;
        isIdle = false;
        return wasIdle;
    }

    /**
     * Waits until a record is durable.
     *
     * @throws PartStoppedException if this writer has stopped
     */
    void awaitDurable(long sequence) {
        synchronized (lock) {
            scheduler.await(lock, THE_LOG, () -> durableSequence >= sequence || stopping);
            if (durableSequence < sequence) {
                throw new PartStoppedException("the acceptor log has stopped");
            }
        }
    }

    long durableSequence() {
        return durableSequence;
    }

    /** Puts what forcing the log takes, and how many records wait for it. */
    void putGauges(Map<String, Long> gauges) {
        syncMicros.put(gauges);
        recordsPerSync.put(gauges);
        gauges.put("log_queue_records", (long) waitingRecords());
    }

    int waitingRecords() {
        synchronized (lock) {
            return waiting.size();
        }
    }

    /** Writes and forces in two pieces: a power loss between them leaves some of what was written. */
    private long work() {
        try {
            if (hasTaken) {
                force();
                return Work.AT_ONCE;
            }
            return write();
        } catch (IOException | RuntimeException | Error e) {
            stop();
            failure.failed(
                    "The acceptor log could not be written, so this replica stops before it acknowledges what it"
                            + " cannot keep: " + e.getMessage()
                            + ". Free space or replace the disk, then start the server"
                            + " again; it resumes from the last good record.",
                    e);
            return Work.NEVER;
        }
    }

    private long write() throws IOException {
        List<LogRecord> batch;
        synchronized (lock) {
            if (waiting.isEmpty() && stopping) {
                return Work.NEVER;
            }
            if (waiting.isEmpty() && truncateBelow == 0) {
                isIdle = true;
                return Work.WHEN_WOKEN;
            }
            batch = waiting;
            takenSequence = lastSequence;
            takenTruncation = truncateBelow;
            waiting = new ArrayList<>();
            waitingBytes = 0;
            truncateBelow = 0;
            lock.notifyAll();
        }
        for (LogRecord record : batch) {
            log.append(record);
        }
        takenRecords = batch.size();
        hasTaken = true;
        return Work.AT_ONCE;
    }

    private void force() throws IOException {
        hasTaken = false;
        if (takenRecords > 0) {
            long begin = scheduler.nanoTime();
            log.sync();
            syncMicros.addMicrosSince(begin);
            times.durable(takenSequence, scheduler.nanoTime());
            recordsPerSync.add(takenRecords);
            synchronized (lock) {
                durableSequence = takenSequence;
                lock.notifyAll();
            }
        }
        if (takenTruncation > 0) {
            log.truncate(takenTruncation);
        }
        onDurable.run();
    }

    /** Tells how many bytes wait to be written. */
    void tellOccupancy(Occupancy occupancy) {
        synchronized (lock) {
            occupancy.holds("unwritten_bytes", waitingBytes, maxUnsyncedBytes, Slack.ONE_RECORD);
        }
    }

    private void stop() {
        synchronized (lock) {
            stopping = true;
            lock.notifyAll();
        }
        worker.wake();
    }

    /** Writes what waits, then ends the worker. */
    void close() throws InterruptedException {
        stop();
        worker.join();
    }
}
