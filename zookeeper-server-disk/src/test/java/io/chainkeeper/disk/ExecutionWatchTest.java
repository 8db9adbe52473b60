package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;

import org.junit.Before;
import org.junit.Test;

/** Stories of servers that execute nothing, as their own disks hang, while the shared disks go on to decide. */
public final class ExecutionWatchTest {
    private static final int LONG = DiskEnsemble.LONG;

    /** As the settings of the ensemble say. */
    private static final int SUSPICION_TICKS = 40;

    private final DiskEnsemble two = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, 1);
    private int leader;
    private int other;

    @Before
    public void aLeaderIsThere() {
        two.startAll();
        leader = two.awaitLeader();
        other = 3 - leader;
        two.assertGoesOn(leader);
        two.node(leader).hasExecutedAll();
        two.node(other).hasExecutedAll();
    }

    private void runWhileTheOtherExecutes(int ticks) {
        for (int i = 0; i < ticks; i++) {
            if (two.node(other).isRunning()) {
                two.node(other).hasExecutedAll();
            }
            two.run(1);
        }
    }

    @Test
    public void leaderExecutesNothing_theOtherLeads() {
        two.node(leader).propose();
        runWhileTheOtherExecutes(SUSPICION_TICKS);
        assertEquals("a slow disk is none that hangs", leader, two.leader());
        runWhileTheOtherExecutes(4 * SUSPICION_TICKS);
        assertEquals(other, two.leader());
        two.node(other).propose();
        runWhileTheOtherExecutes(10 * LONG);
        assertEquals("for good", other, two.leader());
        assertEquals(0, two.node(other).gauge("commands_outstanding"));
    }

    @Test
    public void whoExecutesNothingIsAlone_itLeadsWhenItExecutesAgain() {
        two.node(leader).propose();
        runWhileTheOtherExecutes(5 * SUSPICION_TICKS);
        two.crash(other);
        two.run(5 * LONG);
        assertEquals(0, two.leader());
        two.node(leader).hasExecutedAll();
        two.run(LONG);
        assertEquals(leader, two.leader());
    }

    @Test
    public void leaderExecutesSlowly_itLeadsOn() {
        for (int i = 0; i < 20; i++) {
            two.node(leader).propose();
            runWhileTheOtherExecutes(2 * SUSPICION_TICKS - 2);
            two.node(leader).hasExecutedAll();
            assertEquals(leader, two.leader());
        }
    }

    @Test
    public void leaderHasNothingToExecute_itLeadsOn() {
        runWhileTheOtherExecutes(10 * LONG);
        assertEquals(leader, two.leader());
    }
}
