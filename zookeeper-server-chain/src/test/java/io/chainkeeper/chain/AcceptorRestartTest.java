package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.Refused;
import java.util.List;
import org.junit.Test;

/** What a replica may forget and what it must not: crashes that lose everything that was not synced. */
public final class AcceptorRestartTest {
    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private final int leader = ensemble.awaitLeader();
    private final int middle = ensemble.behindLeader(leader, 1);
    private final int tail = ensemble.behindLeader(leader, 2);

    /** C1, P5: a promise outlives a crash, so an older ballot is refused afterwards. */
    @Test
    public void acceptorRestartsFromSyncedDisk_keepsPromise() {
        ensemble.isolate(leader);
        ensemble.runUntil(
                "another leader",
                200,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        int next = ensemble.replica(middle).leads() ? middle : tail;
        int follower = next == middle ? tail : middle;
        ensemble.crash(next);
        ensemble.restart(follower);
        ensemble.sent.clear();
        ensemble.heal(leader, follower);
        ensemble.settle();
        assertTrue(ensemble.wasSent(follower, leader, m -> m instanceof Refused));
        assertFalse("the deposed leader goes on", ensemble.replica(leader).leads());
    }

    /** C1: an accepted value outlives a crash and is what a later leader proposes. */
    @Test
    public void acceptorRestartsFromSyncedDisk_keepsValue() {
        ensemble.stall(leader, tail);
        ensemble.stall(middle, leader);
        ensemble.stall(middle, tail);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertEquals("decided too early", List.of(), ensemble.replica(leader).executed);
        ensemble.crash(leader);
        ensemble.unstall(middle, tail);
        ensemble.restart(middle);
        ensemble.awaitLeader();
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(middle).executed);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
    }

    /** A value whose record was not synced is gone, and the replica never said that it has it. */
    @Test
    public void acceptorCrashesBeforeSync_hadNotAcknowledged() {
        ensemble.holdDisk(middle);
        ensemble.holdDisk(tail);
        ensemble.replica(leader).propose("a");
        ensemble.run(3);
        assertEquals("one durable acceptance of three decides nothing", List.of(), ensemble.replica(leader).executed);
        ensemble.crash(middle);
        ensemble.crash(tail);
        assertNull(ensemble.log(middle).at(1));
        assertNull(ensemble.log(tail).at(1));
    }

    /** The predecessor forwards before its own sync; if it crashes then, the value does not count as accepted there. */
    @Test
    public void predecessorCrashesAfterForwardBeforeSync_valueNotCountedAsAccepted() {
        ensemble.holdDisk(middle);
        ensemble.holdDisk(leader);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertTrue("the value went on to the tail", ensemble.log(tail).at(1) != null);
        for (int id : List.of(leader, middle, tail)) {
            assertEquals("decided at " + id, List.of(), ensemble.replica(id).executed);
        }
        ensemble.crash(middle);
        ensemble.releaseDisk(middle);
        ensemble.start(middle);
        ensemble.run(3);
        assertEquals("the restarted one has accepted it again", List.of("a"), ensemble.replica(tail).executed);
        assertTrue(ensemble.log(middle).at(1) != null);
    }

    /** In one ballot a restarted member still counts for what it had accepted. */
    @Test
    public void followerRestartsWithinBallot_keepsItsAcknowledgement() {
        ensemble.stall(tail, leader);
        ensemble.stall(middle, leader);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.unstall(tail, leader);
        ensemble.restart(tail);
        ensemble.crash(middle);
        ensemble.sent.clear();
        ensemble.runUntil(
                "the decision", 20, () -> ensemble.replica(leader).executed.equals(List.of("a")));
        assertTrue(ensemble.replica(leader).leads());
        assertFalse("it has the value already", ensemble.wasSent(leader, tail, m -> m instanceof Accept));
    }

    /** C1: nothing decided is lost when all crash at once. */
    @Test
    public void allReplicasCrash_decidedValuesSurvive() {
        for (int i = 0; i < 20; i++) {
            ensemble.replica(1 + i % 3).propose("w" + i);
            ensemble.settle();
        }
        List<String> before = List.copyOf(ensemble.replica(leader).executed);
        assertEquals(20, before.size());
        for (int id = 1; id <= 3; id++) {
            ensemble.crash(id);
        }
        for (int id = 1; id <= 3; id++) {
            ensemble.start(id);
        }
        ensemble.awaitLeader();
        ensemble.run(10);
        for (int id = 1; id <= 3; id++) {
            assertEquals(before, ensemble.replica(id).executed);
        }
    }

    /** P5: nobody hears of a ballot whose promise is not durable at the candidate, so none is ever used twice. */
    @Test
    public void candidateCrashesBeforeItsPromiseIsDurable_ballotWasNotUsed() {
        ensemble.crash(leader);
        ensemble.holdDisk(middle);
        ensemble.holdDisk(tail);
        ensemble.sent.clear();
        ensemble.run(100);
        assertFalse(ensemble.sent.stream().anyMatch(s -> s.message() instanceof Prepare));
        ensemble.releaseDisk(middle);
        ensemble.run(60);
        assertFalse(
                "the promise of " + tail + " is not durable",
                ensemble.wasSent(tail, middle, m -> m instanceof PrepareOk));
        ensemble.releaseDisk(tail);
        ensemble.awaitLeader();
    }

    /**
     * A replica executes what others made durable, its checkpoint covers it, and it crashes before its own record of it
     * is durable. What its log then holds at that instance, of an older ballot, must not pass for the decided value.
     */
    @Test
    public void checkpointAheadOfLogWithOldValue_oldValueIsNotFedAsDecided() {
        ensemble.isolate(leader);
        ensemble.replica(leader).propose("stale");
        ensemble.replica(leader).sync();
        ensemble.runUntil(
                "another leader",
                200,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        int next = ensemble.replica(middle).leads() ? middle : tail;
        int follower = next == middle ? tail : middle;
        // The follower accepts and acknowledges, but does not hear of the decision.
        ensemble.replica(next).propose("decided");
        while (ensemble.replica(next).executed.isEmpty()) {
            ensemble.replica(next).sync();
            ensemble.deliver(next, follower);
            ensemble.replica(follower).sync();
            ensemble.deliver(follower, next);
        }
        assertEquals(List.of(), ensemble.replica(follower).executed);
        ensemble.crash(follower);

        ensemble.holdDisk(leader);
        ensemble.heal(leader, next);
        ensemble.run(30);
        long checkpoint = ensemble.replica(leader).delivered.size();
        ensemble.crash(leader);
        ensemble.crash(next);
        ensemble.releaseDisk(leader);

        ensemble.start(leader, checkpoint);
        ensemble.start(follower);
        ensemble.heal(leader, follower);
        for (int i = 0; i < 200 && !ensemble.replica(leader).leads(); i++) {
            ensemble.replica(leader).tick();
            ensemble.settle();
        }
        ensemble.run(30);
        assertEquals("decided", ensemble.replica(follower).executed.get(0));
    }

    /** A checkpoint ahead of the log leaves a hole in it, which later starts step over. */
    @Test
    public void checkpointAheadOfLog_laterStartsSkipTheHole() {
        ensemble.replica(leader).propose("a");
        ensemble.run(5);
        ensemble.holdDisk(tail);
        ensemble.replica(leader).propose("b");
        ensemble.run(5);
        assertEquals(List.of("a", "b"), ensemble.replica(tail).executed);
        ensemble.crash(tail);
        ensemble.releaseDisk(tail);
        ensemble.start(tail, 2);
        ensemble.replica(leader).propose("c");
        ensemble.run(20);
        assertNull(ensemble.log(tail).at(2));
        assertTrue(ensemble.log(tail).at(3) != null);
        ensemble.crash(tail);
        ensemble.start(tail, 2);
        ensemble.replica(leader).propose("d");
        ensemble.run(20);
        assertEquals(
                List.of(3L, 4L), List.copyOf(ensemble.replica(tail).delivered.keySet()));
    }

    /** A replica that lacks what one member no longer has asks the others before it gives up. */
    @Test
    public void predecessorLacksOldValues_successorTurnsToTheLeader() {
        ensemble.run(50);
        ensemble.crash(tail);
        ensemble.holdDisk(middle);
        ensemble.stall(middle, leader);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.releaseDisk(middle);
        ensemble.unstall(middle, leader);
        ensemble.run(20);
        ensemble.crash(middle);
        ensemble.log(middle).truncate(1_000);
        ensemble.start(middle, 1);
        ensemble.run(20);
        ensemble.start(tail);
        ensemble.run(60);
        assertEquals(List.of(), ensemble.replica(tail).needsState());
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
    }
}
