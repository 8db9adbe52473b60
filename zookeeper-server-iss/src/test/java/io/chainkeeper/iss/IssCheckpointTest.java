package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.util.List;
import org.junit.Test;

/**
 * Checkpoints that are ahead of the log, because what initial leaders leave empty is delivered before it is recorded,
 * and starts from older ones, because the newest has been damaged.
 */
public final class IssCheckpointTest {
    private static final int SOME_TIME_TICKS = 200;
    private static final int MANY_COMMANDS = 1000;

    /**
     * Replicas 1 and 2 leave positions 1 and 2 empty, replica 3 proposes in position 3; these replicas have executed
     * all that, but crash before the first two are in their logs.
     */
    private static void crashWithCheckpointAheadOfLog(IssEnsemble ensemble, List<Integer> replicas) {
        ensemble.propose(3, "a");
        ensemble.settle();
        for (int id : replicas) {
            ensemble.node(id).checkpointAt(3);
            ensemble.crash(id);
            assertLogLacksPositions(ensemble, id);
        }
        replicas.forEach(ensemble::start);
        ensemble.ticks(1);
    }

    private static void assertLogLacksPositions(IssEnsemble ensemble, int id) {
        assertFalse("the log of " + id + " holds position 1", ensemble.node(id).logHolds(1));
        assertFalse("the log of " + id + " holds position 2", ensemble.node(id).logHolds(2));
        assertTrue("the log of " + id + " lacks position 3", ensemble.node(id).logHolds(3));
    }

    private static void goOnToEpoch(IssEnsemble ensemble, int epoch) {
        for (int i = 0; ensemble.node(1).gauge("epoch") < epoch; i++) {
            assertTrue("epochs do not follow one another", i < MANY_COMMANDS);
            ensemble.propose(3, "c" + i);
            ensemble.ticks(1);
        }
    }

    /** Replica 1 is down, and what it has executed is lost. */
    private static void loseCheckpoint(IssEnsemble ensemble) {
        ensemble.crash(1);
        assertLogLacksPositions(ensemble, 1);
        ensemble.node(1).checkpointAt(0);
    }

    private static void assertCaughtUpAndVotes(IssEnsemble ensemble) {
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(ensemble.node(3).delivered(), ensemble.node(1).delivered());
        ensemble.crash(2);
        ensemble.propose(1, "last");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(1).contains("last"));
        assertTrue(ensemble.commandsAt(3).contains("last"));
    }

    @Test
    public void checkpointIsLostInItsEpoch_othersTellWhatTheLogLacks() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        crashWithCheckpointAheadOfLog(ensemble, List.of(1));
        ensemble.propose(3, "b");
        ensemble.settle();
        assertEquals(1, ensemble.node(1).gauge("epoch"));
        loseCheckpoint(ensemble);
        ensemble.start(1);
        assertCaughtUpAndVotes(ensemble);
    }

    @Test
    public void checkpointIsLostEpochsLater_othersTellWhatTheLogLacks() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        crashWithCheckpointAheadOfLog(ensemble, List.of(1));
        goOnToEpoch(ensemble, 3);
        loseCheckpoint(ensemble);
        ensemble.start(1);
        assertCaughtUpAndVotes(ensemble);
    }

    @Test
    public void othersLogsLackItToo_theirStateIsAskedFor() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        crashWithCheckpointAheadOfLog(ensemble, ensemble.members());
        ensemble.propose(3, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        loseCheckpoint(ensemble);
        ensemble.start(1);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(1, ensemble.node(1).stateNeededAt());
        ensemble.crash(1);
        ensemble.node(1).installStateOf(ensemble.node(2));
        ensemble.start(1);
        assertCaughtUpAndVotes(ensemble);
        assertTrue(ensemble.commandsAt(1).containsAll(List.of("a", "b")));
    }

    /** A replica has promised and accepted in the epoch that its log ends in; in an epoch before it must not vote. */
    @Test
    public void valuesBeforeTheLogsEpochAreLacking_replicaVotesInNoEpochBeforeIt() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        crashWithCheckpointAheadOfLog(ensemble, List.of(1));
        goOnToEpoch(ensemble, 3);
        loseCheckpoint(ensemble);
        ensemble.crash(2);
        ensemble.crash(3);
        ensemble.start(1);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(0, ensemble.node(1).gauge("is_voter"));
        assertEquals(List.of(), ensemble.node(1).delivered());
        ensemble.start(2);
        ensemble.start(3);
        assertCaughtUpAndVotes(ensemble);
        assertEquals(1, ensemble.node(1).gauge("is_voter"));
    }

    @Test
    public void nobodyElseIsLeftToTell_startIsRefused() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        crashWithCheckpointAheadOfLog(ensemble, List.of(1));
        ensemble.propose(3, "b");
        ensemble.settle();
        loseCheckpoint(ensemble);
        ensemble.crash(2);
        ensemble.crash(3);
        InvariantViolated refusal = assertThrows(InvariantViolated.class, () -> ensemble.start(1, Start.SOLE_SURVIVOR));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("holds values only up to 0"));
    }

    /**
     * Only 1 and 2 have the second epoch's configuration on disk when 1 leaves its first position empty. That 2 finds
     * this in its log when it starts again shows nothing about the others.
     */
    @Test
    public void restartInAnEpochThatNoQuorumHolds_lastPositionBeforeItIsNotExecuted() {
        IssEnsemble ensemble = IssEnsemble.of(5);
        List.of(3, 4, 5).forEach(id -> ensemble.node(id).holdDiskFromNextEpoch());
        for (int i = 0; ensemble.node(2).gauge("epoch") < 2; i++) {
            assertTrue("the epoch does not end", i < MANY_COMMANDS);
            ensemble.propose(5, "c" + i);
            ensemble.settle();
        }
        ensemble.propose(2, "a");
        ensemble.ticks(10);
        int executed = ensemble.node(2).delivered().size();
        assertEquals(
                "waits for the epoch to be held", executed + 2, ensemble.node(2).gauge("max_decided"));
        ensemble.crash(2);
        ensemble.lose(e -> e.from() == 2 || e.to() == 2);
        ensemble.start(2);
        ensemble.ticks(10);
        assertEquals("recovered", executed + 2, ensemble.node(2).gauge("max_decided"));
        assertEquals(executed, ensemble.node(2).delivered().size());
        List.of(3, 4, 5).forEach(id -> ensemble.node(id).holdDisk(false));
        ensemble.lose(e -> false);
        List.of(1, 3, 4, 5).forEach(id -> ensemble.relink(2, id));
        ensemble.propose(2, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(2).contains("b"));
        assertEquals(ensemble.node(1).delivered(), ensemble.node(2).delivered());
    }
}
