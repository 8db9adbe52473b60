package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The user has given up all members but one. */
public final class SoleSurvivorTest {
    private static final int WINDOW_INSTANCES = 2;

    @Test
    public void windowFullOfUndecidedValues_orderSaysWhoIsLeftAllTheSame() {
        ScriptedEnsemble ensemble =
                ScriptedEnsemble.started(3, Map.of("chain.windowInstances", Integer.toString(WINDOW_INSTANCES)));
        int survivor = ensemble.awaitLeader();
        ensemble.isolate(survivor);
        for (int i = 0; i < WINDOW_INSTANCES; i++) {
            ensemble.replica(survivor).propose("accepted here only " + i);
        }
        ensemble.settle();
        for (int id = 1; id <= 3; id++) {
            ensemble.crash(id);
        }
        ensemble.startAsSoleSurvivor(survivor);
        ensemble.awaitLeader();
        ensemble.run(2);
        assertEquals(
                "what it had accepted",
                WINDOW_INSTANCES,
                ensemble.replica(survivor).executed.size());
        assertEquals(
                "members according to the order",
                List.of(survivor),
                ensemble.replica(survivor).membership.replicaIds());

        ensemble.restart(survivor);
        ensemble.awaitLeader();
        assertTrue("it needs nobody", ensemble.replica(survivor).leads());
    }
}
