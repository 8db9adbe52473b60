package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The user has given up all members but one. */
public final class SoleSurvivorTest {
    private static final int WINDOW_INSTANCES = 2;
    private static final int LONG_TICKS = 400;

    /** More than it takes until the order says who is left. */
    private static final int STEPS_OF_A_FORCED_START = 12;

    /** Cuts 1 off, and returns which of 2 and 3 leads then. */
    private static int leaderWithoutFirst(ScriptedEnsemble ensemble) {
        ensemble.isolate(1);
        ensemble.runUntil(
                "another one leads",
                LONG_TICKS,
                () -> ensemble.replica(2).leads() || ensemble.replica(3).leads());
        return ensemble.replica(2).leads() ? 2 : 3;
    }

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

    /** Server 1 is the only one that has kept its disk. */
    private static ScriptedEnsemble othersAreLost() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        ensemble.replica(1).propose("before");
        ensemble.run(5);
        ensemble.crash(1);
        ensemble.loseDisk(2);
        ensemble.loseDisk(3);
        return ensemble;
    }

    private static boolean hasExecuted(ScriptedEnsemble ensemble, int id, List<Integer> members) {
        ScriptedReplica replica = ensemble.replica(id);
        return replica.membership != null && replica.membership.replicaIds().equals(members);
    }

    /** Another one learns what is decided: what it has executed must not become anything else, void for instance. */
    @Test
    public void forcedStartCrashesAnywhere_theNextGoesOnFromWhatItHas() {
        for (int steps = 0; steps < STEPS_OF_A_FORCED_START; steps++) {
            ScriptedEnsemble ensemble = othersAreLost();
            ensemble.startAsSoleSurvivor(1);
            ensemble.start(2);
            for (int i = 0; i < steps; i++) {
                ensemble.steps(1);
                ensemble.tickAll();
            }
            ensemble.crash(1);
            ensemble.startAsSoleSurvivor(1);
            ensemble.runUntil("the order says who is left", LONG_TICKS, () -> hasExecuted(ensemble, 1, List.of(1)));
            ensemble.replica(1).propose("behind it");
            ensemble.run(2);
            ensemble.restart(1);
            ensemble.replica(2).propose("of another");
            ensemble.runUntil("it goes on", LONG_TICKS, () -> hasExecuted(ensemble, 2, List.of(1, 2)));
            ensemble.run(LONG_TICKS);
            assertEquals(List.of("before", "behind it", "of another"), ensemble.replica(2).executed);
        }
    }

    /**
     * A member that was admitted behind a force decides a further admission and dies before anybody has heard so. The
     * server that was forced, which leads next, must not take that admission for one of the members that are lost.
     */
    @Test
    public void admissionIsDecidedBehindAForce_itStaysDecided() {
        ScriptedEnsemble ensemble = othersAreLost();
        ensemble.startAsSoleSurvivor(1);
        ensemble.start(2);
        ensemble.start(3);
        ensemble.runUntil("the order says who is left", LONG_TICKS, () -> hasExecuted(ensemble, 1, List.of(1)));
        ensemble.replica(1).propose("behind it");
        ensemble.replica(2).propose("of another");
        ensemble.run(LONG_TICKS);
        assertTrue("it is the only member", hasExecuted(ensemble, 1, List.of(1)));
        assertEquals("and the only one that proposes", List.of("before", "behind it"), ensemble.replica(2).executed);

        ensemble.restart(1);
        List<Integer> all = List.of(1, 2, 3);
        ensemble.runUntil(
                "all are members",
                LONG_TICKS,
                () -> hasExecuted(ensemble, 1, all) && hasExecuted(ensemble, 2, all) && hasExecuted(ensemble, 3, all));
        int leader = leaderWithoutFirst(ensemble);
        int follower = 5 - leader;
        admitFourth(ensemble, leader, follower);
        ensemble.replica(follower).input(p -> p.onLeave()); // it would lead before 1 does
        ensemble.crash(leader);
        ensemble.crash(4);
        ensemble.runUntil(
                "the leader is missed",
                LONG_TICKS,
                () -> ensemble.replica(follower).status().leader() <= 0);
        ensemble.sent.clear();
        ensemble.heal(1, follower);
        ensemble.runUntil(
                "1 asks for promises",
                LONG_TICKS,
                () -> ensemble.wasSent(1, follower, m -> m instanceof ChainMessage.Prepare));
        ensemble.run(LONG_TICKS); // whatever is delivered is compared with what the lost leader has delivered
    }

    /**
     * An admission was decided, and the survivor has accepted it without knowing that. A client may have been told of
     * what depends on it.
     */
    @Test
    public void admissionIsAcceptedBeforeAForce_itStaysDecided() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        ensemble.awaitLeader();
        int leader = leaderWithoutFirst(ensemble);
        int survivor = 5 - leader;
        admitFourth(ensemble, leader, survivor);
        for (int id = 1; id <= 4; id++) {
            ensemble.crash(id);
        }
        for (int start = 1; start <= 2; start++) {
            ensemble.startAsSoleSurvivor(survivor); // what is delivered is compared with what the leader has delivered
            ensemble.runUntil(
                    "the order says who is left", LONG_TICKS, () -> hasExecuted(ensemble, survivor, List.of(survivor)));
            ensemble.crash(survivor);
        }
        ensemble.start(survivor);
        ensemble.awaitLeader();
        ensemble.replica(survivor).propose("behind it");
        ensemble.run(2);
        assertEquals(List.of("behind it"), ensemble.replica(survivor).executed);
        assertTrue("it needs nobody", hasExecuted(ensemble, survivor, List.of(survivor)));
    }

    private static void admitFourth(ScriptedEnsemble ensemble, int leader, int follower) {
        ensemble.run(20);
        ensemble.configure(Ensemble.of(List.of(1, 2, 3, 4)));
        ensemble.start(4);
        ensemble.cut(4, 1);
        ensemble.holdDisk(leader);
        ensemble.run(30);
        ensemble.stall(leader, follower);
        ensemble.stall(leader, 4);
        ensemble.stall(follower, 4);
        ensemble.releaseDisk(leader);
        ensemble.settle();
        assertTrue("the leader knows", hasExecuted(ensemble, leader, List.of(1, 2, 3, 4)));
        assertFalse("nobody else does", hasExecuted(ensemble, follower, List.of(1, 2, 3, 4)));
    }
}
