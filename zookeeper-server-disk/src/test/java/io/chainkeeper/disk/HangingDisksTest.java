package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Stories of servers whose disks hang: what was asked of them waits, and happens when they go on. */
public final class HangingDisksTest {
    private static final int LONG = DiskEnsemble.LONG;

    private final DiskEnsemble two = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, 1);

    private int leaderOfTwo() {
        two.startAll();
        return two.awaitLeader();
    }

    private static int other(int id) {
        return 3 - id;
    }

    private static void hang(DiskNode node, int disks, boolean doesHang) {
        for (int disk = 0; disk < disks; disk++) {
            node.hang(disk, doesHang);
        }
    }

    @Test
    public void minorityOfDisksHangs_allGoesOnAndItIsTold() {
        int leader = leaderOfTwo();
        hang(two.node(1), 1, true);
        hang(two.node(2), 1, true);
        two.run(LONG);
        two.assertGoesOn(leader);
        two.assertGoesOn(other(leader));
        assertEquals(2, two.node(1).gauge("disks_in_use"));
        assertEquals(2, two.node(2).gauge("disks_in_use"));
        hang(two.node(1), 1, false);
        hang(two.node(2), 1, false);
        two.run(LONG);
        assertEquals(3, two.node(1).gauge("disks_in_use"));
        assertEquals(3, two.node(2).gauge("disks_in_use"));
        two.disks().setAlive(2, false);
        two.run(LONG);
        two.assertGoesOn(leader);
    }

    /** What the disk that hangs is not told of must not keep the server from looking at the others. */
    @Test
    public void minorityOfDisksHangsForGoodAndACheckpointIsTaken_theOtherLeadsWhenTheLeaderIsGone() {
        int leader = leaderOfTwo();
        hang(two.node(other(leader)), 1, true);
        two.assertGoesOn(leader);
        two.node(other(leader)).takeCheckpoint();
        two.run(LONG);
        two.crash(leader);
        two.run(2 * LONG);
        assertEquals(other(leader), two.leader());
        two.assertGoesOn(other(leader));
    }

    @Test
    public void majorityOfDisksHangs_nothingIsDecidedUntilItAnswers() {
        int leader = leaderOfTwo();
        hang(two.node(1), 2, true);
        hang(two.node(2), 2, true);
        int before = two.order().size();
        two.node(leader).propose();
        two.node(leader).read(before);
        two.run(2 * LONG);
        assertEquals(before, two.order().size());
        assertEquals(1, two.node(leader).readsWaiting());
        assertEquals("nobody leads who cannot", 0, two.leader());
        assertEquals(1, two.node(leader).gauge("disks_in_use"));
        hang(two.node(1), 2, false);
        hang(two.node(2), 2, false);
        two.run(2 * LONG);
        assertTrue(two.order().size() > before);
        assertEquals(0, two.node(leader).readsWaiting());
    }

    @Test
    public void majorityOfDisksHangsForTheLeader_theOtherLeads() {
        int leader = leaderOfTwo();
        hang(two.node(leader), 2, true);
        two.run(2 * LONG);
        assertEquals(other(leader), two.leader());
        two.assertGoesOn(other(leader));
        hang(two.node(leader), 2, false);
        two.run(LONG);
        assertEquals("its late writes meet a higher ballot", other(leader), two.leader());
        assertEquals(two.order(), two.node(leader).deliveredValues());
    }

    /** It sees on too few disks that the leader lives, and must not end for ever what it cannot do better. */
    @Test
    public void majorityOfDisksHangsForAServerWithoutLinks_theLeaderIsNotDisturbedOverAndOver() {
        int leader = leaderOfTwo();
        two.link(1, 2, false);
        hang(two.node(other(leader)), 2, true);
        two.run(2 * LONG);
        long epoch = two.node(leader).status().epoch();
        two.run(10 * LONG);
        assertEquals(leader, two.leader());
        assertEquals(epoch, two.node(leader).status().epoch());
        two.assertGoesOn(leader);
        hang(two.node(other(leader)), 2, false);
        two.run(LONG);
        assertEquals(leader, two.leader());
        assertEquals(two.order(), two.node(other(leader)).deliveredValues());
    }

    /** Whoever waits for its disks has no reason to lead yet, however long it would wait by chance. */
    @Test
    public void allDisksHangForTheLeader_itDoesNotTryToLeadBeforeTheyAnswer() {
        for (int seed = 1; seed <= 50; seed++) {
            DiskEnsemble ensemble = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, seed);
            ensemble.startAll();
            ensemble.run(LONG);
            int leader = ensemble.leader();
            ensemble.link(1, 2, false);
            hang(ensemble.node(leader), 3, true);
            ensemble.run(2 * LONG);
            assertEquals("seed " + seed, other(leader), ensemble.leader());
            long epoch = ensemble.node(other(leader)).status().epoch();
            hang(ensemble.node(leader), 3, false);
            ensemble.run(LONG);
            assertEquals("seed " + seed, other(leader), ensemble.leader());
            assertEquals("seed " + seed, epoch, ensemble.node(leader).status().epoch());
        }
    }

    @Test
    public void disksHangForAServerWithoutLinks_itDoesNotTryToLeadBeforeTheyAnswer() {
        for (int seed = 1; seed <= 50; seed++) {
            DiskEnsemble ensemble = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, seed);
            ensemble.startAll();
            ensemble.run(LONG + seed % 5); // a heartbeat comes every fifth tick
            int leader = ensemble.leader();
            long epoch = ensemble.node(leader).status().epoch();
            ensemble.link(1, 2, false);
            hang(ensemble.node(other(leader)), 2 + seed % 2, true);
            ensemble.run(2 * LONG);
            hang(ensemble.node(other(leader)), 3, false);
            ensemble.run(LONG);
            assertEquals("seed " + seed, leader, ensemble.leader());
            assertEquals("seed " + seed, epoch, ensemble.node(leader).status().epoch());
        }
    }

    /** Each time that they answer for a moment it leads, and each time it has to give that up before they show it. */
    @Test
    public void disksHangAgainAndAgain_ringDoesNotFillWithCopiesOfWhatIsNotDecided() {
        int leader = leaderOfTwo();
        DiskNode node = two.node(leader);
        two.crash(other(leader));
        two.run(2 * LONG);
        hang(node, 3, true);
        for (int i = 0; i < 3; i++) {
            node.propose();
            two.run(1);
        }
        long before = node.gauge("ring_bytes");
        for (int i = 0; i < 40; i++) {
            two.run(2 * LONG);
            assertEquals(0, two.leader());
            hang(node, 3, false);
            for (int tick = 0; two.leader() == 0; tick++) {
                assertTrue("it leads again", tick < 4 * LONG);
                node.tick();
                for (boolean more = true; more && two.leader() == 0; ) {
                    more = two.step(node);
                }
            }
            hang(node, 3, true);
        }
        long after = node.gauge("ring_bytes");
        assertTrue(before + " became " + after, after <= 2 * before);
        hang(node, 3, false);
        two.run(4 * LONG);
        assertEquals(leader, two.leader());
        assertEquals(0, node.gauge("commands_outstanding"));
    }

    /** Each time that it is read again it would go on, and the other one would never see that nobody leads. */
    @Test
    public void majorityOfDisksCanOnlyBeReadByTheLeader_theOtherLeads() {
        int leader = leaderOfTwo();
        two.node(leader).refuseWrites(0, true);
        two.node(leader).refuseWrites(1, true);
        two.run(10 * LONG);
        assertEquals(other(leader), two.leader());
        two.assertGoesOn(other(leader));
    }
}
