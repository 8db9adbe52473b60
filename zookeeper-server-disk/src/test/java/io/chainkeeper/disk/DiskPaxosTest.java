package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.SharedDisks;
import java.util.List;
import org.junit.Test;

/** Stories of servers and disks. */
public final class DiskPaxosTest {
    private static final int LONG = DiskEnsemble.LONG;

    private final DiskEnsemble two = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, 1);

    private int leaderOfTwo() {
        two.startAll();
        return two.awaitLeader();
    }

    private static int other(int id) {
        return 3 - id;
    }

    @Test
    public void twoServers_orderAndReadAtBoth() {
        leaderOfTwo();
        two.assertGoesOn(1);
        two.assertGoesOn(2);
        assertEquals(two.order(), two.node(1).deliveredValues());
        assertEquals(two.order(), two.node(2).deliveredValues());
    }

    @Test
    public void eitherServerAlone_goesOn() {
        int first = leaderOfTwo();
        two.assertGoesOn(first);
        two.crash(first);
        two.run(LONG);
        assertEquals(other(first), two.leader());
        two.assertGoesOn(other(first));
        two.start(first);
        two.linkAll();
        two.run(LONG);
        assertEquals(two.order(), two.node(first).deliveredValues());
    }

    @Test
    public void minorityOfDisksDies_allGoesOn_majorityDies_nothingDoes() {
        int leader = leaderOfTwo();
        two.disks().setAlive(0, false);
        two.run(LONG);
        two.assertGoesOn(leader);
        two.disks().setAlive(1, false);
        int before = two.order().size();
        two.node(leader).propose();
        two.node(leader).read(before);
        two.run(LONG);
        assertEquals(before, two.order().size());
        assertEquals(1, two.node(leader).readsWaiting());
        assertEquals("nobody leads who cannot", 0, two.leader());
        two.disks().setAlive(0, true);
        two.run(2 * LONG);
        assertTrue(two.order().size() > before);
        assertEquals(0, two.node(leader).readsWaiting());
    }

    @Test
    public void diskComesBackEmpty_doesNotCount() {
        int leader = leaderOfTwo();
        two.assertGoesOn(leader);
        two.disks().setAlive(2, false);
        two.run(LONG);
        two.disks().empty(2);
        two.disks().setAlive(2, true);
        two.run(LONG);
        assertEquals(2, two.node(leader).gauge("disks_in_use"));
        two.assertGoesOn(leader);
        two.disks().setAlive(1, false);
        two.run(LONG);
        assertEquals("an empty disk is no part of a majority", 0, two.leader());
    }

    @Test
    public void diskComesBackLate_isFilledAndCounts() {
        int leader = leaderOfTwo();
        two.disks().setAlive(2, false);
        two.run(LONG);
        two.assertGoesOn(leader);
        two.disks().setAlive(2, true);
        two.run(LONG);
        two.disks().setAlive(0, false);
        two.crash(leader);
        two.run(LONG);
        two.assertGoesOn(other(leader));
        assertEquals(two.order(), two.node(other(leader)).deliveredValues());
    }

    @Test
    public void diskThatOnlyOneServerReaches_servesThatOne() {
        int leader = leaderOfTwo();
        two.node(leader).cutOff(0, true);
        two.node(other(leader)).cutOff(2, true);
        two.run(LONG);
        two.assertGoesOn(leader);
        two.crash(leader);
        two.run(LONG);
        two.assertGoesOn(other(leader));
    }

    @Test
    public void linksAreCut_nobodyTakesOverAndTheOtherLearnsFromTheDisks() {
        int leader = leaderOfTwo();
        long epoch = two.node(leader).status().epoch();
        two.link(1, 2, false);
        two.assertGoesOn(leader);
        int seen = two.order().size();
        two.node(other(leader)).read(seen);
        two.run(10 * LONG);
        assertEquals(leader, two.leader());
        assertEquals(epoch, two.node(leader).status().epoch());
        assertEquals(Role.FOLLOWER, two.node(other(leader)).status().role());
        assertEquals(two.order(), two.node(other(leader)).deliveredValues());
        assertEquals(0, two.node(other(leader)).readsWaiting());
    }

    @Test
    public void leaderStalls_itsLateWritesMeetAHigherBallot() {
        int stalled = leaderOfTwo();
        two.node(stalled).propose();
        two.runWithout(stalled, 2 * LONG);
        assertEquals(Role.LEADER, two.node(stalled).status().role());
        assertEquals(Role.LEADER, two.node(other(stalled)).status().role());
        int before = two.order().size();
        two.node(other(stalled)).propose();
        two.runWithout(stalled, LONG);
        assertTrue(two.order().size() > before);
        two.node(stalled).read(two.order().size());
        two.run(LONG);
        assertEquals(other(stalled), two.leader());
        assertEquals(Role.FOLLOWER, two.node(stalled).status().role());
        assertEquals(two.order(), two.node(stalled).deliveredValues());
        assertEquals("the read is not stale", 0, two.node(stalled).readsWaiting());
    }

    /** A leader's first request to each disk happens, then another takes over and orders, then the rest happens. */
    private static void stallBehindTheFirstRequest(OrderingProtocolFactory factory) {
        DiskEnsemble ensemble = new DiskEnsemble(factory, 2, 3, 1);
        ensemble.startAll();
        ensemble.run(LONG);
        DiskNode stalled = ensemble.node(ensemble.leader());
        DiskNode next = ensemble.node(other(stalled.id()));
        stalled.propose();
        for (int disk = 0; disk < ensemble.disks().count(); disk++) {
            assertTrue(stalled.carryOut(disk, ensemble.random()));
        }
        ensemble.runWhileHeld(stalled.id(), 2 * LONG);
        assertEquals(Role.LEADER, next.status().role());
        next.propose();
        ensemble.runWhileHeld(stalled.id(), LONG);
        ensemble.run(LONG);
        assertEquals(ensemble.order(), stalled.deliveredValues());
    }

    @Test
    public void leaderStallsBetweenItsRequests_nothingElseIsDecided() {
        stallBehindTheFirstRequest(new DiskPaxosFactory());
    }

    @Test
    public void headersAreReadBeforeTheWriteIsDurable_isNoticed() {
        OrderingProtocolFactory broken =
                new DiskPaxosFactory().without(SafetyRule.READ_BEGINS_BEHIND_THE_DURABLE_WRITE.name());
        AssertionError e = assertThrows(AssertionError.class, () -> stallBehindTheFirstRequest(broken));
        assertTrue(e.getMessage(), e.getMessage().contains("another value"));
    }

    /** Found by a seed: both starts number their first request alike. */
    @Test
    public void readOfAnEarlierStart_isNotAnsweredToTheNextOne() {
        int leader = leaderOfTwo();
        two.assertGoesOn(leader);
        DiskNode follower = two.node(other(leader));
        follower.read(two.order().size());
        while (two.passMessage(follower.id(), leader)) {
            // the leader is asked
        }
        two.crash(follower.id());
        two.start(follower.id());
        two.linkAll();
        for (int i = 0; i < LONG; i++) {
            if (i < 7) {
                follower.tick(); // so that it reads the rings, and does not miss its leader
            }
            two.step(follower);
        }
        int before = two.order().size();
        assertEquals(before, follower.deliveredValues().size());
        two.node(leader).propose();
        for (int i = 0; i < LONG; i++) {
            two.step(two.node(leader));
        }
        assertTrue(two.order().size() > before);
        follower.read(two.order().size());
        two.run(LONG);
        assertEquals(0, follower.readsWaiting());
    }

    @Test
    public void leaderLeaves_theOtherTakesOverAtOnce() {
        int leader = leaderOfTwo();
        two.assertGoesOn(leader);
        two.node(leader).input(p -> p.onLeave());
        two.run(10);
        assertEquals(other(leader), two.leader());
        two.assertGoesOn(leader);
    }

    @Test
    public void ringIsFull_saysWhoHoldsItUp_untilThatOneHasACheckpoint() {
        int leader = leaderOfTwo();
        for (int i = 0; i < 80; i++) {
            two.node(leader).propose();
            two.run(2);
        }
        two.node(leader).takeCheckpoint();
        two.run(4 * LONG);
        assertEquals(1, two.node(leader).gauge("ring_full"));
        assertHeldUp(leader, other(leader));
        assertHeldUp(other(leader), other(leader));
        assertNotEquals(0, two.node(leader).gauge("commands_outstanding"));
        two.checkpointAll();
        two.run(LONG);
        assertEquals(0, two.node(leader).gauge("ring_low"));
        assertEquals(0, two.node(other(leader)).gauge("ring_low"));
        assertEquals(0, two.node(leader).gauge("commands_outstanding"));
        assertEquals(two.order(), two.node(other(leader)).deliveredValues());
    }

    private void assertHeldUp(int server, int holder) {
        assertEquals(1, two.node(server).gauge("ring_low"));
        assertEquals(holder, two.node(server).gauge("ring_held_by"));
    }

    @Test
    public void serverIsGone_ringIsLowBeforeItIsFull_andRemovingItFreesIt() {
        int leader = leaderOfTwo();
        two.crash(other(leader));
        two.run(4 * LONG);
        while (two.node(leader).gauge("ring_low") == 0) {
            two.node(leader).propose();
            two.run(2);
            two.node(leader).takeCheckpoint();
        }
        assertEquals(0, two.node(leader).gauge("ring_full"));
        assertHeldUp(leader, other(leader));
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(leader))));
        two.run(LONG);
        assertEquals(1, two.node(leader).gauge("members"));
        assertEquals(0, two.node(leader).gauge("ring_low"));
        assertEquals(0, two.node(leader).gauge("commands_outstanding"));
    }

    @Test
    public void serverIsGoneUnderLoad_leaderWritesSlowlyUntilWritesAreRefused() {
        assertWritesSlowly(0);
    }

    /** Before that its own one is as old as that of the server that is gone. */
    @Test
    public void serverIsGoneUnderLoad_leaderWritesSlowlyAlsoBeforeItsCheckpoint() {
        assertWritesSlowly(100);
    }

    /** As when its snapshot takes as long as it takes to fill a ring. */
    @Test
    public void serverIsGoneUnderLoad_leaderHasNoCheckpoint_ringIsLowBeforeItIsFull() {
        assertWritesSlowly(Integer.MAX_VALUE);
    }

    /** It was taken a little later than that of the leader, so it is the later one until the leader has a new one. */
    @Test
    public void serverWithTheLatestCheckpointIsGoneUnderLoad_leaderWritesSlowly() {
        int leader = leaderOfTwo();
        two.node(leader).takeCheckpoint();
        two.node(leader).propose();
        two.run(LONG);
        two.node(other(leader)).takeCheckpoint();
        two.run(LONG);
        assertWritesSlowly(100, leader);
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(leader))));
        two.run(LONG);
        assertEquals(1, two.node(leader).gauge("members"));
    }

    /** Those who refuse clients' writes do not know in time, for example. */
    @Test
    public void ringIsFull_serverThatIsGoneIsRemovedAllTheSame() {
        int leader = leaderOfTwo();
        two.crash(other(leader));
        while (two.node(leader).gauge("ring_full") == 0) {
            two.node(leader).propose();
            two.node(leader).takeCheckpoint();
            two.run(LONG);
        }
        for (int i = 0; i < 100; i++) {
            two.node(leader).propose();
        }
        two.node(leader).takeCheckpoint();
        two.run(LONG);
        assertNotEquals(0, two.node(leader).gauge("commands_outstanding"));
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(leader))));
        two.run(LONG);
        assertEquals(1, two.node(leader).gauge("members"));
        two.run(LONG);
        assertEquals(0, two.node(leader).gauge("commands_outstanding"));
    }

    private void assertWritesSlowly(int firstCheckpoint) {
        assertWritesSlowly(firstCheckpoint, leaderOfTwo());
    }

    private void assertWritesSlowly(int firstCheckpoint, int leader) {
        two.crash(other(leader));
        for (int i = 0; two.node(leader).gauge("ring_low") == 0; i++) {
            if (i < 200) {
                two.node(leader).propose();
            }
            if (i >= firstCheckpoint) {
                two.node(leader).takeCheckpoint();
            }
            two.run(1);
            assertEquals("ring is full after " + i, 0, two.node(leader).gauge("ring_full"));
        }
        assertHeldUp(leader, other(leader));
    }

    @Test
    public void removedServer_holdsNothingUp() {
        int leader = leaderOfTwo();
        two.crash(other(leader));
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(leader))));
        two.run(LONG);
        assertEquals(1, two.node(leader).gauge("members"));
        for (int i = 0; i < 200; i++) {
            two.node(leader).propose();
            two.node(leader).takeCheckpoint();
            two.run(2);
        }
        two.run(LONG);
        assertEquals(0, two.node(leader).gauge("commands_outstanding"));
    }

    @Test
    public void serverBehindTheRings_fetchesState() {
        int leader = leaderOfTwo();
        int late = other(leader);
        two.crash(late);
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(leader))));
        two.run(LONG);
        for (int i = 0; i < 200; i++) {
            two.node(leader).propose();
            two.node(leader).takeCheckpoint();
            two.run(2);
        }
        two.node(leader).input(p -> p.onEnsemble(Ensemble.of(List.of(1, 2))));
        two.start(late);
        two.linkAll();
        two.run(2 * LONG);
        assertEquals(two.order(), two.node(late).deliveredValues());
        assertEquals(2, two.node(leader).gauge("members"));
    }

    /** A follower without a link stalls after some steps, while the leader's ring goes round. */
    private static void readWhileTheRingGoesRound(OrderingProtocolFactory factory, int steps) {
        DiskEnsemble ensemble = new DiskEnsemble(factory, 2, 3, 1);
        ensemble.startAll();
        ensemble.run(LONG);
        int leader = ensemble.leader();
        DiskNode slow = ensemble.node(other(leader));
        ensemble.link(1, 2, false);
        for (int i = 0; i < 30; i++) {
            ensemble.node(leader).propose();
            ensemble.run(1);
        }
        ensemble.run(LONG);
        slow.takeCheckpoint();
        ensemble.node(leader).takeCheckpoint();
        ensemble.node(leader).propose();
        ensemble.runWithout(slow.id(), 10);
        for (int i = 0; i < steps; i++) {
            slow.tick();
            ensemble.step(slow);
        }
        for (int i = 0; i < 40; i++) {
            ensemble.node(leader).propose();
            ensemble.runWhileHeld(slow.id(), 100);
        }
        ensemble.run(LONG);
        assertEquals(ensemble.order(), slow.deliveredValues());
    }

    @Test
    public void ringGoesRoundWhileItIsRead_isReadAgain() {
        for (int steps = 0; steps < 20; steps++) {
            readWhileTheRingGoesRound(new DiskPaxosFactory(), steps);
        }
    }

    @Test
    public void ringIsNotReadAgain_isNoticed() {
        OrderingProtocolFactory broken =
                new DiskPaxosFactory().without(SafetyRule.RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED.name());
        assertThrows(InvariantViolated.class, () -> {
            for (int steps = 0; steps < 20; steps++) {
                readWhileTheRingGoesRound(broken, steps);
            }
        });
    }

    @Test
    public void disksInAnotherOrder_stopTheServerByName() {
        two.disks().write(0, 0, two.disks().read(1, 0, two.disks().layout().headersBytes()));
        two.start(1);
        InvariantViolated e = assertThrows(InvariantViolated.class, () -> two.run(1));
        assertTrue(e.getMessage(), e.getMessage().contains("shared disk 0 says that it is disk 1 of 3"));
    }

    @Test
    public void diskIsReplaced_serversStopBeforeTheyCountTheOldOne() throws Exception {
        int leader = leaderOfTwo();
        Superblock now = Superblock.decode(two.disks().read(0, 0, SharedDisks.BLOCK_BYTES));
        Superblock next =
                new Superblock(now.clusterId(), 0, List.of(100L, 101L, 999L), now.slots(), now.regionBytes(), 1, true);
        two.disks().write(0, 0, next.encode());
        two.disks().write(1, 0, next.ofDisk(1).encode());
        int before = two.order().size();
        two.node(leader).propose();
        InvariantViolated e = assertThrows(InvariantViolated.class, () -> two.run(LONG));
        assertTrue(e.getMessage(), e.getMessage().contains("was replaced since this server started"));
        assertEquals(before, two.order().size());
    }
}
