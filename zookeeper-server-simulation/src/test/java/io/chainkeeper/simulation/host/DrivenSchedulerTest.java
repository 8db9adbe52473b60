package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/** Pieces of work are planned once, for the right reason, and who waits lets the others work. */
public class DrivenSchedulerTest {
    private record Planned(Part part, Reason reason, long nanos, Runnable piece) {}

    private final Deque<Planned> planned = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final DrivenScheduler scheduler = new DrivenScheduler(
            "replica 1",
            () -> 0,
            () -> 0,
            () -> 0,
            (part, reason, nanos, piece) -> planned.addLast(new Planned(part, reason, nanos, piece)));

    private void run(Part part, Reason reason) {
        Planned next = planned.removeFirst();
        assertEquals(part, next.part());
        assertEquals(reason, next.reason());
        next.piece().run();
    }

    @Test
    public void workerThatIsWokenTwice_worksOnce() {
        Worker worker = scheduler.worker("log-writer-1", () -> {
            done.add("piece");
            return Work.WHEN_WOKEN;
        });
        worker.wake();
        assertTrue("not started", planned.isEmpty());
        worker.start();
        worker.wake();
        run(Part.LOG_WRITER, Reason.WOKEN);
        assertEquals(List.of("piece"), done);
        assertTrue(planned.isEmpty());
        worker.wake();
        run(Part.LOG_WRITER, Reason.WOKEN);
        assertEquals(2, done.size());
    }

    @Test
    public void workerThatIsWokenBeforeItsTime_doesNotWorkAgainThen() {
        Worker worker = scheduler.worker("ordering-1", () -> {
            done.add("piece");
            return 100;
        });
        worker.start();
        run(Part.ORDER, Reason.WOKEN);
        assertTrue("only a time is planned", scheduler.isIdle(Part.ORDER));
        worker.wake();
        assertFalse(scheduler.isIdle(Part.ORDER));
        run(Part.ORDER, Reason.TIME);
        assertEquals("put off", 1, done.size());
        run(Part.ORDER, Reason.WOKEN);
        assertEquals(2, done.size());
        assertEquals(100, planned.getFirst().nanos());
    }

    @Test
    public void workerThatIsWokenWhileItWorks_worksAgain() {
        Worker[] worker = new Worker[1];
        worker[0] = scheduler.worker("executor-1", () -> {
            if (done.isEmpty()) {
                worker[0].wake();
            }
            done.add("piece");
            return Work.WHEN_WOKEN;
        });
        worker[0].start();
        run(Part.EXECUTION, Reason.WOKEN);
        run(Part.EXECUTION, Reason.WOKEN);
        assertEquals(2, done.size());
        assertTrue(planned.isEmpty());
    }

    @Test
    public void whoWaits_letsTheOthersWork() {
        Worker writer = scheduler.worker("log-writer-1", () -> {
            done.add("written");
            return done.size() < 3 ? Work.AT_ONCE : Work.WHEN_WOKEN;
        });
        writer.start();
        Worker order = scheduler.worker("ordering-1", () -> {
            scheduler.await(this, "the log", () -> done.size() == 3);
            done.add("ordered");
            return Work.NEVER;
        });
        order.start();
        scheduler.workNow(Part.ORDER);
        assertEquals(List.of("written", "written", "written", "ordered"), done);
    }

    @Test
    public void whoEndsALife_doesNotBeginWhileAPartWaitsInTheMiddle() {
        boolean[] snapshotEnded = new boolean[1];
        Worker main = scheduler.worker("peer-main-1", () -> {
            scheduler.await(this, "the snapshot", () -> snapshotEnded[0]);
            done.add("life ended");
            return Work.NEVER;
        });
        Worker writer = scheduler.worker("transaction-log-1", () -> {
            done.add("written");
            return Work.WHEN_WOKEN;
        });
        Worker snapshot = scheduler.worker("snapshot-1", () -> {
            scheduler.await(this, "the transaction log", () -> done.contains("written"));
            snapshotEnded[0] = true;
            done.add("snapshot");
            return Work.NEVER;
        });
        main.start();
        writer.start();
        snapshot.start();
        scheduler.workNow(Part.SNAPSHOT);
        scheduler.workNow(Part.MAIN);
        assertEquals(List.of("written", "snapshot", "life ended"), done);
    }

    @Test
    public void whoWaitsForOthers_letsEventsHappenUntilThen_alsoWhileItsMachineStandsStill() {
        int[] happened = new int[1];
        DrivenScheduler waiting =
                new DrivenScheduler("replica 2", () -> 0, () -> 0, () -> 0, new DrivenScheduler.Plan() {
                    @Override
                    public void plan(Part part, Reason reason, long nanos, Runnable piece) {
                        planned.addLast(new Planned(part, reason, nanos, piece));
                    }

                    @Override
                    public boolean isHeldUp(Part part, int disk) {
                        return happened[0] < 5;
                    }

                    @Override
                    public boolean othersGoOn() {
                        happened[0]++;
                        return true;
                    }
                });
        waiting.worker("ordering-2", () -> Work.NEVER).start();
        waiting.awaitOthers(this, "room", () -> happened[0] >= 3);
        assertEquals(5, happened[0]);
        assertEquals("its own parts work in their own time", 1, planned.size());
    }

    @Test
    public void whoWaitsForWhatNobodyDoes_isADefect() {
        InvariantViolated violated =
                assertThrows(InvariantViolated.class, () -> scheduler.await(this, "what never comes", () -> false));
        assertEquals("replica 1 waits for what never comes for ever: no part of it works", violated.getMessage());
    }

    @Test
    public void tasks_runInOrderAndNotWithinTheCall() throws Exception {
        TaskQueue tasks = scheduler.taskQueue("log-reader-1");
        tasks.execute(() -> done.add("one"));
        tasks.execute(() -> done.add("two"));
        assertTrue(done.isEmpty());
        run(Part.LOG_READER, Reason.WOKEN);
        assertEquals(List.of("one"), done);
        tasks.close();
        assertEquals(List.of("one", "two"), done);
    }

    /** Parts in between may take it for a failure of their own. */
    @Test
    public void replicaThatStops_isNotedThoughAPartCatchesIt() {
        IllegalStateException cause = new IllegalStateException("broken");
        Worker worker = scheduler.worker("ordering-1", () -> {
            try {
                scheduler.failed("stops", cause);
            } catch (IllegalStateException e) {
                done.add("caught");
            }
            return Work.WHEN_WOKEN;
        });
        worker.start();
        assertSame(
                cause,
                assertThrows(
                        IllegalStateException.class,
                        () -> planned.removeFirst().piece().run()));
        assertEquals(List.of("caught"), done);
    }

    /** Disks that hang until a moment has passed while somebody waits for one of them. */
    private static final class HangingPlan implements DrivenScheduler.Plan {
        private final Set<Integer> hanging = new TreeSet<>(Set.of(DrivenScheduler.OWN_DISK, 2));
        private final List<String> heldUp = new ArrayList<>();
        private final Deque<Runnable> pieces = new ArrayDeque<>();
        private final Deque<Runnable> heldPieces = new ArrayDeque<>();

        @Override
        public void plan(Part part, Reason reason, long nanos, Runnable piece) {
            pieces.addLast(piece);
        }

        @Override
        public boolean isHeldUp(Part part, int disk) {
            return part != Part.ORDER && hanging.contains(disk);
        }

        @Override
        public void whenAnswered(int disk, Runnable piece) {
            heldUp.add("disk " + disk);
            heldPieces.addLast(piece);
        }

        @Override
        public boolean meanwhile() {
            return hanging.remove(DrivenScheduler.OWN_DISK);
        }
    }

    @Test
    public void whoWaitsForADiskThatHangs_letsTimePass() {
        HangingPlan plan = new HangingPlan();
        DrivenScheduler hanging = new DrivenScheduler("replica 1", () -> 0, () -> 0, () -> 0, plan);
        List<String> seen = new ArrayList<>();
        hanging.worker("log-writer-1", () -> {
                    seen.add("written");
                    return Work.WHEN_WOKEN;
                })
                .start();
        plan.pieces.removeFirst().run();
        assertEquals("no piece of it while its disk hangs", List.of(), seen);
        assertEquals(List.of("disk " + DrivenScheduler.OWN_DISK), plan.heldUp);
        hanging.worker("ordering-1", () -> {
                    hanging.await(this, "the log", () -> !seen.isEmpty());
                    return Work.NEVER;
                })
                .start();
        plan.pieces.removeFirst().run();
        assertEquals(List.of("written"), seen);
        plan.heldPieces.removeFirst().run();
        assertEquals("done already", List.of("written"), seen);
    }

    @Test
    public void sharedDisks_hangOneByOne() {
        HangingPlan plan = new HangingPlan();
        DrivenScheduler hanging = new DrivenScheduler("replica 1", () -> 0, () -> 0, () -> 0, plan);
        for (int disk = 1; disk <= 3; disk++) {
            String name = "shared-disk-" + disk + "-of-1";
            hanging.worker(name, () -> {
                        done.add(name);
                        return Work.WHEN_WOKEN;
                    })
                    .start();
        }
        plan.pieces.forEach(Runnable::run);
        assertEquals(List.of("shared-disk-1-of-1", "shared-disk-3-of-1"), done);
        plan.hanging.clear();
        plan.heldPieces.removeFirst().run();
        assertEquals(3, done.size());
    }
}
