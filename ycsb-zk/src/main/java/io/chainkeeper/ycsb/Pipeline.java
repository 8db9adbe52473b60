package io.chainkeeper.ycsb;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;

/**
 * The operations that one YCSB thread has in flight. YCSB knows only calls that wait, so a pipelined call answers
 * {@link Status#BATCHED_OK} as soon as the request is handed to the client library; what YCSB shows under READ,
 * UPDATE, ... is then the time of the handing over, and the time from the call to the reply appears under
 * {@code PIPELINED-READ}, {@code PIPELINED-UPDATE}, ..., together with the statuses. {@link #drain} waits for the
 * rest, within the time that YCSB divides by, so the throughput is that of finished operations.
 *
 * <p>Begin is called by YCSB's thread, finish by the client library's event thread.
 */
final class Pipeline {
    private final Semaphore free;
    private final int outstanding;
    private final Measurements measurements;

    Pipeline(int outstanding, Measurements measurements) {
        this.outstanding = outstanding;
        this.free = new Semaphore(outstanding);
        this.measurements = measurements;
    }

    /** Waits for a free place; the caller then starts one operation. */
    void begin() throws InterruptedException {
        free.acquire();
    }

    /**
     * Ends an operation.
     *
     * @param operation YCSB's name, such as READ
     * @param startNanos System.nanoTime() of the call
     * @param resultCode ZooKeeper's result code
     */
    void finish(String operation, long startNanos, int resultCode) {
        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
        measurements.measure("PIPELINED-" + operation, (int) Math.min(micros, Integer.MAX_VALUE));
        measurements.reportStatus("PIPELINED-" + operation, status(Code.get(resultCode)));
        free.release();
    }

    /**
     * Waits until nothing is in flight.
     *
     * @param timeoutMillis of the whole wait
     * @return false if there was still something in flight then
     */
    boolean drain(long timeoutMillis) throws InterruptedException {
        return free.tryAcquire(outstanding, timeoutMillis, TimeUnit.MILLISECONDS);
    }

    static Status status(Code code) {
        switch (code) {
            case OK:
            case NODEEXISTS:
                // YCSB's own binding counts a record that is already there as loaded.
                return Status.OK;
            case NONODE:
                return Status.NOT_FOUND;
            default:
                return Status.ERROR;
        }
    }
}
