package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.Map;
import org.junit.Test;

/** A replica that is going to stop leaves nothing behind that others would have to finish. */
public final class IssLeavingTest {
    /** Far fewer than a leader may be silent. */
    private static final int SOON_TICKS = 5;

    private static int coordinator(IssEnsemble ensemble) {
        return ensemble.members().stream()
                .filter(id -> ensemble.node(id).isRunning())
                .filter(id -> ensemble.node(id).protocol().status().role() == Role.LEADER)
                .findFirst()
                .orElseThrow();
    }

    @Test
    public void coordinatorThatLeaves_coordinatesNoLonger_andItsStopIsNotNoticed() {
        for (String policy : new String[] {"backoff", "all", "single"}) {
            IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.leaderPolicy", policy), new SafetyRules());
            ensemble.ticks(SOON_TICKS);
            int former = coordinator(ensemble);
            ensemble.propose(former, "before");
            ensemble.node(former).input(p -> p.onLeave());
            ensemble.ticks(SOON_TICKS);
            int next = coordinator(ensemble);
            assertNotEquals(policy, former, next);
            ensemble.propose(former, "behind");
            ensemble.ticks(SOON_TICKS);
            assertTrue(policy, ensemble.commandsAt(next).contains("behind"));
            ensemble.crash(former);
            ensemble.propose(next, "without");
            ensemble.ticks(SOON_TICKS);
            assertTrue(policy, ensemble.commandsAt(next).contains("without"));
        }
    }

    @Test
    public void otherLeaderThatLeaves_itsStopIsNotNoticed() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.ticks(SOON_TICKS);
        int coordinator = coordinator(ensemble);
        int leaving = 1 + coordinator % 3;
        ensemble.propose(leaving, "before");
        ensemble.node(leaving).input(p -> p.onLeave());
        ensemble.ticks(SOON_TICKS);
        ensemble.crash(leaving);
        ensemble.propose(coordinator, "a");
        ensemble.ticks(SOON_TICKS);
        assertTrue(ensemble.commandsAt(coordinator).contains("a"));
        assertEquals(coordinator, coordinator(ensemble));
    }

    /** Otherwise the two would pass it to and fro, and propose nothing meanwhile. */
    @Test
    public void coordinatorAndAnotherLeave_theThirdCoordinates() {
        for (String policy : new String[] {"backoff", "all", "single"}) {
            for (int offset = 0; offset < 2; offset++) {
                IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.leaderPolicy", policy), new SafetyRules());
                ensemble.ticks(SOON_TICKS);
                int former = coordinator(ensemble);
                int second = 1 + (former + offset) % 3;
                int third = 1 + (former + 1 - offset) % 3;
                ensemble.node(second).input(p -> p.onLeave());
                ensemble.node(former).input(p -> p.onLeave());
                for (int tick = 0; tick < SOON_TICKS; tick++) {
                    ensemble.propose(former, "by " + former + " at " + tick);
                    ensemble.ticks(1);
                }
                assertEquals(policy, third, coordinator(ensemble));
                ensemble.propose(former, "behind");
                ensemble.ticks(SOON_TICKS);
                assertTrue(policy, ensemble.commandsAt(third).contains("behind"));
            }
        }
    }

    @Test
    public void leaderThatIsAlone_goesOn() {
        IssEnsemble ensemble = IssEnsemble.of(1);
        ensemble.node(1).input(p -> p.onLeave());
        ensemble.propose(1, "a");
        ensemble.ticks(SOON_TICKS);
        assertTrue(ensemble.commandsAt(1).contains("a"));
    }
}
