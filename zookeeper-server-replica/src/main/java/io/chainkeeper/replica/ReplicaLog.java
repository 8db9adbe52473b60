package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.RecoveredState;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The acceptor log as the protocol host uses it: one worker writes it ({@link LogWriter}), another reads it for members
 * that lag ({@link LogReader}). Owns the log and both workers.
 */
final class ReplicaLog {
    /** Told of the outcome of a reading, by the worker that reads. */
    interface ReadListener {
        /** @param records see {@link AcceptorLog#read} */
        void onRead(List<LogRecord> records);

        /** @param failure why the records that this replica itself needs cannot be read */
        void onReadFailed(Exception failure);
    }

    private final AcceptorLog log;
    private final LatestPromise promise;
    private final LogWriter writer;
    private final LogReader reader;
    private final TaskQueue readings;

    /**
     * @param log open; nothing has been appended to it
     * @param promiseKind {@link OrderingProtocolFactory#promiseKind}
     * @param times told when values were accepted and when they were durable
     * @param maxUnsyncedBytes see {@link ReplicaLimits}
     * @param replicaId for the names of the workers
     * @param onDurable called by the writing worker when more is durable
     * @param failure told if the log cannot be written
     * @param scheduler of the workers
     */
    ReplicaLog(
            AcceptorLog log,
            int promiseKind,
            PositionTimes times,
            long maxUnsyncedBytes,
            int replicaId,
            Runnable onDurable,
            FailureHandler failure,
            Scheduler scheduler) {
        this.log = log;
        this.promise = new LatestPromise(log.recovered(0), promiseKind);
        this.writer = new LogWriter(
                log, promise, times, maxUnsyncedBytes, "log-writer-" + replicaId, onDurable, failure, scheduler);
        this.reader = new LogReader(log);
        this.readings = scheduler.taskQueue("log-reader-" + replicaId);
    }

    void start() {
        writer.start();
    }

    /** Before the first {@link #append}: see {@link AcceptorLog#recovered}. */
    RecoveredState recovered(long appliedPosition) {
        return log.recovered(appliedPosition);
    }

    /** Queues a record; returns its log sequence. Waits while too many bytes are not durable yet. */
    long append(LogRecord record) {
        return writer.append(record);
    }

    /**
     * Waits until a record is durable; returns the log sequence of the last one that is.
     *
     * @throws PartStoppedException if the writing worker has stopped
     */
    long awaitDurable(long logSequence) {
        writer.awaitDurable(logSequence);
        return writer.durableSequence();
    }

    /** Returns the log sequence of the last record that is durable. Any thread. */
    long durableSequence() {
        return writer.durableSequence();
    }

    /** This replica itself needs nothing below a position any more. */
    void truncate(long belowPosition) {
        reader.truncated(belowPosition);
        writer.truncate(belowPosition);
    }

    /** Begins to read records of consecutive positions, at most about so many bytes. */
    void read(long fromPosition, int maxBytes, ReadListener listener) {
        readings.execute(() -> {
            try {
                listener.onRead(reader.read(fromPosition, maxBytes));
            } catch (IOException | RuntimeException e) {
                listener.onReadFailed(e);
            }
        });
    }

    /** Returns the head of the latest record of this replica's promise, empty if there is none. Any thread. */
    ByteSlice promise() {
        return promise.head();
    }

    /** Puts what forcing the log takes, how many records wait for it, and how large and how sound the log is. */
    void putGauges(Map<String, Long> gauges) {
        writer.putGauges(gauges);
        gauges.put("log_bytes", log.sizeBytes());
        gauges.put("log_damaged_reads", reader.damagedReads());
    }

    /** Tells how much waits to be written. */
    void tellOccupancy(Occupancy occupancy) {
        writer.tellOccupancy(occupancy);
    }

    /** Makes durable what was appended, ends both workers and closes the log. */
    void close() throws IOException, InterruptedException {
        writer.close();
        readings.close();
        log.close();
    }
}
