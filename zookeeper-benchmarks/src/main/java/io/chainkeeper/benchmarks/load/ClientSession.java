package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * A client connected to one server, with latencies of its operations. {@link #issue} may be called by any thread;
 * latencies are recorded by the one thread on which the client library tells of outcomes. Any failed operation, and any
 * loss of the connection, is given to the failure handler: a measurement with failures is worth nothing.
 */
public abstract class ClientSession {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final String address;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final FailureHandler failures;
    private final SingleWriterRecorder reads = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final SingleWriterRecorder writes = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private final AtomicLong outstanding = new AtomicLong();

    /** Called by client threads. */
    @FunctionalInterface
    interface FailureHandler {
        /** @param message what failed */
        void failed(String message);
    }

    /** Called by the client's own thread when an operation has succeeded. */
    @FunctionalInterface
    interface Completion {
        /** @param session whose operation it was */
        void completed(ClientSession session);
    }

    /** Begins to connect to a server. */
    @FunctionalInterface
    interface Opening {
        /**
         * @param address the server's client address
         * @param failures told of anything that goes wrong
         * @return the session, which need not be connected yet
         * @throws IOException if the client cannot be created
         */
        ClientSession open(String address, FailureHandler failures) throws IOException;
    }

    /**
     * @param address the server's client address
     * @param failures told of anything that goes wrong
     */
    ClientSession(String address, FailureHandler failures) {
        this.address = address;
        this.failures = failures;
    }

    /**
     * @param seconds how long to wait at most
     * @throws IOException if there is no connection by then
     */
    abstract void awaitConnected(long seconds) throws IOException, InterruptedException;

    /**
     * Creates a node that is not there.
     *
     * @param path its path
     * @param value its data
     * @param done told once, by any thread: null, or what went wrong
     */
    abstract void create(String path, byte[] value, Consumer<String> done);

    /**
     * Writes.
     *
     * @param path of a node that is there
     * @param value its new data
     * @param done told once, by the client's own thread: null, or what went wrong
     */
    abstract void write(String path, byte[] value, Consumer<String> done);

    /**
     * Reads.
     *
     * @param path of a node that is there
     * @param syncBefore whether a sync goes before
     * @param done told once, by the client's own thread: null, or what went wrong
     */
    abstract void read(String path, boolean syncBefore, Consumer<String> done);

    /** Ends the session; an interrupt ends the wait for the server's answer. */
    abstract void end();

    /** @return the server's client address */
    final String address() {
        return address;
    }

    /** @return operations on their way */
    final long outstanding() {
        return outstanding.get();
    }

    /**
     * Starts one operation.
     *
     * @param workload chooses the operation and the node
     * @param intendedNanos when it was due, by {@link System#nanoTime}; latency is counted from there
     * @param completion called when it has succeeded
     */
    final void issue(Workload workload, long intendedNanos, Completion completion) {
        outstanding.incrementAndGet();
        String path = workload.randomPath();
        if (workload.nextIsRead()) {
            read(path, workload.syncBeforeRead(), problem -> done(problem, reads, intendedNanos, completion));
        } else {
            write(path, workload.randomValue(), problem -> done(problem, writes, intendedNanos, completion));
        }
    }

    private void done(String problem, SingleWriterRecorder recorder, long intendedNanos, Completion completion) {
        outstanding.decrementAndGet();
        if (problem != null) {
            fail(problem);
            return;
        }
        recorder.recordValue(Math.max(0, System.nanoTime() - intendedNanos));
        completion.completed(this);
    }

    /** Tells of what went wrong, unless the session is being ended. */
    final void fail(String message) {
        if (!closing.get()) {
            failures.failed(message);
        }
    }

    /**
     * Adds the latencies since the last call to histograms. One thread only.
     *
     * @param readNanos receives those of reads
     * @param writeNanos receives those of writes
     */
    final void drainTo(Histogram readNanos, Histogram writeNanos) {
        readNanos.add(reads.getIntervalHistogram());
        writeNanos.add(writes.getIntervalHistogram());
    }

    /** From now on the loss of the connection is expected. */
    final void expectClose() {
        closing.set(true);
    }

    /** Ends the session; an interrupt ends the wait for the server's answer. */
    final void close() {
        expectClose();
        end();
    }

    @Override
    public final String toString() {
        return "session at " + address;
    }
}
