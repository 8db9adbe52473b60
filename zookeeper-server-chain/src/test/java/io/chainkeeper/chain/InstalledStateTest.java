package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.Truncated;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What a replica had accepted below a state that it got from another one was perhaps never decided. */
public final class InstalledStateTest {
    private static final int SOME_TIME_TICKS = 100;
    private static final List<Integer> MAJORITY = List.of(1, 2, 5);

    private final ScriptedEnsemble ensemble = new ScriptedEnsemble(5, Map.of("chain.windowInstances", "1"));

    /** The position at which replica 3 has accepted what the others have not. */
    private long split;

    /**
     * Replica 3 leads, is cut off with replica 4, and accepts a value that reaches nobody. The majority decides
     * another one there, and goes on until that is no longer in memory.
     */
    private void splitAfterReplica3Led() {
        for (int id = 1; id <= 5; id++) {
            ensemble.start(id);
        }
        for (int i = 0; !ensemble.replica(3).leads(); i++) {
            assertTrue("replica 3 does not lead", i < SOME_TIME_TICKS);
            ensemble.replica(3).tick();
            ensemble.settle();
        }
        ensemble.replica(3).propose("before");
        ensemble.run(20);
        split = ensemble.replica(4).delivered.size() + 1;
        for (int other : MAJORITY) {
            ensemble.cut(3, other);
            ensemble.cut(4, other);
        }
        ensemble.cut(3, 4);
        ensemble.replica(3).propose("minority");
        ensemble.replica(3).sync();
        ensemble.runUntil("a leader of the majority", SOME_TIME_TICKS, () -> leaderOfMajority() != 0);
        for (int i = 0; i < 40; i++) {
            ensemble.replica(leaderOfMajority()).propose("majority " + i);
            ensemble.run(1);
        }
    }

    private int leaderOfMajority() {
        for (int id : MAJORITY) {
            if (ensemble.replica(id).leads()) {
                return id;
            }
        }
        return 0;
    }

    /** Replica 3 gets the majority's state, reaches all again, and starts so often; replica 4 reaches only it. */
    private void healThrough3(long installedPosition, int starts) {
        ensemble.installState(3, leaderOfMajority(), installedPosition);
        for (int i = 1; i < starts; i++) {
            ensemble.run(SOME_TIME_TICKS);
            ensemble.crash(3);
            ensemble.start(3, installedPosition);
        }
        MAJORITY.forEach(id -> ensemble.heal(3, id));
        ensemble.run(5);
        ensemble.sent.clear();
        ensemble.heal(3, 4);
        ensemble.run(SOME_TIME_TICKS);
    }

    private void assertNothingOfTheMinorityIsKnown(long installed, int starts) {
        healThrough3(installed, starts);
        assertTrue("3 does not say that it lacks this", ensemble.wasSent(3, 4, m -> m instanceof Truncated));
        assertTrue(
                "3 feeds what it lacks",
                ensemble.sent.stream()
                        .filter(s -> s.from() == 3 && s.to() == 4 && s.message() instanceof Accept)
                        .allMatch(s -> ((Accept) s.message()).instance() > installed));
        assertEquals(split - 1, ensemble.replica(4).delivered.size());
        MAJORITY.forEach(id -> ensemble.heal(4, id));
        ensemble.run(3 * SOME_TIME_TICKS);
        ensemble.replica(4).propose("after");
        ensemble.run(20);
        assertEquals(ensemble.replica(1).executed, ensemble.replica(4).executed);
        assertTrue(ensemble.replica(4).executed.contains("after"));
        assertNotEquals(0, leaderOfMajority());
    }

    @Test
    public void acceptedBelowTheInstalledState_isNotFed() {
        splitAfterReplica3Led();
        assertNothingOfTheMinorityIsKnown(split + 19, 1);
    }

    @Test
    public void acceptedBelowTheInstalledState_isNotFedAfterFurtherStarts() {
        splitAfterReplica3Led();
        assertNothingOfTheMinorityIsKnown(split + 19, 3);
    }

    /** It is also in memory, among the latest values of the log. */
    @Test
    public void acceptedAtTheInstalledPosition_isNotFed() {
        splitAfterReplica3Led();
        assertNothingOfTheMinorityIsKnown(split, 1);
    }
}
