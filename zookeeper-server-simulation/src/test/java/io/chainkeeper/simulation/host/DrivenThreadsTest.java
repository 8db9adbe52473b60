package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.time.Coroutine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.Test;

/** Parts that wait in the middle of their work for what others have to do, each on a thread of its own. */
public class DrivenThreadsTest {
    private final List<String> done = new ArrayList<>();
    private final Object monitor = new Object();
    private final ThreadsPlan plan = new ThreadsPlan();
    private final DrivenScheduler scheduler = new DrivenScheduler("replica 1", () -> 0, () -> 0, () -> 0, plan);
    private boolean hasRoom;

    private static final class ThreadsPlan implements DrivenScheduler.Plan {
        private final Deque<Runnable> pieces = new ArrayDeque<>();
        private Coroutine waiting;

        @Override
        public void plan(Part part, Reason reason, long nanos, Runnable piece) {
            pieces.addLast(piece);
        }

        @Override
        public boolean mayWait(Part part) {
            return part == Part.OTHER;
        }

        @Override
        public void awaitOthers(Object lock, String what, BooleanSupplier condition) {
            waiting = Coroutine.current();
            waiting.suspend(lock);
        }

        @Override
        public boolean letWaitingGoOn() {
            Coroutine first = waiting;
            waiting = null;
            if (first != null) {
                first.resume();
            }
            return first != null;
        }
    }

    private Worker proposing() {
        return scheduler.worker("maintenance-1", () -> {
            done.add("proposes");
            synchronized (monitor) {
                scheduler.awaitOthers(monitor, "room", () -> hasRoom);
            }
            done.add("has proposed");
            return Work.NEVER;
        });
    }

    private Worker writer() {
        return scheduler.worker("log-writer-1", () -> {
            done.add("written");
            hasRoom = true;
            return Work.WHEN_WOKEN;
        });
    }

    @Test
    public void whoWaitsForOthers_standsStillUntilThen_andTheyGoOn() {
        proposing().start();
        writer().start();
        plan.pieces.removeFirst().run();
        assertEquals(List.of("proposes"), done);
        plan.pieces.removeFirst().run();
        assertEquals(List.of("proposes", "written"), done);
        assertTrue(plan.letWaitingGoOn());
        assertEquals(List.of("proposes", "written", "has proposed"), done);
    }

    @Test
    public void joined_isLetGoOn() throws Exception {
        Worker proposing = proposing();
        proposing.start();
        plan.pieces.removeFirst().run();
        hasRoom = true;
        proposing.join();
        assertEquals(List.of("proposes", "has proposed"), done);
    }

    /** It wants a monitor that is held there, and would get it later. */
    @Test
    public void maintenanceIsDueWhileAPartWaitsForAnother_itBeginsBehindThat() {
        scheduler
                .worker("maintenance-1", () -> {
                    synchronized (monitor) {
                        done.add("maintained");
                    }
                    return Work.NEVER;
                })
                .start();
        writer().start();
        synchronized (monitor) {
            scheduler.await(monitor, "the log", () -> hasRoom);
        }
        assertEquals(List.of("written"), done);
        plan.pieces.removeFirst().run();
        assertEquals(List.of("written", "maintained"), done);
    }

    @Test
    public void nothingElseHelps_maintenanceBeginsInTheMiddle() {
        Worker proposing = proposing();
        hasRoom = true;
        proposing.start();
        scheduler.await(this, "what is proposed", () -> done.contains("has proposed"));
        assertEquals(List.of("proposes", "has proposed"), done);
    }
}
