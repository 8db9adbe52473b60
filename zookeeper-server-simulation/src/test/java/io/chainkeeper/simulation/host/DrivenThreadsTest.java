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

    private void propose() {
        Coroutine.run(() -> {
            done.add("proposes");
            synchronized (monitor) {
                scheduler.awaitOthers(monitor, "room", () -> hasRoom);
            }
            done.add("has proposed");
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
        propose();
        writer().start();
        assertEquals(List.of("proposes"), done);
        plan.pieces.removeFirst().run();
        assertEquals(List.of("proposes", "written"), done);
        assertTrue(plan.letWaitingGoOn());
        assertEquals(List.of("proposes", "written", "has proposed"), done);
    }

    @Test
    public void awaitedByAnother_isLetGoOn() {
        propose();
        hasRoom = true;
        scheduler.await(this, "what is proposed", () -> done.contains("has proposed"));
        assertEquals(List.of("proposes", "has proposed"), done);
    }
}
