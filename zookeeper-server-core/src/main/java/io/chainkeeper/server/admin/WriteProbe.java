package io.chainkeeper.server.admin;

import io.chainkeeper.replica.ReplicaStoppedException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Finds out whether writes are ordered, by having a no-op ordered. Only when asked, one at a time, and not again while
 * the last one came back a moment ago. Safe for use by any thread.
 */
final class WriteProbe implements AutoCloseable {
    /** How long an answer holds. */
    static final long FRESH_MILLIS = 1_000;

    private static final long IDLE_SECONDS = 10;

    private final Consumer<Runnable> proposeNoOp;
    private final LongSupplier clockMillis;
    private final ThreadPoolExecutor thread;
    private boolean underWay;
    private boolean cameBack;
    private long cameBackMillis;

    /**
     * @param replicaId for the name of the thread
     * @param proposeNoOp proposes a no-op and has its argument told when it comes back; may wait
     * @param clockMillis a monotonic clock
     */
    WriteProbe(int replicaId, Consumer<Runnable> proposeNoOp, LongSupplier clockMillis) {
        this.proposeNoOp = proposeNoOp;
        this.clockMillis = clockMillis;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(1),
                task -> {
                    Thread created = new Thread(task, "write-probe-" + replicaId);
                    created.setDaemon(true);
                    return created;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Waits until a no-op has come back.
     *
     * @param waitMillis at most so long
     * @return whether one has, within {@link #FRESH_MILLIS} before the call or after it
     * @throws InterruptedException if the waiting thread is interrupted
     */
    synchronized boolean isOrdered(long waitMillis) throws InterruptedException {
        long began = clockMillis.getAsLong();
        if (!isFresh(began)) {
            begin();
        }
        long left = waitMillis;
        while (!isFresh(began) && left > 0) {
            wait(left);
            left = waitMillis - (clockMillis.getAsLong() - began);
        }
        return isFresh(began);
    }

    private boolean isFresh(long at) {
        return cameBack && at - cameBackMillis <= FRESH_MILLIS;
    }

    /** Nothing is proposed while the last one is still waiting for a quorum. */
    private void begin() {
        if (!underWay && !thread.isShutdown()) {
            underWay = true;
            thread.execute(this::propose);
        }
    }

    private void propose() {
        try {
            proposeNoOp.accept(this::arrived);
        } catch (ReplicaStoppedException e) {
            gaveUp();
        }
    }

    private synchronized void gaveUp() {
        underWay = false;
        notifyAll();
    }

    private synchronized void arrived() {
        underWay = false;
        cameBack = true;
        cameBackMillis = clockMillis.getAsLong();
        notifyAll();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
