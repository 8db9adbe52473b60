package io.chainkeeper.server.background;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.Test;

/** A worker that has ended is not taken for one that works. */
public class BackgroundWorkTest {
    private final ByHand scheduler = new ByHand();
    private final BackgroundWork background = new BackgroundWork(scheduler, "test");
    private final List<String> done = new ArrayList<>();

    @Test
    public void taskEndsItsWorker_theNextOneGetsAnother() {
        background.execute(() -> {
            throw new StackOverflowError();
        });
        background.execute(() -> done.add("second"));
        assertThrows(StackOverflowError.class, scheduler.workers.get(0)::run);
        background.execute(() -> done.add("third"));
        assertEquals(2, scheduler.workers.size());
        scheduler.workers.get(1).run();
        scheduler.workers.get(1).run();
        assertEquals(List.of("second", "third"), done);
    }

    @Test
    public void workerCannotBeStarted_taskIsRefused_andTheNextOneGetsAnother() {
        scheduler.refuses = true;
        assertThrows(OutOfMemoryError.class, () -> background.execute(() -> done.add("first")));
        scheduler.refuses = false;
        background.execute(() -> done.add("second"));
        scheduler.workers.get(0).run();
        assertEquals(List.of("second"), done);
    }

    /** Its workers do a piece when the test says so. */
    private static final class ByHand implements Scheduler {
        private final List<Work> workers = new ArrayList<>();
        private boolean refuses;

        @Override
        public Worker worker(String name, Work work) {
            return new Worker() {
                @Override
                public void start() {
                    if (refuses) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    workers.add(work);
                }

                @Override
                public void wake() {}

                @Override
                public boolean isCurrent() {
                    return false;
                }

                @Override
                public void join() {}
            };
        }

        @Override
        public TaskQueue taskQueue(String name) {
            throw new AssertionError("not used");
        }

        @Override
        public void await(Object lock, String what, BooleanSupplier condition) {
            throw new AssertionError("not used");
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long currentTimeMillis() {
            return 0;
        }

        @Override
        public long seed() {
            return 1;
        }
    }
}
