package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

/** A start from a checkpoint before a hole in the log, because the newer one is gone that an earlier start had. */
public final class HoleInTheLogTest {
    private static final int SOME_TIME_TICKS = 100;
    private static final int JOINER = 4;

    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private int leader;
    private int middle;
    private int tail;

    /** The log of the chain's last replica lacks position 2; it has the checkpoint of position 1 only. */
    @Before
    public void leaveAHole() {
        leader = ensemble.awaitLeader();
        middle = ensemble.behindLeader(leader, 1);
        tail = ensemble.behindLeader(leader, 2);
        propose("a");
        ensemble.holdDisk(tail);
        propose("b");
        ensemble.crash(tail);
        ensemble.releaseDisk(tail);
        ensemble.start(tail, 2);
        propose("c");
        propose("d");
        assertNull(ensemble.log(tail).at(2));
        assertTrue(ensemble.log(tail).at(3) != null);
        ensemble.crash(tail);
    }

    private void propose(String text) {
        ensemble.replica(leader).propose(text);
        ensemble.run(20);
    }

    private void assertCaughtUp() {
        ensemble.replica(tail).propose("last");
        ensemble.run(SOME_TIME_TICKS);
        assertTrue(ensemble.replica(tail).executed.contains("last"));
        assertTrue(ensemble.replica(leader).executed.contains("last"));
    }

    @Test
    public void othersKnow_theirStateIsAskedForAndThenItTakesPart() {
        ensemble.start(tail, 1);
        ensemble.run(SOME_TIME_TICKS);
        assertFalse(ensemble.replica(tail).needsState().isEmpty());
        long needed = ensemble.replica(tail).needsState().get(0);
        assertTrue("beyond what the log knows: " + needed, needed > 3);
        assertEquals(0, ensemble.replica(tail).delivered.size());
        propose("e");
        ensemble.installState(tail, leader, ensemble.replica(leader).delivered.size());
        assertCaughtUp();
    }

    /** It is fed by nobody meanwhile, and so hears the leader by asking who leads only. */
    @Test
    public void stateDoesNotArrive_isAskedForAgain() {
        ensemble.start(tail, 1);
        ensemble.run(10 * SOME_TIME_TICKS);
        ensemble.replica(tail).needsState().clear();
        ensemble.run(SOME_TIME_TICKS);
        assertFalse(ensemble.replica(tail).needsState().isEmpty());
        assertTrue(ensemble.replica(leader).leads());
    }

    /** Those that it knows as members follow the leader, and tell nobody who that is. */
    @Test
    public void leaderIsNoMemberAsFarAsItKnows_stateIsAskedForAgain() {
        ensemble.configure(Ensemble.of(List.of(1, 2, 3, JOINER)));
        ensemble.start(JOINER);
        ensemble.run(SOME_TIME_TICKS);
        while (leader != JOINER) {
            ensemble.replica(leader).input(p -> p.onLeave());
            ensemble.run(SOME_TIME_TICKS);
            leader = ensemble.awaitLeader();
        }
        ensemble.start(tail, 1);
        ensemble.run(10 * SOME_TIME_TICKS);
        ensemble.replica(tail).needsState().clear();
        ensemble.run(SOME_TIME_TICKS);
        assertFalse(ensemble.replica(tail).needsState().isEmpty());
        ensemble.installState(tail, leader, ensemble.replica(leader).delivered.size());
        assertCaughtUp();
    }

    @Test
    public void itsVoteIsNeeded_leaderIsElectedAndItsStateAskedFor() {
        ensemble.crash(leader);
        ensemble.start(tail, 1);
        ensemble.runUntil(
                "a leader", 5 * SOME_TIME_TICKS, () -> ensemble.replica(middle).leads());
        ensemble.run(SOME_TIME_TICKS);
        assertFalse(ensemble.replica(tail).leads());
        assertFalse(ensemble.replica(tail).needsState().isEmpty());
        ensemble.replica(middle).propose("e");
        ensemble.run(SOME_TIME_TICKS);
        assertFalse("decided by one of three", ensemble.replica(middle).executed.contains("e"));
        ensemble.installState(tail, middle, ensemble.replica(middle).delivered.size());
        ensemble.run(SOME_TIME_TICKS);
        leader = middle;
        assertCaughtUp();
        assertTrue(ensemble.replica(middle).executed.contains("e"));
    }

    @Test
    public void nobodyElseIsLeftToTell_startIsRefused() {
        ensemble.crash(leader);
        ensemble.crash(middle);
        InvariantViolated refusal = assertThrows(InvariantViolated.class, () -> ensemble.startAsSoleSurvivor(tail));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("there is no other replica"));
    }
}
