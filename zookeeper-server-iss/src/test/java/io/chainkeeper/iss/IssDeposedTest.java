package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssEnsemble.Envelope;
import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Fetch;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.PreVote;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/**
 * Proposers whose segment others have finished with other values, and who do not know it yet. Replica 1 leads segment
 * 0, with positions 1, 1 + n, and so on.
 */
public final class IssDeposedTest {
    private static final int SOME_TIME_TICKS = 200;
    private static final int SUSPICION_TICKS = 40;

    /** A value that no {@link Learn} holds together with another one. */
    private static final String LARGE = "x".repeat(700 << 10);

    private static final Map<String, String> LARGE_BATCHES =
            Map.of("iss.maxBatchBytes", "1048576", "iss.maxBatchCommands", "1");

    private static boolean touches(Envelope envelope, int id) {
        return envelope.from() == id || envelope.to() == id;
    }

    private static boolean crosses(Envelope envelope, Set<Integer> side) {
        return side.contains(envelope.from()) != side.contains(envelope.to());
    }

    private static boolean isOfSegment(Envelope envelope, int segment) {
        return envelope.message() instanceof OfSegment m && m.segment() == segment;
    }

    /**
     * 1 and 5 are cut off from the majority, which leaves the positions of 1 empty. 1 is back before 5 and learns, part
     * by part, that its first position is empty, while it waits for votes in later ones.
     */
    static void deposedLeaderLearnsPartByPart(SafetyRules rules) {
        IssEnsemble ensemble = IssEnsemble.of(5, LARGE_BATCHES, rules);
        ensemble.lose(e -> crosses(e, Set.of(1, 5)));
        ensemble.propose(1, "a");
        ensemble.propose(1, "b");
        ensemble.propose(2, LARGE);
        ensemble.propose(2, LARGE);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("the majority goes on", List.of(LARGE, LARGE), ensemble.commandsAt(3));
        assertTrue("in another epoch", ensemble.node(3).gauge("epoch") > 1);
        ensemble.lose(e -> crosses(e, Set.of(1, 5)) && !(touches(e, 1) && touches(e, 3)));
        ensemble.relink(1, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("has learned all", ensemble.commandsAt(3), ensemble.commandsAt(1));
        ensemble.lose(e -> false);
        for (int id : List.of(2, 3, 4)) {
            ensemble.relink(5, id);
        }
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.propose(4, "c");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue("nothing is lost", ensemble.commandsAt(1).containsAll(List.of("a", "b", "c")));
        for (int id : ensemble.members()) {
            assertEquals(ensemble.commandsAt(1), ensemble.commandsAt(id));
        }
    }

    @Test
    public void deposedLeaderLearnsPartByPart_announcesNothingOfItsOldBallot() {
        deposedLeaderLearnsPartByPart(new SafetyRules());
    }

    /**
     * 2 takes over from 1 and proposes what only it has accepted, which only 5 hears. The others take over from 2, and
     * 2 is back before 5.
     */
    @Test
    public void supersededCandidateLearnsPartByPart_announcesNothingOfItsBallot() {
        IssEnsemble ensemble = IssEnsemble.of(5, LARGE_BATCHES, new SafetyRules());
        ensemble.node(1).holdDisk(true);
        ensemble.lose(e -> touches(e, 1) && e.to() != 2);
        ensemble.propose(1, "a");
        ensemble.propose(1, "b");
        ensemble.settle();
        ensemble.crash(1);
        ensemble.node(1).holdDisk(false);
        ensemble.lose(e -> e.is(Accept.class) && isOfSegment(e, 0) && e.to() != 5);
        ensemble.ticks(SUSPICION_TICKS);
        assertTrue(ensemble.sent().stream().anyMatch(e -> isAcceptOf(e, 2)));
        ensemble.lose(e -> crosses(e, Set.of(2, 5)));
        ensemble.start(1);
        ensemble.propose(3, LARGE);
        ensemble.propose(3, LARGE);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("the majority goes on", List.of(LARGE, LARGE), ensemble.commandsAt(4));
        ensemble.lose(e -> crosses(e, Set.of(2, 5)) && !(touches(e, 2) && touches(e, 3)));
        ensemble.relink(2, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("has learned all", ensemble.commandsAt(3), ensemble.commandsAt(2));
        ensemble.lose(e -> false);
        for (int id : List.of(1, 3, 4)) {
            ensemble.relink(5, id);
        }
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered(LARGE, LARGE);
    }

    private static boolean isAcceptOf(Envelope envelope, int replica) {
        return envelope.message() instanceof Accept m
                && m.segment() == 0
                && m.ballot().replica() == replica;
    }

    /** 5 has been told that the first position is empty, and has not executed it, when 1 proposes something there. */
    @Test
    public void acceptForWhatWasLearnedToBeDecidedOtherwise_isNotAccepted() {
        IssEnsemble ensemble = IssEnsemble.of(5);
        ensemble.lose(e -> touches(e, 1) || isOfSegment(e, 0) && e.to() == 5);
        ensemble.propose(1, "a");
        ensemble.node(5).holdDisk(true);
        ensemble.propose(2, "b");
        ensemble.ticks(SUSPICION_TICKS);
        assertEquals(List.of("b"), ensemble.commandsAt(3));
        assertEquals("waits for its disk", List.of(), ensemble.commandsAt(5));
        assertEquals("in the epoch in which 1 proposes", 1, ensemble.node(5).gauge("epoch"));
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.is(Learn.class) && e.to() == 5));
        ensemble.lose(e -> touches(e, 1) && !touches(e, 5));
        ensemble.relink(1, 5);
        ensemble.settle();
        ensemble.node(5).holdDisk(false);
        ensemble.lose(e -> false);
        for (int id : List.of(2, 3, 4)) {
            ensemble.relink(1, id);
        }
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.assertDelivered("b", "a");
    }

    /**
     * What 1 proposes reaches 4 and 5 only. 2 takes over with those who know nothing of it, and what it then says to 5
     * is on its way for long. 3 takes over from 2, hears of the command by 4, and has it decided. 1 learns so, part by
     * part, and announces it to 5, before 5 hears what 2 had proposed there between the two.
     */
    @Test
    public void proposalOfABallotBetween_isRefusedByWhoHasBeenToldTheDecision() {
        Set<Integer> others = Set.of(2, 3, 6, 7);
        IssEnsemble ensemble = IssEnsemble.of(7, LARGE_BATCHES, new SafetyRules());
        ensemble.lose(e -> touches(e, 1) && !(e.is(Accept.class) && Set.of(4, 5).contains(e.to())));
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.delay(e -> e.from() == 2 && e.to() == 5);
        ensemble.lose(e -> crosses(e, others) && !(e.from() == 2 && e.to() == 5)
                || e.from() == 2 && e.to() != 5 && isOfSegment(e, 0) && proposes(e));
        ensemble.propose(3, LARGE);
        while (ensemble.sent().stream().noneMatch(e -> e.from() == 2 && isOfSegment(e, 0) && proposes(e))) {
            ensemble.ticks(1);
        }
        Set<Integer> majority = Set.of(3, 4, 6, 7);
        ensemble.lose(e -> crosses(e, majority) && !(e.from() == 2 && e.to() == 5)
                || e.is(PreVote.class) && isOfSegment(e, 0) && e.from() != 3);
        for (int id : Set.of(3, 6, 7)) {
            ensemble.relink(4, id);
        }
        ensemble.propose(4, LARGE);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("the majority goes on", List.of("a", LARGE, LARGE), ensemble.commandsAt(6));
        for (int i = 0; i < EpochConfig.INITIAL_SEGMENT_POSITIONS; i++) {
            ensemble.propose(3, "b" + i);
        }
        ensemble.settle();
        assertTrue("in another epoch", ensemble.node(3).gauge("epoch") > 1);
        ensemble.lose(
                e -> crosses(e, majority) && !(touches(e, 1) && touches(e, 3)) || e.is(Fetch.class) && e.from() == 5);
        ensemble.relink(1, 5);
        ensemble.relink(1, 3);
        ensemble.ticks(SOME_TIME_TICKS);
        assertEquals("has learned all", ensemble.commandsAt(6), ensemble.commandsAt(1));
        ensemble.arrive();
        ensemble.lose(e -> false);
        for (int id : ensemble.members()) {
            for (int other = 1; other < id; other++) {
                ensemble.relink(other, id);
            }
        }
        ensemble.ticks(SOME_TIME_TICKS);
        for (int id : ensemble.members()) {
            assertEquals("replica " + id, ensemble.commandsAt(6), ensemble.commandsAt(id));
        }
    }

    private static boolean proposes(Envelope envelope) {
        return envelope.is(Accept.class) || envelope.is(AcceptNil.class);
    }
}
