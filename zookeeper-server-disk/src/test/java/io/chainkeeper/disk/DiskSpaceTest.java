package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import org.junit.Test;

/** What is freed, who says so, and what is asked for so that it can be. */
public final class DiskSpaceTest {
    private static final int LONG = 100;

    /** More than an eighth of a ring, in blocks. */
    private static final int EIGHTH_OF_A_RING = 9;

    /** In blocks, with the membership that comes before; a start without files then needs three times as much. */
    private static final int LESS_THAN_A_THIRD_OF_A_RING = 19;

    private static final int SUSPICION_TICKS = 40;

    private final DiskEnsemble two = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, 1);

    private void order(int commands) {
        for (int i = 0; i < commands; i++) {
            two.node(1).propose();
            two.run(2);
        }
        two.run(LONG);
    }

    /** Files of servers may differ, and change, before the order says who takes part. */
    @Test
    public void firstLeader_ordersTheMembersBeforeAnythingElse() {
        two.startAll();
        two.node(1).propose();
        two.run(LONG);
        assertTrue(two.order().size() > 1);
        assertTrue(BatchCodec.isMembership(two.order().get(0)));
    }

    /** Small batches fill whole blocks, long before an application takes a checkpoint by itself. */
    @Test
    public void ringFillsWithSmallBatches_eachServerAsksForCheckpoints() {
        two.startAll();
        two.run(LONG);
        order(1);
        int before = two.node(1).checkpointsWanted();
        order(EIGHTH_OF_A_RING);
        for (int id = 1; id <= 2; id++) {
            assertTrue("server " + id, two.node(id).checkpointsWanted() > 0);
        }
        assertTrue(two.node(1).checkpointsWanted() > before);
    }

    /** The next start may find that the newest file is damaged, and have to go on from an older one. */
    @Test
    public void startFromFilesThatWereNotToldOf_freesNothingOnTheStrengthOfThem() {
        two.startAll();
        two.run(LONG);
        order(5);
        for (int id = 1; id <= 2; id++) {
            two.crash(id);
            two.node(id).recoversEverything();
        }
        two.startAll();
        two.run(LONG);
        for (int id = 1; id <= 2; id++) {
            assertEquals(0, two.node(id).gauge("ring_held_by"));
        }
        assertTrue(
                "the rings hold it all",
                two.node(1).gauge("ring_bytes") + two.node(2).gauge("ring_bytes") > 0);
    }

    /** What it has said to be freed is on a disk that a start reads later than the others. */
    @Test
    public void diskThatTellsOfFreedPositions_isReadLate_othersHearOfThem() {
        startAloneUntilItLeads();
        two.start(2);
        two.linkAll();
        two.run(LONG);
        order(5);
        two.disks().setAlive(0, false);
        two.disks().setAlive(2, false);
        two.node(2).takeCheckpoint();
        two.run(LONG);
        two.crash(2);
        two.node(1).takeCheckpoint();
        two.run(LONG);
        two.crash(1);
        two.disks().setAlive(0, true);
        two.disks().setAlive(2, true);
        two.disks().setAlive(1, false);
        two.start(1);
        two.run(LONG);
        two.disks().setAlive(1, true);
        two.run(LONG);
        two.node(2).losesState();
        two.start(2);
        two.linkAll();
        two.run(LONG);
        assertEquals(two.node(1).gauge("max_delivered"), two.node(2).gauge("max_delivered"));
        two.assertGoesOn(2);
    }

    /** Each start without files takes over all that was proposed before, until the ring has no room for it. */
    @Test
    public void ringWithoutRoomForTakingOver_learnsWhatIsDecidedAndLeadsWithTheRest() {
        startAloneUntilItLeads();
        for (int i = 0; i < LESS_THAN_A_THIRD_OF_A_RING; i++) {
            two.node(1).propose();
            withoutTicks();
        }
        int ordered = two.order().size();
        assertTrue(ordered > LESS_THAN_A_THIRD_OF_A_RING);
        for (int start = 0; start < 3; start++) {
            two.crash(1);
            startAloneUntilItLeads();
        }
        assertEquals(
                "what was decided, again",
                ordered,
                two.node(1).deliveredValues().size());
        two.start(2);
        two.linkAll();
        two.run(LONG);
        two.checkpointAll();
        two.run(LONG);
        order(1);
        assertTrue(two.order().size() > ordered);
    }

    /** The longest that a start allows with this ring. */
    private static final int LONGEST = DiskEnsemble.LAYOUT.regionBytes() / 16 - 512;

    @Test
    public void manyOfTheLongestValues_goOnAsCheckpointsAreTakenWhenAskedFor() {
        two.startAll();
        two.run(LONG);
        int[] taken = new int[3];
        for (int i = 0; i < 400; i++) {
            if (i < 100) {
                two.node(1).propose(LONGEST);
                two.node(2).propose(LONGEST);
            }
            two.run(1);
            for (int id = 1; id <= 2; id++) {
                if (two.node(id).checkpointsWanted() > taken[id]) {
                    taken[id] = two.node(id).checkpointsWanted();
                    two.node(id).takeCheckpoint();
                }
            }
        }
        assertTrue(two.order().size() > 200);
        for (int id = 1; id <= 2; id++) {
            assertEquals(0, two.node(id).gauge("commands_outstanding"));
            assertEquals(two.order(), two.node(id).deliveredValues());
        }
    }

    /** The other one has led before, until its ring was full, and is left alone with what was under way. */
    @Test
    public void theLongestValuesUnderWay_leaveRoomForTakingOver() {
        two.startAll();
        two.run(LONG);
        int first = two.leader();
        int second = 3 - first;
        while (two.node(first).gauge("ring_full") == 0) {
            two.node(first).propose(LONGEST);
            two.run(2);
        }
        two.runWithout(first, 2 * LONG);
        two.run(LONG);
        assertEquals(second, two.leader());
        for (int i = 0; i < 8; i++) {
            two.node(second).propose(LONGEST);
        }
        for (int disk = 0; disk < two.disks().count(); disk++) {
            while (two.node(second).carryOut(disk, two.random())) {}
        }
        two.crash(second);
        two.run(4 * LONG);
        assertEquals(first, two.leader());
    }

    /** It tries again and again, and each time with a higher ballot: others must get to see that nobody leads. */
    @Test
    public void ringHasNoRoomForTakingOver_anotherServerLeads() {
        two.startAll();
        two.run(LONG);
        int first = two.leader();
        int second = 3 - first;
        while (two.node(first).gauge("ring_full") == 0) {
            two.node(first).propose(LONGEST);
            two.run(2);
        }
        while (two.leader() != 0) {
            two.runWithout(first, 2 * LONG);
            two.run(LONG);
            assertEquals(second, two.leader());
            for (int i = 0; i < 8; i++) {
                two.node(second).propose(LONGEST);
            }
            for (int disk = 0; disk < two.disks().count(); disk++) {
                while (two.node(second).carryOut(disk, two.random())) {}
            }
            two.crash(second);
            two.run(4 * LONG);
            if (two.leader() != 0) {
                two.start(second);
                two.linkAll();
                two.run(LONG);
            }
        }
        two.start(second);
        two.linkAll();
        two.run(20 * LONG);
        assertEquals(second, two.leader());
    }

    /** Applications have executed nothing yet when their start is first asked, and no bytes come that make more due. */
    @Test
    public void ringFullBehindFirstCheckpointsOfNothing_othersAreAskedFor() {
        startAloneUntilItLeads();
        for (int i = 0; i < 3; i++) {
            two.node(1).propose();
            withoutTicks();
        }
        while (two.node(1).gauge("ring_full") == 0) {
            two.crash(1);
            startAloneUntilItLeads();
        }
        two.start(2);
        two.linkAll();
        two.run(LONG);
        int ordered = two.order().size();
        two.node(1).propose();
        for (int id = 1; id <= 2; id++) {
            int before = two.node(id).checkpointsWanted();
            two.run(5 * LONG);
            int asked = two.node(id).checkpointsWanted() - before;
            boolean isBounded = asked <= 5 * LONG / SUSPICION_TICKS + 1;
            assertTrue("server " + id + " asks " + asked + " times", asked > 0 && isBounded);
            two.node(id).takeCheckpoint();
        }
        two.run(LONG);
        assertEquals(ordered + 1, two.order().size());
    }

    private void startAloneUntilItLeads() {
        two.start(1);
        for (int i = 0; i < LONG && two.leader() != 1; i++) {
            two.run(1);
        }
        assertEquals(1, two.leader());
    }

    /** So no header says what is decided: that goes with the next heartbeat. */
    private void withoutTicks() {
        while (two.step(two.node(1))) {}
    }

    private static DiskEnsemble threeWithACheckpoint() {
        DiskEnsemble three = new DiskEnsemble(new DiskPaxosFactory(), 3, 3, 1);
        three.startAll();
        three.run(LONG);
        three.node(1).propose();
        three.run(LONG);
        three.checkpointAll();
        three.run(LONG);
        return three;
    }

    /** Its own disk hangs, which holds its state and not the order: it leads on. */
    @Test
    public void leaderGivesNoState_anotherIsAskedForIt() {
        DiskEnsemble three = threeWithACheckpoint();
        int leader = three.leader();
        assertTrue("before it hears a leader it asks the first other one", leader < 3);
        int behind = 3 - leader;
        int ordered = three.order().size();
        three.givesNoState(leader);
        three.crash(behind);
        three.node(behind).losesState();
        three.start(behind);
        three.linkAll();
        three.run(10 * SUSPICION_TICKS);
        assertTrue(three.node(behind).deliveredValues().size() >= ordered);
        assertEquals(leader, three.leader());
    }

    /** Who has the state may be unable to lead, and be the last one that is asked. */
    @Test
    public void onlyAServerThatReachesNoDiskHasTheState_theOthersGetItFromThatOne() {
        DiskEnsemble three = threeWithACheckpoint();
        int ordered = three.order().size();
        for (int id = 1; id <= 3; id++) {
            three.crash(id);
        }
        three.node(1).losesState();
        three.node(2).losesState();
        for (int disk = 0; disk < 3; disk++) {
            three.node(3).cutOff(disk, true);
        }
        three.startAll();
        three.run(10 * SUSPICION_TICKS);
        for (int id = 1; id <= 2; id++) {
            assertTrue("server " + id, three.node(id).deliveredValues().size() >= ordered);
        }
        three.assertGoesOn(1);
    }
}
