package io.chainkeeper.server.maintenance;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread of its own for the maintenance of a replica. */
public final class MaintenanceThread implements Background {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceThread.class);

    private final ScheduledExecutorService thread;

    /** @param replicaId for the name of the thread */
    public MaintenanceThread(int replicaId) {
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread created = new Thread(task, "maintenance-" + replicaId);
            created.setDaemon(true);
            return created;
        });
    }

    @Override
    public void execute(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopping: nothing more is done in the background");
        }
    }

    @Override
    public void everyMillis(long periodMillis, Runnable task) {
        thread.scheduleAtFixedRate(task, 0, periodMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void afterMillis(long delayMillis, Runnable task) {
        try {
            thread.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopping: nothing more is done in the background");
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
