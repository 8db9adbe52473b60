package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The thread that makes records durable: takes all records that wait, appends them, forces the log once (group commit),
 * and tells how far the log is durable. No other thread writes to the acceptor log.
 */
final class LogWriter implements Runnable {
    private final AcceptorLog log;
    private final LatestPromise promise;
    private final long maxUnsyncedBytes;
    private final Runnable onDurable;
    private final FailureHandler failure;
    private final Thread thread;

    private final Object lock = new Object();
    private List<LogRecord> waiting = new ArrayList<>();
    private long waitingBytes;
    private long lastSequence;
    private long truncateBelow;
    private boolean stopping;

    private volatile long durableSequence;
    private final Measure syncMicros = new Measure("fsync_micros");
    private final Measure recordsPerSync = new Measure("fsync_records");

    LogWriter(
            AcceptorLog log,
            LatestPromise promise,
            long maxUnsyncedBytes,
            String name,
            Runnable onDurable,
            FailureHandler failure) {
        this.log = log;
        this.promise = promise;
        this.maxUnsyncedBytes = maxUnsyncedBytes;
        this.onDurable = onDurable;
        this.failure = failure;
        this.thread = new Thread(this, name);
    }

    void start() {
        thread.start();
    }

    /** Queues a record; returns its log sequence. Waits while too many bytes are not durable yet. */
    long append(LogRecord record) {
        synchronized (lock) {
            while (waitingBytes > maxUnsyncedBytes && !stopping) {
                await();
            }
            promise.appended(record);
            waiting.add(record);
            waitingBytes += record.head().length() + record.body().length();
            if (waiting.size() == 1) {
                lock.notifyAll();
            }
            return ++lastSequence;
        }
    }

    void truncate(long belowPosition) {
        synchronized (lock) {
            truncateBelow = Math.max(truncateBelow, belowPosition);
            lock.notifyAll();
        }
    }

    /**
     * Waits until a record is durable.
     *
     * @throws PartStoppedException if this writer has stopped
     */
    void awaitDurable(long sequence) {
        synchronized (lock) {
            while (durableSequence < sequence) {
                if (stopping) {
                    throw new PartStoppedException("the acceptor log has stopped");
                }
                await();
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

    @Override
    public void run() {
        try {
            while (writeBatch()) {
                onDurable.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            stop();
            failure.failed(
                    "The acceptor log could not be written, so this replica stops before it acknowledges what it"
                            + " cannot keep: " + e.getMessage()
                            + ". Free space or replace the disk, then start the server"
                            + " again; it resumes from the last good record.",
                    e);
        }
    }

    private boolean writeBatch() throws IOException {
        List<LogRecord> batch;
        long last;
        long below;
        synchronized (lock) {
            while (waiting.isEmpty() && truncateBelow == 0 && !stopping) {
                await();
            }
            if (waiting.isEmpty() && stopping) {
                return false;
            }
            batch = waiting;
            last = lastSequence;
            below = truncateBelow;
            waiting = new ArrayList<>();
            waitingBytes = 0;
            truncateBelow = 0;
            lock.notifyAll();
        }
        if (!batch.isEmpty()) {
            for (LogRecord record : batch) {
                log.append(record);
            }
            long begin = System.nanoTime();
            log.sync();
            syncMicros.addMicrosSince(begin);
            recordsPerSync.add(batch.size());
            synchronized (lock) {
                durableSequence = last;
                lock.notifyAll();
            }
        }
        if (below > 0) {
            log.truncate(below);
        }
        return true;
    }

    private void await() {
        try {
            lock.wait();
        } catch (InterruptedException e) {
            throw new ReplicaStoppedException("interrupted while waiting for the acceptor log");
        }
    }

    private void stop() {
        synchronized (lock) {
            stopping = true;
            lock.notifyAll();
        }
    }

    /** Writes what waits, then ends the thread. */
    void close() throws InterruptedException {
        stop();
        if (Thread.currentThread() != thread) {
            thread.join();
        }
    }
}
