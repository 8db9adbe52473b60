package io.chainkeeper.server.maintenance;

import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.background.Background;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When maintenance runs: one task at a time. A task that fails stops the replica. Safe for use by any thread. */
public final class MaintenanceSchedule {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceSchedule.class);

    private final Background background;
    private final long periodMillis;
    private final FailureHandler failureHandler;

    /**
     * @param background runs the tasks
     * @param periodMillis of ticks
     * @param failureHandler told when a task fails
     */
    public MaintenanceSchedule(Background background, long periodMillis, FailureHandler failureHandler) {
        this.background = background;
        this.periodMillis = periodMillis;
        this.failureHandler = failureHandler;
    }

    long periodMillis() {
        return periodMillis;
    }

    void submit(Runnable task) {
        background.execute(guarded(task));
    }

    void everyPeriod(Runnable task) {
        background.everyMillis(periodMillis, guarded(task));
    }

    void afterPeriods(int periods, Runnable task) {
        background.afterMillis(periods * periodMillis, guarded(task));
    }

    /** The replica stops because of something that no task has thrown. */
    void failed(String reason) {
        failureHandler.failed(reason, null);
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (ReplicaStoppedException e) {
                LOG.debug("The order has stopped: {}", e.getMessage());
            } catch (RuntimeException | Error e) {
                failureHandler.failed("maintenance failed: " + e.getMessage(), e);
            }
        };
    }

    /** Queues a last task behind whatever is being done at the moment; nothing runs after it. */
    void close(Runnable last) {
        background.execute(last);
        background.close();
    }
}
