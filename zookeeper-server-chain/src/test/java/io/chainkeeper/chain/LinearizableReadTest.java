package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Reads at any replica see every write that was answered anywhere before they were asked. */
public final class LinearizableReadTest {
    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private final int leader = ensemble.awaitLeader();
    private final int middle = ensemble.behindLeader(leader, 1);
    private final int tail = ensemble.behindLeader(leader, 2);

    private boolean answered(int id, long token) {
        return ensemble.replica(id).barriersReached.containsKey(token);
    }

    /** C12: without traffic a read is answered at once, no timer, no instance, no log record. */
    @Test
    public void idleCluster_linearizableReadNeedsNoLogWrite() {
        for (int id = 1; id <= 3; id++) {
            long[] records = {
                ensemble.log(1).appended(),
                ensemble.log(2).appended(),
                ensemble.log(3).appended()
            };
            long token = ensemble.replica(id).read();
            ensemble.settle();
            assertTrue("read at " + id, answered(id, token));
            for (int i = 1; i <= 3; i++) {
                assertEquals("records at " + i, records[i - 1], ensemble.log(i).appended());
            }
        }
    }

    /** Of three, leader and reader are a quorum: the reads do not wait for what comes through the chain. */
    @Test
    public void readAtTail_isAnsweredByTheLeaderItself() {
        ensemble.stall(middle, tail);
        long token = ensemble.replica(tail).read();
        ensemble.settle();
        assertTrue(answered(tail, token));
    }

    @Test
    public void readAtLeader_isAnsweredByItsSuccessorItself() {
        ensemble.stall(middle, tail);
        ensemble.stall(tail, leader);
        long token = ensemble.replica(leader).read();
        ensemble.settle();
        assertTrue(answered(leader, token));
    }

    /** The leader's own news of rounds must not make the tail take its predecessor, who only repeats them, for dead. */
    @Test
    public void tailHearsOfEachRoundFromTheLeaderFirst_itStaysWithItsPredecessor() {
        ensemble.settle();
        ensemble.sent.clear();
        for (int i = 0; i < 100; i++) {
            long token = ensemble.replica(tail).read();
            ensemble.settle();
            assertTrue(answered(tail, token));
            ensemble.run(1);
        }
        assertFalse(ensemble.sent.stream().anyMatch(s -> s.message() instanceof Subscribe));
    }

    /** The read index: a confirmed read waits until what was proposed before its round has been executed here. */
    @Test
    public void roundConfirmedBeforeItsReadIndexIsExecuted_readWaits() {
        ensemble.stall(middle, tail);
        ensemble.stall(leader, tail);
        ScriptedReplica reader = ensemble.replica(tail);
        ensemble.sent.clear();
        long token = reader.read();
        ReadIndexRequest request = ensemble.sent.stream()
                .filter(s -> s.message() instanceof ReadIndexRequest)
                .map(s -> (ReadIndexRequest) s.message())
                .findFirst()
                .orElseThrow();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        Progress confirmed = new Progress();
        confirmed.beginRound(100, 1, 1);
        confirmed.answerReadRequest(tail, request.request());
        confirmed.raiseConfirmedRound(100);
        reader.input(p -> p.onMessage(leader, new AcceptAck(request.ballot(), 1, confirmed)));
        assertFalse("released before its read index", answered(tail, token));
        ensemble.unstall(middle, tail);
        ensemble.unstall(leader, tail);
        ensemble.run(10);
        assertEquals(Integer.valueOf(1), reader.barriersReached.get(token));
    }

    /** Far members and many readers: before the leader hears that a round was seen, many more have begun. */
    @Test
    public void moreRoundsBeginThanAreRemembered_beforeTheFirstIsConfirmed_leaderStays() {
        int readsPerTick = 5;
        int delayInReads = 100;
        List<Integer> followers = List.of(middle, tail);
        followers.forEach(follower -> ensemble.stall(follower, leader));
        ensemble.settle();
        ensemble.sent.clear();
        Map<Integer, List<Integer>> sentAfterRead = new TreeMap<>();
        Map<Integer, Integer> arrived = new TreeMap<>();
        long first = 0;
        for (int read = 0; read < readsPerTick * 200; read++) {
            long token = ensemble.replica(leader).read();
            first = first == 0 ? token : first;
            ensemble.settle();
            for (int follower : followers) {
                List<Integer> counts = sentAfterRead.computeIfAbsent(follower, id -> new ArrayList<>());
                counts.add((int) ensemble.sent.stream()
                        .filter(sent -> sent.from() == follower && sent.to() == leader)
                        .count());
                int due = read < delayInReads ? 0 : counts.get(read - delayInReads);
                while (arrived.merge(follower, 0, Integer::sum) < due) {
                    ensemble.deliver(follower, leader);
                    arrived.merge(follower, 1, Integer::sum);
                }
            }
            if (read % readsPerTick == 0) {
                ensemble.tickAll();
            }
            assertTrue(
                    "leads after " + read + " reads", ensemble.replica(leader).leads());
        }
        assertTrue(answered(leader, first));
    }

    /** A leader that is cut off answers no read, however long it takes to notice. */
    @Test
    public void partitionedLeader_answersNoLinearizableRead() {
        ensemble.isolate(leader);
        long token = ensemble.replica(leader).read();
        ensemble.run(10);
        assertTrue(
                "it still takes itself for the leader", ensemble.replica(leader).leads());
        ensemble.runUntil(
                "a new leader",
                200,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        int next = ensemble.replica(middle).leads() ? middle : tail;
        ensemble.replica(next).propose("a");
        ensemble.run(100);
        assertFalse(answered(leader, token));
        ensemble.rejoin(leader);
        ensemble.run(50);
        assertTrue(answered(leader, token));
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    /** A hung leader (P9) that comes back with reads waiting must not answer them from its old state. */
    @Test
    public void leaderHangsAndReturns_waitingReadSeesWhatItsSuccessorDecided() {
        ensemble.stop(leader);
        int next = awaitOther();
        ensemble.replica(next).propose("a");
        ensemble.run(10);
        assertEquals(List.of("a"), ensemble.replica(next).executed);
        ensemble.resume(leader);
        long token = ensemble.replica(leader).read();
        assertFalse(answered(leader, token));
        ensemble.run(50);
        assertTrue(answered(leader, token));
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    private int awaitOther() {
        ensemble.runUntil(
                "a new leader",
                200,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        return ensemble.replica(middle).leads() ? middle : tail;
    }

    /** A request that is lost with its link is sent again. */
    @Test
    public void requestLostWithItsLink_readIsAnsweredAllTheSame() {
        ensemble.stall(tail, leader);
        long token = ensemble.replica(tail).read();
        ensemble.settle();
        assertFalse(answered(tail, token));
        ensemble.breakLink(tail, leader);
        ensemble.unstall(tail, leader);
        ensemble.settle();
        assertTrue("without waiting for a timer", answered(tail, token));
    }

    /** Reads that wait when the leader changes are asked again of the new one. */
    @Test
    public void leaderCrashesWithReadsWaiting_newLeaderAnswersThem() {
        ensemble.stall(tail, leader);
        ensemble.stall(leader, tail);
        long atTail = ensemble.replica(tail).read();
        long atMiddle = ensemble.replica(middle).read();
        ensemble.crash(leader);
        ensemble.unstall(tail, leader);
        ensemble.unstall(leader, tail);
        ensemble.awaitLeader();
        ensemble.run(10);
        assertTrue(answered(tail, atTail));
        assertTrue(answered(middle, atMiddle));
    }

    /** What the leader remembers of an earlier incarnation's reads answers none of a later one. */
    @Test
    public void followerRestartsWithinBallot_oldRequestsAnswerNoNewRead() {
        for (int i = 0; i < 50; i++) {
            ensemble.replica(tail).read();
        }
        ensemble.run(10);
        ensemble.crash(tail);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
        ensemble.start(tail);
        long token = ensemble.replica(tail).read();
        ensemble.runUntil("the read", 50, () -> answered(tail, token));
        assertEquals(
                "answered after the write",
                Integer.valueOf(1),
                ensemble.replica(tail).barriersReached.get(token));
    }

    /** Any number of reads that wait together share one round. */
    @Test
    public void manyReadsAtOnce_shareARound() {
        ensemble.run(1);
        ScriptedReplica replica = ensemble.replica(tail);
        ensemble.sent.clear();
        for (int i = 0; i < 100; i++) {
            replica.protocol().onReadBarrier(1_000 + i);
        }
        replica.protocol().onBatchEnd();
        while (ensemble.deliverBatch(tail, leader) > 0) {
            ensemble.settle();
        }
        ensemble.settle();
        assertEquals(100, replica.barriersReached.size());
        long rounds = ensemble.sent.stream()
                .filter(s -> s.from() == leader && s.message() instanceof AcceptAck)
                .map(s -> ((AcceptAck) s.message()).progress().round())
                .distinct()
                .count();
        assertTrue(rounds + " rounds", rounds <= 2);
    }

    /** A round that a minority has seen answers nothing. */
    @Test
    public void roundSeenByMinority_answersNothing() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int head = five.awaitLeader();
        int last = five.behindLeader(head, 4);
        five.run(20);
        five.stop(five.behindLeader(head, 2));
        five.stop(five.behindLeader(head, 3));
        five.stop(last);
        long token = five.replica(head).read();
        long atFollower = five.replica(five.behindLeader(head, 1)).read();
        five.run(25);
        assertFalse(five.replica(head).barriersReached.containsKey(token));
        assertFalse(five.replica(five.behindLeader(head, 1)).barriersReached.containsKey(atFollower));
        five.resume(last);
        int follower = five.behindLeader(head, 1);
        five.runUntil(
                "the leader's read",
                300,
                () -> five.replica(head).barriersReached.containsKey(token));
        five.runUntil(
                "the follower's read",
                300,
                () -> five.replica(follower).barriersReached.containsKey(atFollower));
    }

    // ---------------------------------------------------------------- asking voters directly

    /** Nothing arrives between two replicas if neither is the reader. */
    private static void stallAllBut(ScriptedEnsemble ensemble, int size, int reader) {
        for (int from = 1; from <= size; from++) {
            for (int to = 1; to <= size; to++) {
                if (from != reader && to != reader) {
                    ensemble.stall(from, to);
                }
            }
        }
    }

    /** Wherever it waits: two message delays, to the leader and a quorum and back, and not the length of the chain. */
    @Test
    public void readOfSeven_waitsForNoMessageBetweenOthers() {
        for (int place = 0; place < 7; place++) {
            ScriptedEnsemble seven = ScriptedEnsemble.started(7);
            int reader = seven.behindLeader(seven.awaitLeader(), place);
            seven.run(20);
            stallAllBut(seven, 7, reader);
            seven.sent.clear();
            long token = seven.replica(reader).read();
            seven.settle();
            assertTrue("place " + place, seven.replica(reader).barriersReached.containsKey(token));
            long asked = seven.sent.stream()
                    .filter(s -> s.from() == reader && s.message() instanceof ReadIndexRequest)
                    .count();
            assertEquals("place " + place, 3, asked);
        }
    }

    @Test
    public void readOfFive_sharesARoundWithThoseThatWait() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int head = five.awaitLeader();
        int reader = five.behindLeader(head, 2);
        five.run(20);
        five.sent.clear();
        long first = five.replica(reader).read();
        long second = five.replica(reader).read();
        assertEquals(1, requests(five, reader, five.behindLeader(head, 3)));
        assertEquals(2, requests(five, reader, head));
        five.settle();
        assertTrue(five.replica(reader).barriersReached.containsKey(first));
        assertTrue(five.replica(reader).barriersReached.containsKey(second));
        five.replica(reader).read();
        assertEquals(2, requests(five, reader, five.behindLeader(head, 3)));
    }

    private static long requests(ScriptedEnsemble ensemble, int from, int to) {
        return ensemble.sent.stream()
                .filter(s -> s.from() == from && s.to() == to && s.message() instanceof ReadIndexRequest)
                .count();
    }

    /** Who was asked hangs: after a tick or two a round does it, and the next reads ask for rounds at once. */
    @Test
    public void askedVoterHangs_roundsAnswer() {
        ScriptedEnsemble seven = ScriptedEnsemble.started(7);
        int head = seven.awaitLeader();
        int reader = seven.behindLeader(head, 3);
        int hung = seven.behindLeader(head, 4);
        seven.run(20);
        seven.stop(hung);
        long token = seven.replica(reader).read();
        seven.settle();
        assertFalse(seven.replica(reader).barriersReached.containsKey(token));
        seven.run(2);
        assertTrue(seven.replica(reader).barriersReached.containsKey(token));
        seven.sent.clear();
        long next = seven.replica(reader).read();
        seven.settle();
        assertTrue(seven.replica(reader).barriersReached.containsKey(next));
        assertEquals(0, requests(seven, reader, hung));
    }

    /** A leader of release 0.2.0 takes no notice: rounds do it. */
    @Test
    public void leaderAnswersNoAloneRequest_roundsAnswer() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int head = five.awaitLeader();
        int reader = five.behindLeader(head, 2);
        five.run(20);
        five.stall(reader, head);
        long token = five.replica(reader).read();
        five.settle();
        assertFalse(five.replica(reader).barriersReached.containsKey(token));
        five.unstall(reader, head);
        five.run(3);
        assertTrue(five.replica(reader).barriersReached.containsKey(token));
    }

    /** The leader's answer alone is no quorum, and voters without the leader name no read index. */
    @Test
    public void leaderOrVotersAlone_answerNothing() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int head = five.awaitLeader();
        int reader = five.behindLeader(head, 2);
        int voter = five.behindLeader(head, 3);
        five.run(20);
        stallAllBut(five, 5, reader);
        five.stall(reader, voter);
        long first = five.replica(reader).read();
        five.settle();
        assertFalse(five.replica(reader).barriersReached.containsKey(first));
        five.unstall(reader, voter);
        five.settle();
        assertTrue(five.replica(reader).barriersReached.containsKey(first));
        five.stall(head, reader);
        long second = five.replica(reader).read();
        five.settle();
        assertFalse(five.replica(reader).barriersReached.containsKey(second));
    }

    /** Of three, leader and reader are the quorum: nobody else is asked. */
    @Test
    public void readOfThree_asksTheLeaderOnly() {
        ensemble.run(20);
        ensemble.sent.clear();
        ensemble.replica(middle).read();
        ensemble.replica(leader).read();
        assertEquals(1, requests(ensemble, middle, leader));
        assertEquals(0, requests(ensemble, middle, tail));
        assertEquals(0, requests(ensemble, leader, middle));
    }

    /** An observer counts no quorum. */
    @Test
    public void readOfAnObserver_asksTheLeaderOnly() {
        ScriptedEnsemble six = ScriptedEnsemble.started(5);
        six.configure(new Ensemble(List.of(1, 2, 3, 4, 5), List.of(6)));
        six.start(6);
        int head = six.awaitLeader();
        six.run(20);
        six.sent.clear();
        long token = six.replica(6).read();
        for (int id = 1; id <= 5; id++) {
            assertEquals(id == head ? 1 : 0, requests(six, 6, id));
        }
        six.settle();
        assertTrue(six.replica(6).barriersReached.containsKey(token));
    }

    /** What a voter has seen earlier, or in another ballot, says nothing about this request. */
    @Test
    public void voterSawAnEarlierRequestOrBallot_readWaits() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int head = five.awaitLeader();
        int reader = five.behindLeader(head, 2);
        int voter = five.behindLeader(head, 3);
        five.run(20);
        five.stop(voter);
        stallAllBut(five, 5, reader);
        five.sent.clear();
        long token = five.replica(reader).read();
        five.settle();
        ReadIndexRequest request = (ReadIndexRequest) five.sent.stream()
                .filter(s -> s.to() == voter && s.message() instanceof ReadIndexRequest)
                .findFirst()
                .orElseThrow()
                .message();
        Ballot ballot = request.ballot();
        Ballot earlier = new Ballot(ballot.round() - 1, ballot.replica());
        hears(five, reader, voter, ballot, request.request() - 1);
        hears(five, reader, voter, earlier, request.request());
        assertFalse(five.replica(reader).barriersReached.containsKey(token));
        hears(five, reader, voter, ballot, request.request());
        assertTrue(five.replica(reader).barriersReached.containsKey(token));
    }

    private static void hears(ScriptedEnsemble ensemble, int reader, int voter, Ballot ballot, long request) {
        Progress seen = new Progress();
        seen.answerReadRequest(reader, request);
        ensemble.replica(reader).input(p -> p.onMessage(voter, new AcceptAck(ballot, 1, seen)));
    }
}
