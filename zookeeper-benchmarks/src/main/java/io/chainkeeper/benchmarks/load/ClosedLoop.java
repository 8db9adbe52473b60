package io.chainkeeper.benchmarks.load;

/**
 * Load without a rate of its own: each session keeps a fixed number of operations in flight, a new one for each that
 * has succeeded.
 */
public final class ClosedLoop implements AutoCloseable {
    private final Clients clients;
    private final Workload workload;
    private volatile boolean running = true;

    /**
     * Starts.
     *
     * @param clients the sessions
     * @param workload what they do
     * @param outstanding operations that each session keeps in flight
     */
    public ClosedLoop(Clients clients, Workload workload, int outstanding) {
        this.clients = clients;
        this.workload = workload;
        for (int i = 0; i < outstanding; i++) {
            for (ClientSession session : clients.sessions()) {
                session.issue(workload, System.nanoTime(), this::next);
            }
        }
    }

    private void next(ClientSession session) {
        clients.completed().increment();
        if (running) {
            session.issue(workload, System.nanoTime(), this::next);
        }
    }

    @Override
    public void close() throws Exception {
        running = false;
        Drain.await(clients);
    }
}
