package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssEnsemble.Envelope;
import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.Skip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** The claims that ISS rests on, each as a story. Replica 1 leads segment 0, with positions 1, 1 + n, and so on. */
public final class IssPaperTest {
    private static final int SOME_TIME_TICKS = 200;
    private static final int HEARTBEAT_TICKS = 4;

    private static final SafetyRules NIL_ON_RECEIPT = SafetyRules.without(SafetyRule.NIL_OF_A_TAKEOVER_NEEDS_A_QUORUM);

    private static boolean touches(Envelope envelope, int id) {
        return envelope.from() == id || envelope.to() == id;
    }

    private static boolean isOfSegment(Envelope envelope, int segment) {
        return envelope.message() instanceof OfSegment m && m.segment() == segment;
    }

    @Test
    public void idleLeaders_skipAtOnce_writeIsDecidedWithoutTicks() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(2, "a");
        ensemble.settle();
        ensemble.assertDelivered("a");
        ensemble.propose(1, "b");
        ensemble.settle();
        ensemble.assertDelivered("a", "b");
    }

    @Test
    public void allPropose_allDeliverTheSame() {
        IssEnsemble ensemble = IssEnsemble.of(5, Map.of("iss.maxBatchCommands", "1"), new SafetyRules());
        for (int i = 0; i < 200; i++) {
            ensemble.propose(1 + i % 5, "c" + i);
        }
        ensemble.settle();
        for (int id : ensemble.members()) {
            assertEquals("none is ordered again", 200, ensemble.commandsAt(id).size());
            assertEquals(200, ensemble.commandsAt(id).stream().distinct().count());
        }
        assertTrue("epochs follow one another", ensemble.node(1).gauge("epoch") > 1);
    }

    @Test
    public void takeoverLeaderMeetsHalfAcceptedValue_sameValueEverywhere() {
        takeoverLeaderMeetsHalfAcceptedValue(new SafetyRules());
    }

    /** What the thesis decides on receipt, and what then happens. */
    @Test
    public void takeoverNilDecidedOnReceipt_isUnsafe() {
        AssertionError broken =
                assertThrows(AssertionError.class, () -> takeoverLeaderMeetsHalfAcceptedValue(NIL_ON_RECEIPT));
        assertTrue(broken.getMessage(), broken.getMessage().contains("agreement"));
    }

    private static void takeoverLeaderMeetsHalfAcceptedValue(SafetyRules rules) {
        IssEnsemble ensemble = IssEnsemble.of(5, Map.of(), rules);
        ensemble.lose(e -> e.is(Accept.class) && e.to() != 5);
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.crash(1);
        // 2 takes over with the promises of 3 and 4, and its nil reaches 3 only, which tells nobody else of it.
        ensemble.lose(e -> touches(e, 5)
                || e.from() == 3 && (e.to() != 2 || e.is(Learn.class))
                || e.is(AcceptNil.class) && isOfSegment(e, 0) && e.to() != 3);
        ensemble.ticks(20);
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.is(AcceptNil.class) && isOfSegment(e, 0)));
        ensemble.crash(2);
        // The next candidate hears 1, 4 and 5, of which two hold the command and none the nil.
        ensemble.lose(e -> touches(e, 3));
        ensemble.start(1);
        ensemble.relink(4, 5);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(List.of("a"), ensemble.commandsAt(4));
        ensemble.lose(e -> false);
        for (int id : List.of(1, 4, 5)) {
            ensemble.relink(3, id);
        }
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered("a");
    }

    @Test
    public void committedByOneAcceptor_newLeaderAdoptsIt() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> e.is(Accept.class) && e.to() == 3 || e.is(Decided.class) && e.to() == 3);
        ensemble.propose(1, "a");
        ensemble.settle();
        assertEquals(List.of("a"), ensemble.commandsAt(2));
        ensemble.crash(1);
        ensemble.lose(e -> false);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered("a");
        ensemble.propose(3, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered("a", "b");
    }

    @Test
    public void acceptedByOneThatDidNotHearOfTheDecision_newLeaderAdoptsIt() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> e.is(Accept.class) && e.to() == 3 || e.is(Decided.class));
        ensemble.propose(1, "a");
        ensemble.settle();
        assertEquals(List.of("a"), ensemble.commandsAt(1));
        ensemble.crash(1);
        ensemble.lose(e -> false);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered("a");
    }

    @Test
    public void candidateWithoutPromises_sendsNoAccept() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.crash(1);
        ensemble.lose(e -> e.is(Promise.class));
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.is(Promise.class)));
        assertFalse(ensemble.sent().stream().anyMatch(e -> e.is(AcceptNil.class)));
        assertFalse(ensemble.sent().stream()
                .anyMatch(e -> e.message() instanceof Accept a && a.ballot().round() > 0));
    }

    @Test
    public void restartedLeader_isSilentInTheEpochInWhichItMayHaveSpoken() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> e.is(Accept.class));
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.crash(1);
        ensemble.lose(e -> false);
        ensemble.forgetSent();
        ensemble.start(1);
        ensemble.propose(1, "b");
        ensemble.settle();
        assertFalse(ensemble.sent().stream()
                .anyMatch(e -> e.from() == 1
                        && (e.is(Skip.class)
                                || e.message() instanceof Accept a && a.ballot().round() == 0)
                        && ((OfSegment) e.message()).epoch() == 1));
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.propose(2, "c");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(2).containsAll(List.of("b", "c")));
    }

    @Test
    public void nodeMissesLastDeliverOfEpoch_catchesUp() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> touches(e, 1));
        List<String> commands = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            commands.add("c" + i);
            ensemble.propose(2, "c" + i);
            ensemble.ticks(2);
        }
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(List.of(), ensemble.commandsAt(1));
        assertTrue(ensemble.node(2).gauge("epoch") > 1);
        ensemble.lose(e -> false);
        ensemble.relink(1, 2);
        ensemble.relink(1, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered(commands.toArray(new String[0]));
    }

    @Test
    public void nodeDownForTenEpochs_installsCheckpoint() {
        IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.minSegmentPositions", "2"), new SafetyRules());
        ensemble.crash(1);
        for (int i = 0; i < 400; i++) {
            ensemble.propose(2, "c" + i);
            ensemble.ticks(1);
        }
        assertTrue("ten epochs have passed", ensemble.node(2).gauge("epoch") > 10);
        for (int id : List.of(2, 3)) {
            ensemble.crash(id);
            ensemble.start(id);
            ensemble.node(id).truncateLog();
        }
        ensemble.start(1);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(1, ensemble.node(1).stateNeededAt());
        ensemble.crash(1);
        ensemble.node(1).installStateOf(ensemble.node(2));
        ensemble.start(1);
        ensemble.propose(1, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(3).contains("a"));
        assertEquals(ensemble.commandsAt(3), ensemble.commandsAt(1));
        assertEquals(1, ensemble.node(1).gauge("is_voter"));
    }

    @Test
    public void sessionPipelines1000Requests_orderKeptAcrossEpochs() {
        IssEnsemble ensemble = IssEnsemble.of(
                3,
                Map.of(
                        "iss.maxBatchCommands", "3",
                        "iss.minSegmentPositions", "4",
                        "iss.maxSegmentPositions", "4"),
                new SafetyRules());
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            expected.add("c" + i);
            ensemble.propose(2, "c" + i);
            if (i % 100 == 0) {
                ensemble.settle();
            }
        }
        ensemble.settle();
        ensemble.assertDelivered(expected.toArray(new String[0]));
        assertTrue("epochs have passed", ensemble.node(2).gauge("epoch") > 5);
    }

    @Test
    public void oneNodeDown_throughputDropsOnceNotEveryEpoch() {
        IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.minSegmentPositions", "4"), new SafetyRules());
        ensemble.crash(3);
        int waited = 0;
        for (int i = 0; i < 300; i++) {
            ensemble.propose(1, "c" + i);
            ensemble.settle();
            if (ensemble.commandsAt(1).size() <= i) {
                waited++;
                ensemble.ticks(60);
            }
            assertEquals(i + 1, ensemble.commandsAt(1).size());
        }
        assertTrue("waited " + waited + " times", waited <= 2);
        assertTrue(ensemble.node(1).gauge("epoch") > 5);
    }

    @Test
    public void idleCluster_writesLessThan1kBPerSecond() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.ticks(10);
        long records = ensemble.node(1).log().syncedRecords();
        ensemble.ticks(10 * SOME_TIME_TICKS);
        assertEquals("nothing at all", records, ensemble.node(1).log().syncedRecords());
    }

    /** What it costs when only one client writes: an fsync each, at each replica, and never one more. */
    @Test
    public void writeBesideIdleLeaders_isForcedOnce() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.settle();
        long[] before = {
            0,
            ensemble.node(1).log().syncs(),
            ensemble.node(2).log().syncs(),
            ensemble.node(3).log().syncs()
        };
        int writes = 10;
        for (int i = 0; i < writes; i++) {
            ensemble.propose(1, "b" + i);
            ensemble.settle();
        }
        for (int id : ensemble.members()) {
            assertEquals(
                    "replica " + id,
                    before[id] + writes,
                    ensemble.node(id).log().syncs());
        }
    }

    @Test
    public void duplicateAfterEpochChange_deliveredOnce() {
        Map<String, String> shortEpochs = Map.of(
                "iss.bucketPolicy", "rotating",
                "iss.minSegmentPositions", "2",
                "iss.maxSegmentPositions", "2",
                "iss.maxBatchCommands", "1");
        IssEnsemble ensemble = IssEnsemble.of(3, shortEpochs, new SafetyRules());
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            expected.add("c" + i);
            ensemble.propose(2, "c" + i);
            if (i % 7 == 0) {
                // All that is outstanding is forwarded again.
                ensemble.relink(2, 1);
                ensemble.relink(2, 3);
            }
            if (i % 20 == 0) {
                ensemble.settle();
            }
        }
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered(expected.toArray(new String[0]));
        assertTrue(ensemble.node(1).gauge("epoch") > 5);
    }

    /** Every message wakes two threads at either end: they are what an idle ensemble costs. */
    @Test
    public void idleEnsemble_sleepsFromHeartbeatToHeartbeat() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.forgetSent();
        int before = ensemble.node(2).quietTicks();
        int heartbeats = 30;
        ensemble.ticks(heartbeats * HEARTBEAT_TICKS);
        int quiet = ensemble.node(2).quietTicks() - before;
        assertTrue(quiet + " quiet ticks", quiet >= heartbeats * (HEARTBEAT_TICKS - 1) - 1);
        assertEquals(heartbeats * 3 * 2, ensemble.sent().size());
    }

    @Test
    public void readAtAnyReplica_needsNoWriteAndNoTick() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.settle();
        long records = ensemble.node(3).log().syncedRecords();
        for (int id : ensemble.members()) {
            ensemble.node(id).input(p -> p.onReadBarrier(1));
        }
        ensemble.settle();
        for (int id : ensemble.members()) {
            assertEquals(List.of(1L), ensemble.node(id).barriers());
        }
        assertEquals(records, ensemble.node(3).log().syncedRecords());
    }

    @Test
    public void readAtReplicaThatIsBehind_waitsForWhatOthersHaveExecuted() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> e.to() == 3 && (e.is(Accept.class) || e.is(Decided.class)));
        ensemble.propose(1, "a");
        ensemble.settle();
        assertEquals(List.of("a"), ensemble.commandsAt(2));
        ensemble.node(3).input(p -> p.onReadBarrier(1));
        ensemble.settle();
        assertEquals(List.of(), ensemble.node(3).barriers());
        ensemble.lose(e -> false);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals(List.of("a"), ensemble.commandsAt(3));
        assertEquals(List.of(1L), ensemble.node(3).barriers());
    }

    @Test
    public void allNodesCrash_decidedValuesSurvive() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.propose(2, "b");
        ensemble.settle();
        List<String> before = ensemble.commandsAt(1);
        ensemble.members().forEach(ensemble::crash);
        ensemble.members().forEach(ensemble::start);
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.propose(3, "c");
        ensemble.ticks(SOME_TIME_TICKS);
        List<String> expected = new ArrayList<>(before);
        expected.add("c");
        ensemble.assertDelivered(expected.toArray(new String[0]));
    }

    @Test
    public void lostDisk_isAdmittedAnewAndVotesOnlyThen() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.crash(3);
        ensemble.node(3).loseDisk();
        ensemble.start(3);
        ensemble.settle();
        assertEquals(0, ensemble.node(3).gauge("is_voter"));
        ensemble.ticks(2 * SOME_TIME_TICKS);
        assertEquals(1, ensemble.node(3).gauge("is_voter"));
        ensemble.propose(3, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(1).contains("b"));
    }
}
