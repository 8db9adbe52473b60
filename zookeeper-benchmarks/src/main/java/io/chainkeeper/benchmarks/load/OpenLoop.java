package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Load at a fixed rate, whether or not the servers keep up. Latency counts from when an operation was due, so a stall
 * shows in every operation that it delays.
 */
public final class OpenLoop implements AutoCloseable {
    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** So many seconds' worth of operations may be in flight; beyond that the rate is not sustainable. */
    private static final long MAX_OUTSTANDING_SECONDS = 5;

    private final Clients clients;
    private final Workload workload;
    private final double operationsPerSecond;
    private final Thread pacer;
    private volatile boolean running = true;
    private volatile boolean overrun;

    /**
     * Starts.
     *
     * @param clients the sessions, served in turn
     * @param workload what they do
     * @param operationsPerSecond of all sessions together, positive
     */
    public OpenLoop(Clients clients, Workload workload, double operationsPerSecond) {
        this.clients = clients;
        this.workload = workload;
        this.operationsPerSecond = operationsPerSecond;
        this.pacer = new Thread(this::pace, "pacer");
        pacer.setDaemon(true);
        pacer.start();
    }

    private void pace() {
        long start = System.nanoTime();
        double nanosPerOperation = TimeUnit.SECONDS.toNanos(1) / operationsPerSecond;
        long bound = (long) Math.ceil(operationsPerSecond * MAX_OUTSTANDING_SECONDS);
        long issued = 0;
        while (running) {
            long due = (long) ((System.nanoTime() - start) / nanosPerOperation);
            while (issued < due) {
                ClientSession session = clients.sessions()
                        .get((int) (issued % clients.sessions().size()));
                session.issue(
                        workload,
                        start + (long) (issued * nanosPerOperation),
                        s -> clients.completed().increment());
                issued++;
            }
            if (clients.outstanding() > bound) {
                overrun = true;
                return;
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    /**
     * Makes sure that the servers keep up.
     *
     * @throws IOException if operations piled up beyond bounds and the load was stopped
     */
    public void checkSustained() throws IOException {
        if (overrun) {
            throw new IOException("the servers do not sustain " + Math.round(operationsPerSecond)
                    + " operations/s, half of what they did at saturation");
        }
    }

    @Override
    public void close() throws Exception {
        running = false;
        pacer.join();
        Drain.await(clients);
    }
}
