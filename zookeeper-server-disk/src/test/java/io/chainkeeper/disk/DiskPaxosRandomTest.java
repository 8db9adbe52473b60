package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Servers and disks that fail in any way, from seeds: one order, no stale read, and all goes on when all is well. */
public final class DiskPaxosRandomTest {
    private static final int SEEDS = Integer.getInteger("disk.seeds", 25);
    private static final int STEPS = Integer.getInteger("disk.steps", 12_000);
    private static final int MUTANT_SEEDS = Integer.getInteger("disk.mutantSeeds", 400);

    private static void run(OrderingProtocolFactory factory, long seed, int disks, int steps) {
        int servers = 2 + (int) (seed % 2);
        DiskEnsemble ensemble = new DiskEnsemble(factory, servers, disks, seed);
        ensemble.startAll();
        ensemble.wander(steps);
        ensemble.heal();
        ensemble.run(100);
        ensemble.checkpointAll();
        ensemble.run(200);
        int leader = ensemble.leader();
        assertNotEquals("seed " + seed + ": nobody leads", 0, leader);
        int before = ensemble.order().size();
        for (int id = 1; id <= servers; id++) {
            ensemble.node(id).propose();
            ensemble.node(id).read(ensemble.order().size());
        }
        ensemble.run(100);
        assertTrue("seed " + seed + ": nothing is ordered", ensemble.order().size() > before);
        for (int id = 1; id <= servers; id++) {
            DiskNode node = ensemble.node(id);
            assertEquals(
                    "seed " + seed + ": server " + id + " is behind",
                    ensemble.order().size(),
                    node.deliveredValues().size());
            assertEquals("seed " + seed + ": reads wait at server " + id, 0, node.readsWaiting());
            assertEquals("seed " + seed, 0, node.gauge("commands_outstanding"));
        }
    }

    @Test
    public void everySeed_isOneOrderAndGoesOn() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                run(new DiskPaxosFactory(), seed, seed % 5 == 0 ? 5 : 3, STEPS);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** A read waited for proposals of a leader that was gone, until something else was ordered. */
    @Test
    public void seedThatFailed_goesOn() {
        run(new DiskPaxosFactory(), 462, 3, 60_000);
    }

    @Test
    public void ruleTakenOut_isNoticed() {
        Map<String, Long> foundBy = new TreeMap<>();
        // Others have stories for those that it takes a rare order of events to notice: DiskPaxosTest,
        // DiskMembershipTest, RingRecoveryTest.
        EnumSet<SafetyRule> rules = EnumSet.complementOf(EnumSet.of(
                SafetyRule.RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED,
                SafetyRule.RING_IS_TAKEN_UP_FROM_ONE_DISK,
                SafetyRule.RING_IS_FREED_BY_POSITION,
                SafetyRule.READ_BEGINS_BEHIND_THE_DURABLE_WRITE,
                SafetyRule.VOID_MEMBERSHIP_IS_DROPPED));
        for (SafetyRule rule : rules) {
            OrderingProtocolFactory broken = new DiskPaxosFactory().without(rule.name());
            for (long seed = 1; seed <= MUTANT_SEEDS && !foundBy.containsKey(rule.name()); seed++) {
                try {
                    run(broken, seed, rule == SafetyRule.MAJORITY_OF_DISKS ? 5 : 3, STEPS);
                } catch (InvariantViolated | AssertionError e) {
                    foundBy.put(rule.name(), seed);
                }
            }
        }
        assertEquals("found: " + foundBy, rules.size(), foundBy.size());
    }
}
