package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.After;
import org.junit.Test;

/** Execution in order, each command once, reads behind what they must see, and back-pressure on a slow application. */
public final class ApplyThreadTest {
    private static final long INCARNATION = 3;

    private final RecordingApplication application = new RecordingApplication();
    private final OwnCommands own = new OwnCommands(1, INCARNATION, 1, ReplicaLimits.DEFAULT, ThreadScheduler.INSTANCE);
    private final Failures failures = new Failures();
    private final ApplyThread applyThread =
            new ApplyThread(application, own, new PositionTimes(), () -> {}, failures, ThreadScheduler.INSTANCE);

    private static final class Write extends Proposal {
        Write(String text) {
            super(0, text(text));
        }
    }

    @After
    public void close() throws InterruptedException {
        application.executions.release(1_000_000);
        application.batchEnds.release(1_000_000);
        applyThread.close();
    }

    private static ByteSlice text(String text) {
        return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ProposedCommand command(int proposer, long sequence, String text) {
        return new ProposedCommand(proposer, INCARNATION, 0, sequence, text(text));
    }

    private void deliver(long position, ProposedCommand... commands) {
        ByteSlice value = BatchCodec.encode(List.of(commands));
        applyThread.deliver(position, value, PrefixHash.of(value));
        applyThread.wake();
    }

    private void awaitApplied(long position) {
        // The position counts as applied before the application is told so, by another thread than this one.
        Failures.await("position " + position, () -> application.events().contains(position + " applied"));
        assertEquals(position, applyThread.appliedPosition());
    }

    private void propose(long sequence, String text) {
        Write write = new Write(text);
        own.enter(write, inputs -> {});
        assertEquals(sequence, own.number(write).sequence());
    }

    @Test
    public void repeatsAndCommandsWithoutTheirPredecessor_areSkipped() {
        applyThread.start();
        deliver(1, command(2, 1, "a"), command(2, 1, "a"), command(2, 3, "c"));
        deliver(2);
        deliver(3, command(2, 1, "a"), command(2, 2, "b"), command(2, 3, "c"));
        awaitApplied(3);
        assertEquals(List.of("1 a", "1 applied", "2 applied", "3 b", "3 c", "3 applied"), application.events());
    }

    @Test
    public void ownCommands_comeWithTheirProposalAndReleaseTheirBytes() {
        applyThread.start();
        propose(1, "a");
        propose(2, "b");
        deliver(1, command(1, 2, "b"));
        awaitApplied(1);
        assertTrue("skipped for its gap, not lost", own.outstandingBytes() > 0);
        deliver(2, command(2, 1, "x"), command(1, 1, "a"), command(1, 2, "b"));
        awaitApplied(2);
        assertEquals(List.of("1 applied", "2 x", "2 a own", "2 b own", "2 applied"), application.events());
        assertEquals(0, own.outstandingBytes());
    }

    /** As after the loss of a disk, with a clock that was set back. */
    @Test
    public void ownCommandAfterThoseOfALaterIncarnation_isAnAlarmOnce() {
        applyThread.start();
        propose(1, "a");
        propose(2, "b");
        deliver(1, new ProposedCommand(1, INCARNATION + 7, 0, 1, text("former life")));
        awaitApplied(1);
        deliver(2, command(1, 1, "a"), command(1, 2, "b"), command(2, 1, "x"));
        awaitApplied(2);
        assertEquals(
                List.of("1 former life", "1 applied", "superseded by " + (INCARNATION + 7), "2 x", "2 applied"),
                application.events());
    }

    /** Others must see nothing in it: they drop the same command. */
    @Test
    public void commandOfAnotherReplicasEarlierIncarnation_isSkipped() {
        applyThread.start();
        deliver(1, new ProposedCommand(2, INCARNATION + 7, 0, 1, text("later")), command(2, 1, "earlier"));
        awaitApplied(1);
        assertEquals(List.of("1 later", "1 applied"), application.events());
    }

    @Test
    public void barrier_isReachedAfterWhatWasDeliveredBefore() {
        application.executions.drainPermits();
        applyThread.start();
        deliver(1, command(2, 1, "a"));
        applyThread.barrier(List.of(() -> application.record("read"), () -> application.record("read")));
        deliver(2, command(2, 2, "b"));
        applyThread.wake();
        application.executions.release(2);
        awaitApplied(2);
        assertEquals(List.of("1 a", "1 applied", "read", "read", "2 b", "2 applied"), application.events());
    }

    @Test
    public void barrierWithNothingToApply_wakesTheThread() {
        applyThread.start();
        applyThread.barrier(List.of(() -> application.record("read")));
        applyThread.wake();
        Failures.await("the read", () -> application.events().equals(List.of("read")));
    }

    @Test
    public void slowApplication_backlogMakesTheHostWait() throws Exception {
        application.executions.drainPermits();
        applyThread.start();
        List<ProposedCommand> commands = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            commands.add(command(2, i, "w" + i));
            deliver(i, commands.get(i - 1));
        }
        Thread host = new Thread(() -> applyThread.awaitRoom(500), "host");
        host.start();
        Failures.awaitBlocked(host);
        assertTrue(applyThread.backlogBytes() > 500);
        application.executions.release(20);
        Failures.join(host);
        awaitApplied(20);
        Failures.await("an empty backlog", () -> applyThread.backlogBytes() == 0);
    }

    /** P8 and a dead-lock: a host that waits for room must hear that there will be none. */
    @Test
    public void applicationThrowsWhileTheHostWaits_hostIsTold() throws Exception {
        application.executions.drainPermits();
        applyThread.start();
        deliver(1, command(2, 1, RecordingApplication.POISON));
        deliver(2, command(2, 2, "b"));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread host = new Thread(() -> applyThread.awaitRoom(1), "host");
        host.setUncaughtExceptionHandler((thread, e) -> thrown.set(e));
        host.start();
        Failures.awaitBlocked(host);
        application.executions.release(1);
        assertTrue(failures.await().contains("poisoned"));
        Failures.join(host);
        assertTrue(thrown.get() instanceof PartStoppedException);
        assertEquals("nothing is executed after it", List.of("failed"), application.events());
        assertEquals(0, applyThread.appliedPosition());
    }

    @Test
    public void positionSkipped_stopsTheReplica() throws Exception {
        applyThread.start();
        deliver(2, command(2, 1, "a"));
        assertTrue(failures.await().contains("position 2 delivered after 0"));
    }

    @Test
    public void valueThatDoesNotDecode_stopsTheReplica() throws Exception {
        applyThread.start();
        applyThread.deliver(1, ByteSlice.of(new byte[] {0, 0, 0, 9}), PrefixHash.EMPTY);
        applyThread.wake();
        assertTrue(failures.await().contains("claims 9 commands"));
    }

    /** What was applied may wait for the disk until its batch has ended. */
    @Test
    public void howFarExecutionIs_isToldOnceAndWithoutTheBatchThatHasNotEnded() {
        List<Long> told = new ArrayList<>();
        applyThread.tellExecuted(told::add);
        applyThread.tellExecuted(told::add);
        assertEquals(List.of(0L), told);
        application.batchEnds.drainPermits();
        deliver(1, command(2, 1, "a"));
        deliver(2, command(2, 2, "b"));
        deliver(3, command(2, 3, "c"));
        applyThread.start();
        awaitApplied(3);
        applyThread.tellExecuted(told::add);
        assertEquals(List.of(0L, 2L), told);
        application.batchEnds.release();
        Failures.await("the end of the batch", () -> {
            applyThread.tellExecuted(told::add);
            return told.size() > 2;
        });
        assertEquals(List.of(0L, 2L, 3L), told);
    }

    @Test
    public void closed_executesWhatWasDelivered() throws Exception {
        deliver(1, command(2, 1, "a"));
        deliver(2, command(2, 2, "b"));
        applyThread.start();
        applyThread.close();
        assertEquals(2, applyThread.appliedPosition());
    }
}
