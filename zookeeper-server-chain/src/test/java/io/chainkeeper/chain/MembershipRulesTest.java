package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.Test;

/** As {@link SafetyRulesTest}: rules about who decides. */
public final class MembershipRulesTest {
    private static final SafetyRules ALL = new SafetyRules();

    private static final int JOINER = 4;

    private static Ensemble sorted(Integer... ids) {
        return Ensemble.of(Stream.of(ids).sorted().toList());
    }

    private static void awaitMembership(ScriptedEnsemble ensemble, int at, Predicate<Membership> which) {
        ensemble.runUntil("a membership", 400, () -> {
            Membership known = ensemble.replica(at).membership;
            return known != null && which.test(known);
        });
    }

    /**
     * A leader that is cut off accepts a command and, on top of it, a change of the membership; the others make another
     * change. Returns whether somebody proposes the first one again, which would undo the second one.
     */
    private static boolean changeOnTopOfLostValuesComesBack(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 5);
        int former = ensemble.awaitLeader();
        int second = ensemble.behindLeader(former, 1);
        int third = ensemble.behindLeader(former, 2);
        int fourth = ensemble.behindLeader(former, 3);
        int last = ensemble.behindLeader(former, 4);
        ensemble.run(5);
        long before = ensemble.replica(former).gauge("max_accepted");
        for (int other : List.of(second, third, fourth, last)) {
            ensemble.stall(former, other);
            ensemble.stall(other, former);
        }
        ensemble.replica(former).propose("lost");
        ensemble.replica(former).input(p -> p.onEnsemble(sorted(former, second, third, fourth)));
        ensemble.run(1);
        assertEquals(
                "the command, the change", before + 2, ensemble.replica(former).gauge("max_accepted"));
        ensemble.crash(former);
        ensemble.configure(sorted(former, second, third, last));
        awaitMembership(ensemble, second, members -> members.replicaIds().size() == 4 && !members.contains(fourth));

        ensemble.crash(List.of(second, third, last).stream()
                .filter(id -> ensemble.replica(id).leads())
                .findFirst()
                .orElseThrow());
        ensemble.sent.clear();
        for (int other : List.of(second, third, fourth, last)) {
            ensemble.unstall(former, other);
            ensemble.unstall(other, former);
        }
        ensemble.start(former);
        ensemble.replica(former).propose("a");
        ensemble.runUntil(
                "three of four", 400, () -> !ensemble.replica(former).executed.isEmpty());
        ensemble.run(100);
        assertEquals(List.of("a"), ensemble.replica(former).executed);
        return ensemble.sent.stream()
                .filter(sent -> sent.message() instanceof Accept)
                .map(sent -> ((Accept) sent.message()).value())
                .anyMatch(value -> BatchCodec.isMembership(value)
                        && !BatchCodec.membershipIn(value).contains(last));
    }

    @Test
    public void membershipOnTopOfOtherValues_isNotTakenUp() {
        assertFalse(changeOnTopOfLostValuesComesBack(ALL));
        assertTrue(changeOnTopOfLostValuesComesBack(SafetyRules.without(SafetyRule.VOID_MEMBERSHIP_IS_DROPPED)));
    }

    /** A second member asks to be admitted, and crashes before it has made the number of its disk durable. */
    private static List<String> joinerForgetsItsNumber(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 1);
        ensemble.configure(sorted(1, 2));
        ensemble.holdDisk(2);
        ensemble.start(2);
        ensemble.run(60);
        ensemble.crash(2);
        ensemble.releaseDisk(2);
        ensemble.start(2);
        ensemble.replica(1).propose("a");
        ensemble.run(400);
        return ensemble.replica(1).executed;
    }

    @Test
    public void joinerThatForgetsItsNumber_doesNotStopTheOrder() {
        assertEquals(List.of("a"), joinerForgetsItsNumber(ALL));
        assertEquals(List.of(), joinerForgetsItsNumber(SafetyRules.without(SafetyRule.LEARNER_TELLS_A_DURABLE_DISK)));
    }

    /**
     * A command and an admission are decided by the leader and one follower, which hears of neither decision. The new
     * member, whose file lists only that follower, has accepted both and hears that the first is decided. The leader
     * goes. Would the new member stand before it knows who votes on the second one, then it would take its own
     * admission for one that cannot have been decided.
     */
    private static void joinerStandsBeforeItKnows(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 3);
        int leader = ensemble.awaitLeader();
        int middle = ensemble.behindLeader(leader, 1);
        int last = ensemble.behindLeader(leader, 2);
        ensemble.configure(sorted(1, 2, 3, JOINER));
        ensemble.start(JOINER);
        ensemble.restartWith(JOINER, List.of(middle));
        ensemble.crash(last);
        ensemble.holdDisk(leader);
        ensemble.replica(leader).propose("first");
        ensemble.runUntil(
                "the admission",
                100,
                () -> ensemble.log(JOINER).at(2) != null && ensemble.log(middle).at(2) != null);
        ensemble.stall(leader, middle);
        ensemble.stall(leader, JOINER);
        ensemble.releaseDisk(leader);
        awaitMembership(ensemble, leader, members -> members.contains(JOINER));
        Progress first = new Progress();
        first.raiseMaxDecided(1);
        Ballot ballot = new Ballot(ensemble.replica(leader).status().epoch(), leader);
        ensemble.replica(JOINER).input(p -> p.onMessage(leader, new AcceptAck(ballot, 1, first)));
        ensemble.crash(leader);
        ensemble.run(100);
        ensemble.unstall(leader, middle);
        ensemble.unstall(leader, JOINER);
        ensemble.start(leader);
        ensemble.start(last);
        ensemble.replica(JOINER).propose("a");
        ensemble.run(200);
        for (int id : List.of(leader, middle, last, JOINER)) {
            assertEquals("at " + id, List.of("first", "a"), ensemble.replica(id).executed);
        }
    }

    @Test
    public void candidate_knowsTheMembershipFromTheOrder() {
        joinerStandsBeforeItKnows(ALL);
        SafetyRules without = SafetyRules.without(SafetyRule.CANDIDATE_KNOWS_THE_MEMBERSHIP);
        AssertionError broken = assertThrows(AssertionError.class, () -> joinerStandsBeforeItKnows(without));
        assertTrue(broken.getMessage(), broken.getMessage().contains("at position 2"));
    }
}
