package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.Test;

/** Each rule, and what happens without it: a story that ends well with all rules ends in a violation without one. */
public final class SafetyRulesTest {
    private static final SafetyRules ALL = new SafetyRules();

    private static final SafetyRules WITHOUT_READ_INDEX = SafetyRules.without(SafetyRule.READ_WAITS_FOR_READ_INDEX);

    private static final SafetyRules WITHOUT_READ_QUORUM = SafetyRules.without(SafetyRule.READ_ROUND_NEEDS_QUORUM);

    private static final SafetyRules WITHOUT_BALLOT_OF_VALUE =
            SafetyRules.without(SafetyRule.VALUE_OF_THIS_BALLOT_COUNTS);

    private static final SafetyRules WITHOUT_LATER_QUORUMS =
            SafetyRules.without(SafetyRule.QUORUM_OF_LATER_MEMBERSHIPS);

    /** A write is answered, then a read begins at the tail, which has not executed the write yet. */
    private static boolean readOvertakesWrite(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 3);
        int leader = ensemble.awaitLeader();
        int tail = ensemble.behindLeader(leader, 2);
        ensemble.stall(ensemble.behindLeader(leader, 1), tail);
        ensemble.stall(leader, tail);
        ensemble.replica(leader).propose("a");
        ensemble.runUntil(
                "the write", 25, () -> ensemble.replica(leader).executed.equals(List.of("a")));
        ScriptedReplica reader = ensemble.replica(tail);
        ensemble.sent.clear();
        long token = reader.read();
        ReadIndexRequest request = ensemble.sent.stream()
                .filter(sent -> sent.message() instanceof ReadIndexRequest)
                .map(sent -> (ReadIndexRequest) sent.message())
                .findFirst()
                .orElseThrow();
        Progress confirmed = new Progress();
        confirmed.beginRound(100, 1, 1);
        confirmed.answerReadRequest(tail, request.request());
        confirmed.raiseConfirmedRound(100);
        reader.input(p -> p.onMessage(leader, new AcceptAck(request.ballot(), 1, confirmed)));
        return reader.barriersReached.containsKey(token) && reader.executed.isEmpty();
    }

    @Test
    public void readIndex_keepsReadBehindWrite() {
        assertFalse(readOvertakesWrite(ALL));
        assertTrue(readOvertakesWrite(WITHOUT_READ_INDEX));
    }

    /** A leader that is cut off is asked for a read after its successor has answered a write. */
    private static boolean deposedLeaderAnswers(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 3);
        int leader = ensemble.awaitLeader();
        ensemble.isolate(leader);
        ensemble.replica(leader).tick();
        long token = ensemble.replica(leader).read();
        ensemble.settle();
        return ensemble.replica(leader).barriersReached.containsKey(token);
    }

    @Test
    public void readQuorum_silencesDeposedLeader() {
        assertFalse(deposedLeaderAnswers(ALL));
        assertTrue(deposedLeaderAnswers(WITHOUT_READ_QUORUM));
    }

    /** A voter that has promised more is asked by a reader that has not heard of it. */
    private static boolean voterOfLaterBallotHelps(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 5);
        int former = ensemble.awaitLeader();
        Ballot ballot = new Ballot(ensemble.replica(former).status().epoch(), former);
        int reader = ensemble.behindLeader(former, 4);
        int voter = ensemble.behindLeader(former, 1);
        ensemble.crash(former);
        ensemble.awaitLeader();
        ensemble.sent.clear();
        ensemble.replica(voter).input(p -> p.onMessage(reader, new ReadIndexRequest(ballot, Long.MAX_VALUE, true)));
        ensemble.replica(voter).sync();
        return ensemble.wasSent(
                voter, reader, m -> m instanceof AcceptAck ack && ack.ballot().equals(ballot));
    }

    @Test
    public void voterOfALaterBallot_helpsNoReadOfAnEarlierOne() {
        assertFalse(voterOfLaterBallotHelps(ALL));
        assertTrue(voterOfLaterBallotHelps(SafetyRules.without(SafetyRule.READ_REQUEST_SEEN_IN_ITS_BALLOT)));
    }

    /** A former leader holds a value that nobody else has; the new ballot decides another one in its place. */
    private static void staleValueMeetsNewBallot(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 3);
        int leader = ensemble.awaitLeader();
        ensemble.isolate(leader);
        ensemble.replica(leader).propose("stale");
        ensemble.settle();
        int one = ensemble.behindLeader(leader, 1);
        int other = ensemble.behindLeader(leader, 2);
        ensemble.runUntil(
                "a new leader",
                200,
                () -> ensemble.replica(one).leads() || ensemble.replica(other).leads());
        int next = ensemble.replica(one).leads() ? one : other;
        ensemble.replica(next).propose("a");
        ensemble.settle();
        assertEquals(List.of("a"), ensemble.replica(next).executed);
        Progress news = new Progress();
        news.raiseMaxDecided(1);
        Ballot ballot = new Ballot(ensemble.replica(next).status().epoch(), next);
        ensemble.replica(leader).input(p -> p.onMessage(next, new AcceptAck(ballot, 1, news)));
        ensemble.settle();
    }

    @Test
    public void staleOwnValueBelowStart_isLearnedNotDecided() {
        staleValueMeetsNewBallot(ALL);
        assertThrows(AssertionError.class, () -> staleValueMeetsNewBallot(WITHOUT_BALLOT_OF_VALUE));
    }

    /**
     * A member has lost its disk and is admitted with a new one; the leader and the new disk decide a value. The third
     * member, which does not know that the admission is decided, then hears a promise that the old disk has given.
     */
    private static void candidateHearsLostDisk(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(rules, 3);
        int leader = ensemble.awaitLeader();
        int candidate = ensemble.behindLeader(leader, 1);
        int replaced = ensemble.behindLeader(leader, 2);
        ensemble.replica(leader).propose("first");
        ensemble.run(2);
        ensemble.loseDisk(replaced);
        ensemble.cut(candidate, replaced);
        // Its own acknowledgement must not reach the candidate together with the value.
        ensemble.holdDisk(leader);
        ensemble.start(replaced);
        ensemble.runUntil("the admission", 50, () -> ensemble.log(candidate).at(2) != null);
        ensemble.stall(leader, candidate);
        ensemble.releaseDisk(leader);
        ensemble.settle();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertEquals(List.of("first", "a"), ensemble.replica(replaced).executed);
        ensemble.crash(leader);
        ensemble.heal(candidate, replaced);
        ensemble.stall(candidate, replaced);
        ensemble.stall(replaced, candidate);
        ScriptedReplica last = ensemble.replica(candidate);
        Prepare prepare = null;
        for (int i = 0; i < 200 && prepare == null; i++) {
            last.tick();
            last.sync();
            for (ScriptedEnsemble.Sent sent : List.copyOf(ensemble.sent)) {
                if (sent.from() == candidate && sent.message() instanceof PreVote asked) {
                    last.input(p -> p.onMessage(replaced, new PreVoteOk(asked.ballot())));
                } else if (sent.from() == candidate && sent.message() instanceof Prepare asked) {
                    prepare = asked;
                }
            }
            ensemble.sent.clear();
        }
        PrepareOk ofLostDisk = new PrepareOk(prepare.ballot(), 1, true, 0, true, 1, List.of());
        last.input(p -> p.onMessage(replaced, ofLostDisk));
        ensemble.settle();
        last.propose("b");
        ensemble.unstall(candidate, replaced);
        ensemble.unstall(replaced, candidate);
        ensemble.run(100);
        assertEquals(List.of("first", "a", "b"), last.executed);
    }

    /** The scenario that two quick removals would make if the leader did not wait for the first to be decided. */
    @Test
    public void quorumOfALaterMembership_candidateAsksItsMembers() {
        candidateHearsLostDisk(ALL);
        assertThrows(AssertionError.class, () -> candidateHearsLostDisk(WITHOUT_LATER_QUORUMS));
    }

    /** A replica stands that has accepted a value where two others have decided one of a higher ballot. */
    private static List<String> decidedAboveAnAcceptedValue(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.blankWith(rules, 3);
        plantAccepted(ensemble.log(1), new Ballot(1, 1), "lower");
        plantAccepted(ensemble.log(2), new Ballot(2, 2), "decided");
        plantAccepted(ensemble.log(3), new Ballot(2, 2), "decided");
        ensemble.start(1);
        ensemble.start(2);
        for (int i = 0; i < 200 && !ensemble.replica(1).leads(); i++) {
            ensemble.replica(1).tick();
            ensemble.settle();
        }
        ensemble.run(5);
        return ensemble.replica(1).executed;
    }

    private static void plantAccepted(ScriptedLog log, Ballot ballot, String text) {
        ByteSlice head = new AcceptedHead(ballot, 0).encode();
        log.plant(new LogRecord(1, ReplicaState.ACCEPTED, head, ByteSliceOf.batch(text)));
        log.plantFounder(1);
    }

    @Test
    public void valueOfTheHighestBallot_isTheOneThatMayBeDecided() {
        assertEquals(List.of("decided"), decidedAboveAnAcceptedValue(ALL));
        assertEquals(
                List.of("lower"),
                decidedAboveAnAcceptedValue(SafetyRules.without(SafetyRule.VALUE_OF_THE_HIGHEST_BALLOT)));
    }

    /**
     * A leader that is cut off with a value that nobody else has begins to read its log for a successor that is behind.
     * Before the bytes are here it learns what the others have decided there, and soon has that on disk only.
     */
    private static void logReadIsAnsweredLate(SafetyRules rules) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedWith(
                rules, 5, Map.of("chain.windowInstances", "1", "chain.maxInstancesInMemory", "1"));
        int former = ensemble.awaitLeader();
        int behind = ensemble.behindLeader(former, 1);
        List<Integer> others = IntStream.range(2, 5)
                .mapToObj(i -> ensemble.behindLeader(former, i))
                .toList();
        propose(ensemble, former, "all", 1);
        ensemble.isolate(behind);
        propose(ensemble, former, "four", 20);
        others.forEach(id -> ensemble.cut(former, id));
        ScriptedReplica reader = ensemble.replica(former);
        reader.propose("alone");
        reader.sync();
        ensemble.heal(former, behind);
        reader.logReads().clear();
        while (ensemble.deliver(behind, former) != null) {
            reader.sync();
        }
        assertEquals(List.of(2L), List.copyOf(reader.logReads()));
        List<LogRecord> old = ensemble.log(former).read(2);
        assertEquals("up to the last value", 21, old.size());
        reader.logReads().clear();
        ensemble.runUntil("a leader of the others", 200, () -> leaderOf(ensemble, others) != 0);
        propose(ensemble, leaderOf(ensemble, others), "three", 30);
        others.forEach(id -> ensemble.heal(former, id));
        ensemble.run(20);
        assertEquals("its own command comes last", 52, reader.delivered.size());
        reader.input(p -> p.onLogRead(2, old));
        ensemble.settle();
        others.forEach(id -> ensemble.heal(behind, id));
        ensemble.run(100);
        assertEquals(reader.executed, ensemble.replica(behind).executed);
    }

    private static void propose(ScriptedEnsemble ensemble, int leader, String text, int count) {
        for (int i = 1; i <= count; i++) {
            ensemble.replica(leader).propose(text + " " + i);
            ensemble.settle();
        }
    }

    private static int leaderOf(ScriptedEnsemble ensemble, List<Integer> some) {
        return some.stream()
                .filter(id -> ensemble.replica(id).leads())
                .findFirst()
                .orElse(0);
    }

    @Test
    public void whatTheLogHeldBefore_isNotFed() {
        logReadIsAnsweredLate(ALL);
        SafetyRules without = SafetyRules.without(SafetyRule.LOG_IS_TOLD_AS_DECIDED_WHEN_READ);
        assertThrows(AssertionError.class, () -> logReadIsAnsweredLate(without));
    }
}
