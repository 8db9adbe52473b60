package io.chainkeeper.server.reconfig;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that are there while names are looked up for maintenance. Whoever uses them asks for one thing at a time, so
 * that nobody waits behind names that somebody else, such as a client, has brought.
 */
public final class NameLookUps implements Aside, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NameLookUps.class);

    /** One for each of those who ask: the configuration's view, the client port and {@code reconfig}. */
    static final int THREADS = 3;

    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;
    private final Consumer<Runnable> maintenance;

    /**
     * @param replicaId for the name of the threads
     * @param maintenance runs a task on the maintenance thread, or not at all once that has ended
     */
    public NameLookUps(int replicaId, Consumer<Runnable> maintenance) {
        this.maintenance = maintenance;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread created = new Thread(task, "name-look-up-" + replicaId);
                    created.setDaemon(true);
                    return created;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public <T> void run(Supplier<T> work, Consumer<T> outcome) {
        try {
            threads.execute(() -> {
                try {
                    T found = work.get();
                    maintenance.accept(() -> outcome.accept(found));
                } catch (RuntimeException e) {
                    maintenance.accept(() -> {
                        throw e;
                    });
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopping: no name is looked up any more");
        }
    }

    /** Waits for nothing: a look-up cannot be interrupted. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
