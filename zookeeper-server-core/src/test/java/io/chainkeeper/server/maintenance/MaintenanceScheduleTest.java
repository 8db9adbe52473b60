package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.server.background.Background;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** A server whose maintenance does not work must not go on. */
public class MaintenanceScheduleTest {
    private final List<String> failures = new ArrayList<>();

    /** Runs each task as it comes. */
    private static final class AtOnce implements Background {
        @Override
        public boolean execute(Runnable task) {
            task.run();
            return true;
        }

        @Override
        public void everyMillis(long periodMillis, Runnable task) {
            task.run();
        }

        @Override
        public void afterMillis(long delayMillis, Runnable task) {
            task.run();
        }

        @Override
        public void close() {}
    }

    @Test
    public void taskFails_theReplicaStops() {
        MaintenanceSchedule schedule =
                new MaintenanceSchedule(new AtOnce(), 1, (message, cause) -> failures.add(message));
        schedule.submit(() -> {
            throw new IllegalStateException("one");
        });
        schedule.everyPeriod(() -> {
            throw new StackOverflowError("two");
        });
        assertEquals(List.of("maintenance failed: one", "maintenance failed: two"), failures);
    }
}
