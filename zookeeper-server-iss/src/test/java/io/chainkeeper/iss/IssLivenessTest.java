package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssEnsemble.Envelope;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.Test;

/** Stories in which the order once stood still for ever, most of them found by the simulator. */
public final class IssLivenessTest {
    private static final int SOME_TIME_TICKS = 200;
    private static final int SUSPICION_TICKS = 30;

    /** Longer than a member may be silent before it is removed. */
    private static final int REMOVAL_TICKS = 300;

    private static boolean touches(Envelope envelope, int id) {
        return envelope.from() == id || envelope.to() == id;
    }

    /** Seeds 50044 and 50262. Who leads whose commands depends on the epoch, so this goes through some. */
    @Test
    public void commandForLeaderThatIsEpochsBehind_isSentAgain() {
        for (int epoch = 4; epoch < 10; epoch++) {
            commandForLeaderThatIsEpochsBehind(epoch);
        }
    }

    private static void commandForLeaderThatIsEpochsBehind(int epoch) {
        IssEnsemble ensemble = IssEnsemble.of(
                3,
                Map.of("iss.bucketPolicy", "rotating", "iss.leaderPolicy", "all", "iss.minSegmentPositions", "2"),
                new SafetyRules());
        ensemble.lose(e -> touches(e, 3));
        for (int i = 0; ensemble.node(1).gauge("epoch") < epoch; i++) {
            if (i % 10 == 0) {
                ensemble.propose(2, "c" + i);
            }
            ensemble.ticks(1);
        }
        // The epoch is new: nobody has finished the segment of 3 yet, which will lead it after all.
        ensemble.propose(1, "a");
        ensemble.propose(2, "b");
        ensemble.lose(e -> false);
        ensemble.relink(1, 3);
        ensemble.relink(2, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue("from epoch " + epoch, ensemble.commandsAt(3).containsAll(List.of("a", "b")));
        assertEquals(ensemble.commandsAt(1), ensemble.commandsAt(3));
    }

    /** Seed 1008 of minorities whose disks hang for good. Each of three is the one, and so in turn the leader. */
    @Test
    public void leaderDoesNotBringTheEpochToItsDisk_anotherFinishesItsSegment() {
        for (int hanging = 1; hanging <= 3; hanging++) {
            leaderDoesNotBringTheEpochToItsDisk(hanging, "single");
            leaderDoesNotBringTheEpochToItsDisk(hanging, "all");
        }
    }

    private static void leaderDoesNotBringTheEpochToItsDisk(int hanging, String leaderPolicy) {
        IssEnsemble ensemble = IssEnsemble.of(
                3, Map.of("iss.leaderPolicy", leaderPolicy, "iss.minSegmentPositions", "2"), new SafetyRules());
        int other = 1 + hanging % 3;
        ensemble.node(hanging).holdDiskFromNextEpoch();
        for (int i = 0; i < 10; i++) {
            ensemble.propose(other, "c" + i);
            ensemble.ticks(1);
        }
        ensemble.ticks(2 * SOME_TIME_TICKS);
        ensemble.propose(other, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(
                leaderPolicy + ", disk of " + hanging,
                ensemble.commandsAt(other).contains("a"));
    }

    /**
     * Who fetches a state for hours says all the time that it lives, in the epoch that it was in. Which epochs it would
     * lead depends on how often it was left out, so this goes through some.
     */
    @Test
    public void leaderIsEpochsBehindForLong_commandsForItAreOrdered() {
        for (int epoch = 3; epoch < 12; epoch++) {
            leaderIsEpochsBehindForLong(epoch);
        }
    }

    private static void leaderIsEpochsBehindForLong(int epoch) {
        IssEnsemble ensemble = IssEnsemble.notStarted(3, 1, Map.of("iss.minSegmentPositions", "2"));
        ensemble.members().forEach(ensemble::start);
        ensemble.settle();
        ensemble.lose(e -> touches(e, 3) && !e.is(IssMessage.Status.class));
        for (int i = 0; ensemble.node(1).gauge("epoch") < epoch; i++) {
            ensemble.propose(1, "c" + i);
            ensemble.ticks(1);
        }
        ensemble.propose(4, "a");
        ensemble.ticks(2 * SOME_TIME_TICKS);
        assertTrue("from epoch " + epoch, ensemble.commandsAt(1).contains("a"));
    }

    /** Each of three is the one, and so in turn the leader of the observer's commands. */
    @Test
    public void leaderLosesItsDiskAndLearnsNothing_commandsForItAreOrdered() {
        for (int lost = 1; lost <= 3; lost++) {
            int forgetful = lost;
            IssEnsemble ensemble = IssEnsemble.notStarted(3, 1, Map.of("iss.leaderPolicy", "all"));
            ensemble.members().forEach(ensemble::start);
            ensemble.settle();
            ensemble.crash(forgetful);
            ensemble.node(forgetful).loseDisk();
            ensemble.lose(e -> touches(e, forgetful) && !e.is(IssMessage.Status.class));
            ensemble.start(forgetful);
            ensemble.propose(4, "a");
            ensemble.ticks(2 * SOME_TIME_TICKS);
            assertEquals("without " + forgetful, List.of("a"), ensemble.commandsAt(4));
        }
    }

    /** Seed 50142. */
    @Test
    public void whoTookTheLastSegmentOverLosesItsDisk_anotherFinishesIt() {
        IssEnsemble ensemble = IssEnsemble.of(5);
        ensemble.crash(5);
        ensemble.lose(e -> e.is(AcceptNil.class));
        ensemble.ticks(20);
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.is(AcceptNil.class) && e.from() == 1));
        ensemble.crash(1);
        ensemble.node(1).loseDisk();
        ensemble.lose(e -> false);
        ensemble.start(1);
        ensemble.start(5);
        // In this epoch 5 may not propose what its client asks for.
        ensemble.propose(5, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(2).contains("a"));
    }

    /** An observer starts when nobody is left who could tell it that the leader of its commands proposes no more. */
    @Test
    public void leaderOfTheBucketAndWhoFinishedItsSegmentAreGone_commandIsOrdered() {
        for (int owner = 1; owner <= 5; owner++) {
            for (int observer = 6; observer <= 8; observer++) {
                assertEquals(
                        "with " + owner + " and the next one down",
                        List.of("a"),
                        bucketOfNobodyThatIsLeft(new SafetyRules(), owner, observer));
            }
        }
    }

    @Test
    public void nobodyEndsTheEpochForALeaderThatIsGone_someCommandIsNotOrdered() {
        SafetyRules without = SafetyRules.without(SafetyRule.EPOCH_ENDS_FOR_COMMANDS_OF_A_LEADER_THAT_IS_GONE);
        assertTrue(IntStream.range(1, 6)
                .anyMatch(owner -> IntStream.range(6, 9)
                        .anyMatch(observer -> bucketOfNobodyThatIsLeft(without, owner, observer)
                                .isEmpty())));
    }

    /** Of some observer the owner leads the bucket when the observer starts. Returns what that one executes. */
    private static List<String> bucketOfNobodyThatIsLeft(SafetyRules rules, int owner, int late) {
        IssEnsemble ensemble = IssEnsemble.notStarted(5, 3, Map.of(), rules);
        int next = 1 + owner % 5;
        IntStream.range(1, 6).forEach(ensemble::start);
        ensemble.settle();
        ensemble.crash(owner);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.crash(next);
        ensemble.start(late);
        ensemble.propose(late, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        return ensemble.commandsAt(late);
    }

    /** A leader that is gone for good leads every epoch again: so it must not have the same bucket again. */
    @Test
    public void leaderIsGoneForGoodAndLeadsAgain_anotherGetsTheBucketOfAnObserver() {
        for (int gone = 1; gone <= 4; gone++) {
            IssEnsemble ensemble = IssEnsemble.notStarted(4, 1, Map.of("iss.leaderPolicy", "all"));
            ensemble.members().forEach(ensemble::start);
            ensemble.settle();
            ensemble.crash(gone);
            ensemble.propose(5, "a");
            ensemble.ticks(2 * SOME_TIME_TICKS);
            assertEquals("with " + gone + " down", List.of("a"), ensemble.commandsAt(5));
        }
    }

    /** Nobody ends epochs over and over for a leader that only one replica cannot reach. */
    @Test
    public void leaderOfTheBucketCannotBeReached_epochsEndNoFasterThanItIsSuspected() {
        IssEnsemble ensemble = IssEnsemble.notStarted(5, 1);
        ensemble.members().forEach(ensemble::start);
        ensemble.settle();
        ensemble.lose(e -> touches(e, 6) && touches(e, 2));
        ensemble.propose(6, "a");
        long before = ensemble.node(1).gauge("epoch");
        ensemble.ticks(SOME_TIME_TICKS);
        long epochs = ensemble.node(1).gauge("epoch") - before;
        assertTrue(epochs + " epochs", epochs <= SOME_TIME_TICKS / SUSPICION_TICKS);
        ensemble.lose(e -> false);
        ensemble.relink(2, 6);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(List.of("a"), ensemble.commandsAt(3));
    }

    /**
     * Seeds 6804853964389 and 8748639612685: the leader of a bucket is gone, and leads every epoch again. Ends by wish
     * must not empty one epoch after the other, each longer than the one before.
     */
    @Test
    public void leaderThatIsGoneLeadsAgain_orderGrowsNoFasterThanItIsSuspected() {
        for (String buckets : List.of("sticky", "rotating")) {
            for (int epochsLater = 0; epochsLater < 3; epochsLater++) {
                leaderThatIsGoneLeadsAgain(buckets, epochsLater);
            }
        }
    }

    /** Two replicas miss it, the second some epochs later than the first. */
    private static void leaderThatIsGoneLeadsAgain(String buckets, int epochsLater) {
        IssEnsemble ensemble =
                IssEnsemble.notStarted(4, 5, Map.of("iss.leaderPolicy", "all", "iss.bucketPolicy", buckets));
        ensemble.members().forEach(ensemble::start);
        ensemble.ticks(SUSPICION_TICKS);
        int owner = 1 + 5 % 4;
        ensemble.crash(owner);
        long before = ensemble.node(1).gauge("epoch");
        ensemble.propose(5, "a");
        for (int i = 0; i < SUSPICION_TICKS && ensemble.node(1).gauge("epoch") < before + epochsLater; i++) {
            ensemble.ticks(1);
        }
        ensemble.propose(9, "b");
        for (int i = 0; i < 2 * SOME_TIME_TICKS; i++) {
            ensemble.propose(1 + 2 * (i % 2), "c" + i);
            ensemble.ticks(1);
        }
        long epochs = ensemble.node(1).gauge("epoch") - before;
        String story = buckets + ", " + epochsLater + " later: ";
        assertTrue(story + epochs + " epochs", epochs <= 8 + 3 * SOME_TIME_TICKS / SUSPICION_TICKS);
        long positions = ensemble.node(1).gauge("segment_positions");
        assertTrue(story + positions + " positions", positions <= 64);
        ensemble.start(owner);
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(story, ensemble.commandsAt(1).containsAll(List.of("a", "b")));
    }

    /**
     * Before the number of its disk is durable a replica tells none, and "none" is also how the first membership calls
     * the disks of its founders.
     */
    @Test
    public void lateServerIsHeardBeforeItHasADisk_nobodyIsRemovedWithItsVoteInMind() {
        IssEnsemble ensemble = IssEnsemble.notStarted(3, 0, Map.of("iss.minQuorumSize", "1"));
        ensemble.start(2);
        ensemble.start(3);
        ensemble.settle();
        ensemble.propose(3, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.lose(e -> touches(e, 2));
        ensemble.delay(e -> e.from() == 1);
        ensemble.start(1);
        ensemble.ticks(REMOVAL_TICKS);
        ensemble.arrive();
        ensemble.lose(e -> false);
        ensemble.relink(1, 2);
        ensemble.relink(2, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.propose(1, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        for (int id : ensemble.members()) {
            assertTrue("replica " + id, ensemble.commandsAt(id).contains("b"));
        }
    }

    /** Each takes the other for the only member: it lets the other in and leaves, and the other does so too. */
    @Test
    public void membersKnowOfDifferentEnsembles_theyDoNotReplaceEachOtherFasterThanHeartbeats() {
        IssEnsemble ensemble =
                IssEnsemble.of(2, Map.of("iss.minQuorumSize", "1", "iss.leaderPolicy", "all"), new SafetyRules());
        ensemble.ticks(SUSPICION_TICKS);
        long before = ensemble.node(1).gauge("epoch");
        for (int id = 1; id <= 2; id++) {
            Ensemble other = Ensemble.of(List.of(3 - id));
            ensemble.node(id).input(p -> p.onEnsemble(other));
        }
        for (int i = 0; i < SUSPICION_TICKS; i++) {
            ensemble.tickAll();
            ensemble.settleAtMost(500);
        }
        long epochs = Math.max(ensemble.node(1).gauge("epoch"), ensemble.node(2).gauge("epoch")) - before;
        assertTrue(epochs + " epochs in " + SUSPICION_TICKS + " ticks", epochs <= SUSPICION_TICKS + 2);
        for (int id = 1; id <= 2; id++) {
            ensemble.node(id).input(p -> p.onEnsemble(ensemble.configured()));
        }
        ensemble.propose(1, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(2).contains("a"));
    }

    /** Its server counts from when the last of a quorum was heard, not from when that was noticed. */
    @Test
    public void quorumFallsSilent_theMemberThatIsLeftTellsForHowLong() {
        Map<String, String> settings = Map.of("iss.suspicionTimeoutMillis", "1000", "iss.heartbeatMillis", "200");
        IssEnsemble ensemble = IssEnsemble.of(3, settings, new SafetyRules());
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.lose(e -> touches(e, 3));
        assertTrue(ensemble.node(3).status().role() != Role.LOOKING);
        for (int tick = 0; ensemble.node(3).status().role() != Role.LOOKING; tick++) {
            assertTrue("does not look after " + tick + " ticks", tick < SOME_TIME_TICKS);
            ensemble.ticks(1);
        }
        assertEquals(1000, ensemble.node(3).status().silentMillis());
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(1000, ensemble.node(3).status().silentMillis());
    }

    /**
     * Seed 821302221 of minorities. A member has come back without its disk, and has something to ask for; as it leads
     * its own bucket it wishes for the end of each epoch at once. No epoch ends soon, because a disk hangs.
     */
    @Test
    public void joinerWishesForTheEndOfEachEpoch_isAdmitted() {
        for (int back = 1; back <= 5; back++) {
            for (int hanging = 1; hanging <= 5; hanging++) {
                if (back != hanging) {
                    joinerWishesForTheEndOfEachEpoch(back, hanging);
                }
            }
        }
    }

    private static void joinerWishesForTheEndOfEachEpoch(int back, int hanging) {
        IssEnsemble ensemble =
                IssEnsemble.of(5, Map.of("iss.leaderPolicy", "all", "iss.minSegmentPositions", "2"), new SafetyRules());
        ensemble.ticks(SUSPICION_TICKS);
        ensemble.crash(back);
        ensemble.node(back).loseDisk();
        ensemble.node(hanging).holdDisk(true);
        ensemble.start(back);
        ensemble.propose(back, "asked");
        ensemble.ticks(20 * SUSPICION_TICKS);
        assertTrue(
                back + " back, " + hanging + " hangs",
                ensemble.commandsAt(1 + hanging % 5).contains("asked"));
    }

    /**
     * Seed 971301198. A replica wishes for the end of the epoch, since it hears nothing of the coordinator, which leads
     * its bucket; all others hear the wish. They must not take the coordinator for one that stands still.
     */
    @Test
    public void coordinatorDoesNotHearWhoWishesForTheEnd_othersTellIt() {
        IssEnsemble ensemble = IssEnsemble.notStarted(4, 3);
        ensemble.members().forEach(ensemble::start);
        ensemble.ticks(2 * SUSPICION_TICKS);
        int coordinator = ensemble.node(1).status().leader();
        long epoch = ensemble.node(1).gauge("epoch");
        int cutOff = ensemble.members().stream()
                .filter(id -> id > 4 && ownerOf(id, epoch) == coordinator)
                .findFirst()
                .orElseThrow();
        ensemble.lose(e -> touches(e, coordinator) && touches(e, cutOff));
        ensemble.ticks(2 * SUSPICION_TICKS);
        ensemble.propose(cutOff, "a");
        ensemble.ticks(4 * SUSPICION_TICKS);
        assertEquals(List.of("a"), ensemble.commandsAt(1));
        assertEquals(Role.LEADER, ensemble.node(coordinator).status().role());
        assertTrue(ensemble.sent().stream().noneMatch(e -> e.is(PreVote.class)));
    }

    /** Of the members 1 to 4 and who leads the commands of which replica, as the buckets rotate. */
    private static int ownerOf(int id, long epoch) {
        return 1 + (int) ((id + epoch) % 4);
    }
}
