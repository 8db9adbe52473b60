package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Forced writes that take about as long as timeouts: what decides must also be able to take over. */
public final class SlowDisksTest {
    private static final int SUSPICION_TICKS = 30;
    private static final int LONG_TICKS = 20 * SUSPICION_TICKS;

    /** It is the first to miss the leader, which is back before the others do. */
    @Test
    public void oneCandidatesDiskIsSlow_healthyQuorumGoesOn() {
        for (int ticks = 3; ticks <= 2 * SUSPICION_TICKS; ticks += 3) {
            IssEnsemble five = IssEnsemble.of(5);
            five.ticks(SUSPICION_TICKS);
            five.node(2).slowDisk(ticks);
            for (int other = 2; other <= 5; other++) {
                int id = other;
                five.node(1).input(p -> p.onPeerDown(id));
                five.node(other).input(p -> p.onPeerDown(1));
            }
            five.ticks(4);
            for (int other = 2; other <= 5; other++) {
                five.relink(1, other);
            }
            five.ticks(SUSPICION_TICKS);
            five.propose(3, "b");
            five.ticks(LONG_TICKS);
            assertEquals("forces take " + ticks, List.of("b"), five.commandsAt(3));
        }
    }

    @Test
    public void allDisksAreSlow_segmentOfWhoIsGoneIsFinished() {
        for (int ticks = 2; ticks <= SUSPICION_TICKS; ticks += 2) {
            assertTrue("forces take " + ticks, isFinished(new SafetyRules(), ticks));
        }
    }

    @Test
    public void candidatesDoNotWaitForSlowDisks_someSegmentIsNotFinished() {
        SafetyRules without = SafetyRules.without(SafetyRule.CANDIDATES_WAIT_FOR_SLOW_DISKS);
        assertFalse(isFinished(without, SUSPICION_TICKS));
    }

    /** Of three one is gone; forces take so long at the others. Returns whether what is asked for then is executed. */
    private static boolean isFinished(SafetyRules rules, int ticks) {
        IssEnsemble three = IssEnsemble.of(3, Map.of(), rules);
        for (int id = 1; id <= 3; id++) {
            three.node(id).slowDisk(ticks);
        }
        three.ticks(SUSPICION_TICKS);
        three.propose(2, "before");
        three.ticks(LONG_TICKS);
        assertTrue("forces take " + ticks, three.commandsAt(1).contains("before"));
        three.crash(3);
        three.propose(1, "a");
        three.ticks(4 * LONG_TICKS);
        return three.commandsAt(2).contains("a");
    }
}
