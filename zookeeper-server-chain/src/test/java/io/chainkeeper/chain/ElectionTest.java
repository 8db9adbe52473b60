package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Taking leadership: what may depose a leader, and what a new one must adopt. */
public final class ElectionTest {
    private static final int HEARTBEAT_TICKS = 4;

    private ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private int leader = ensemble.awaitLeader();
    private int middle = ensemble.behindLeader(leader, 1);
    private int tail = ensemble.behindLeader(leader, 2);

    private int awaitLeaderOtherThan(int old) {
        ensemble.runUntil("another leader", 300, () -> leaderOtherThan(old) > 0);
        return leaderOtherThan(old);
    }

    private int leaderOtherThan(int old) {
        for (int id = 1; id <= 3; id++) {
            if (id != old && ensemble.isRunning(id) && ensemble.replica(id).leads()) {
                return id;
            }
        }
        return 0;
    }

    private Ballot ballot() {
        return new Ballot(ensemble.replica(leader).status().epoch(), leader);
    }

    /** Puts what an earlier start of a founder would have left: a durable record of an accepted value. */
    private static void plant(ScriptedLog log, long instance, Ballot ballot, long maxDecided, ByteSlice value) {
        ByteSlice head = new AcceptedHead(ballot, maxDecided).encode();
        log.plant(new LogRecord(instance, ReplicaState.ACCEPTED, head, value));
        log.plantFounder(instance);
    }

    /** C2: a value that only one acceptor of the new quorum has is adopted by a leader that lacks it. */
    @Test
    public void valueAcceptedByMinority_newLeaderLacksIt_adoptsIt() {
        ensemble.stall(middle, leader);
        ensemble.stall(middle, tail);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertEquals(List.of(), ensemble.replica(leader).executed);
        ensemble.crash(leader);
        ensemble.breakLink(middle, tail);
        ensemble.unstall(middle, leader);
        ensemble.unstall(middle, tail);
        assertTrue("the tail never had it", ensemble.log(tail).at(1) == null);
        for (int i = 0; i < 200 && !ensemble.replica(tail).leads(); i++) {
            ensemble.replica(tail).tick();
            ensemble.settle();
        }
        assertTrue("the one that lacks it leads", ensemble.replica(tail).leads());
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
        assertEquals(List.of("a"), ensemble.replica(middle).executed);
    }

    /** Of two values accepted at one instance the one of the higher ballot is adopted. */
    @Test
    public void twoBallotsAtOneInstance_higherIsAdopted() {
        ScriptedEnsemble planted = new ScriptedEnsemble(3);
        plant(planted.log(1), 1, new Ballot(1, 1), 0, ByteSliceOf.batch("lower"));
        plant(planted.log(2), 1, new Ballot(2, 2), 0, ByteSliceOf.batch("higher"));
        planted.start(1);
        planted.start(2);
        planted.awaitLeader();
        planted.run(5);
        assertEquals(List.of("higher"), planted.replica(1).executed);
        assertEquals(List.of("higher"), planted.replica(2).executed);
    }

    /** P1: what only a minority accepted is either adopted by the next leader or never appears. */
    @Test
    public void valueAcceptedByMinorityAndMissed_neverReappears() {
        ensemble.isolate(leader);
        ensemble.replica(leader).propose("lost");
        ensemble.settle();
        int next = awaitLeaderOtherThan(leader);
        ensemble.replica(next).propose("a");
        ensemble.settle();
        ensemble.rejoin(leader);
        ensemble.run(50);
        // Its proposer lives and proposes it again, behind what was decided meanwhile.
        assertEquals(List.of("a", "lost"), ensemble.replica(next).executed);
        assertEquals(List.of("a", "lost"), ensemble.replica(leader).executed);
    }

    /** Rule 4: what a member accepted in an older ballot does not count for the vector of a newer one. */
    @Test
    public void staleOwnValue_isNotDecidedByNewBallot() {
        ensemble.isolate(leader);
        ensemble.replica(leader).propose("stale");
        ensemble.settle();
        int next = awaitLeaderOtherThan(leader);
        ensemble.replica(next).propose("a");
        ensemble.settle();
        ScriptedReplica former = ensemble.replica(leader);
        former.executed.clear();
        // The vector of the new ballot says that instance 1 is decided, before its value has come.
        int other = next == middle ? tail : middle;
        Progress news = new Progress();
        news.raiseMaxDecided(1);
        Ballot ballot = new Ballot(ensemble.replica(next).status().epoch(), next);
        former.input(p -> p.onMessage(other, new ChainMessage.AcceptAck(ballot, 1, news)));
        assertEquals(List.of(), former.executed);
        ensemble.rejoin(leader);
        ensemble.run(30);
        assertEquals("a", former.executed.get(0));
    }

    /** P2: accepting in a higher ballot raises the promise; older ballots are refused from then on. */
    @Test
    public void acceptOfHigherBallot_raisesPromise() {
        ScriptedReplica acceptor = ensemble.replica(tail);
        Ballot higher = new Ballot(100, middle);
        acceptor.input(p -> p.onMessage(middle, new Accept(higher, 1, 1, ByteSliceOf.batch("x"), new Progress())));
        assertEquals(100, acceptor.status().epoch());
        ensemble.sent.clear();
        acceptor.input(p -> p.onMessage(leader, new Prepare(new Ballot(99, leader), 1)));
        assertFalse(
                "its disk does not hold the promise yet", ensemble.wasSent(tail, leader, Refused.class::isInstance));
        acceptor.sync();
        assertTrue(ensemble.wasSent(
                tail, leader, m -> m instanceof Refused r && r.promised().equals(higher)));
        ensemble.restart(tail);
        assertEquals(
                "the accepted record carries the promise",
                100,
                ensemble.replica(tail).gauge("ballot_round"));
    }

    /** P2: a value of a ballot below the promise is refused, also at an instance that is still free. */
    @Test
    public void acceptBelowLastAccepted_isRefused() {
        ScriptedReplica acceptor = ensemble.replica(tail);
        Ballot old = ballot();
        acceptor.input(p -> p.onMessage(middle, new Prepare(new Ballot(100, middle), 1)));
        long records = acceptor.log().appended();
        ensemble.sent.clear();
        acceptor.input(p -> p.onMessage(leader, new Accept(old, 1, 1, ByteSliceOf.batch("x"), new Progress())));
        assertEquals("nothing was accepted", records, acceptor.log().appended());
        acceptor.sync();
        assertTrue(ensemble.wasSent(tail, leader, m -> m instanceof Refused));
    }

    /** A ballot belongs to one replica: nobody can prepare another's. */
    @Test
    public void prepareOfAnothersBallot_isRefused() {
        ensemble.sent.clear();
        ensemble.replica(tail).input(p -> p.onMessage(middle, new Prepare(new Ballot(100, leader), 1)));
        assertTrue(ensemble.wasSent(tail, middle, m -> m instanceof Refused));
        assertTrue(ensemble.replica(tail).gauge("ballot_round") < 100);
    }

    /** A replica that hears the leader does not help to depose it. */
    @Test
    public void flakyReplica_doesNotDeposeHealthyLeader() {
        Ballot before = ballot();
        ensemble.stall(leader, tail);
        ensemble.stall(middle, tail);
        ensemble.sent.clear();
        ensemble.run(200);
        assertTrue(
                "it asked", ensemble.sent.stream().anyMatch(s -> s.from() == tail && s.message() instanceof PreVote));
        assertTrue(ensemble.replica(leader).leads());
        assertEquals(before, ballot());
        assertEquals(
                "its own promise is unchanged",
                before.round(),
                ensemble.replica(tail).gauge("ballot_round"));
        ensemble.unstall(leader, tail);
        ensemble.unstall(middle, tail);
        ensemble.run(50);
        assertEquals(leader, ensemble.replica(tail).status().leader());
        assertEquals(before, ballot());
    }

    /**
     * Nor does a replica that stood still and hears the others again: for them the time that it missed has not passed.
     */
    @Test
    public void replicaThatStoodStill_doesNotDeposeHealthyLeader() {
        Ballot before = ballot();
        ensemble.sent.clear();
        for (int i = 0; i < 100; i++) {
            ensemble.replica(tail).tick();
        }
        ensemble.run(50);
        assertTrue(ensemble.wasSent(tail, middle, m -> m instanceof PreVote));
        assertTrue(ensemble.wasSent(middle, tail, m -> m instanceof PreVoteDenied));
        assertEquals(before, ballot());
        assertTrue(ensemble.replica(leader).leads());
        assertEquals(leader, ensemble.replica(tail).status().leader());
    }

    /** A link that is down for a moment changes no leader. */
    @Test
    public void shortDisconnect_causesNoLeaderChange() {
        Ballot before = ballot();
        for (int i = 0; i < 30; i++) {
            ensemble.breakLink(leader, i % 2 == 0 ? middle : tail);
            ensemble.run(3);
            ensemble.cut(leader, tail);
            ensemble.run(8);
            ensemble.heal(leader, tail);
            ensemble.run(3);
        }
        assertEquals(before, ballot());
        assertEquals(1, ensemble.replica(middle).statuses().size());
    }

    /** C7: replicas whose clocks run at different speeds, and stand still at times, keep their leader. */
    @Test
    public void clockJumps_noElectionStorm() {
        Ballot before = ballot();
        for (int i = 0; i < 200; i++) {
            ensemble.run(1);
            ensemble.replica(1 + i % 3).tick();
            if (i % 20 == 0) {
                ScriptedReplica jumping = ensemble.replica(tail);
                for (int j = 0; j < 20; j++) {
                    jumping.tick();
                }
            }
        }
        assertEquals(before, ballot());
    }

    /** Timeouts that round to a tick or less still leave the leader some heartbeats to miss. */
    @Test
    public void timeoutsShorterThanATick_leaderMayMissHeartbeats() {
        ScriptedEnsemble hasty = ScriptedEnsemble.started(
                3, Map.of("chain.heartbeatMillis", "10", "chain.suspicionTimeoutMillis", "50"));
        int head = hasty.awaitLeader();
        long epoch = hasty.replica(head).status().epoch();
        for (int i = 0; i < 100; i++) {
            hasty.replica(head).tick();
            hasty.replica(head).tick();
            hasty.run(1);
        }
        assertEquals(epoch, hasty.replica(head).status().epoch());
        assertTrue(hasty.replica(head).leads());
    }

    /** Seeds 20 and 270: five members; only what the leader itself has begun anew shows that it lives. */
    @Test
    public void followersThatTellEachOtherOfADeadLeader_missItAllTheSame() {
        ensemble = ScriptedEnsemble.started(5);
        leader = ensemble.awaitLeader();
        int second = ensemble.behindLeader(leader, 1);
        int third = ensemble.behindLeader(leader, 2);
        int fourth = ensemble.behindLeader(leader, 3);
        ensemble.replica(leader).propose("a");
        ensemble.run(20);
        Message old = ensemble.sent.stream()
                .filter(s -> s.from() == second && s.to() == third && s.message() instanceof AcceptAck)
                .reduce((first, next) -> next)
                .orElseThrow()
                .message();
        ensemble.stop(leader);
        for (int i = 0; i < 200; i++) {
            ensemble.replica(third).tick();
            ensemble.replica(third).input(p -> p.onMessage(second, old));
        }
        assertEquals(
                "it follows nobody",
                OrderingStatus.NO_LEADER,
                ensemble.replica(third).status().leader());
        ensemble.sent.clear();
        ensemble.replica(third).input(p -> p.onMessage(fourth, new PreVote(new Ballot(100, fourth), 100)));
        assertTrue("it helps whoever asks", ensemble.wasSent(third, fourth, m -> m instanceof PreVoteOk));
        ensemble.runUntil(
                "another leader",
                300,
                () -> List.of(second, third, fourth, ensemble.behindLeader(leader, 4)).stream()
                        .anyMatch(id -> ensemble.replica(id).leads()));
    }

    /** A leader without a quorum takes itself for deposed and says so. */
    @Test
    public void leaderLosesQuorum_stepsDown() {
        ensemble.isolate(leader);
        ensemble.runUntil("its resignation", 40, () -> !ensemble.replica(leader).leads());
        assertEquals(-1, ensemble.replica(leader).status().leader());
    }

    /** Runs until a replica looks for a leader; its status must say for how long it has heard nobody. */
    private void assertLooksAndTellsTheSilence(int id) {
        int ticks = 0;
        while (ensemble.replica(id).status().role() != OrderingStatus.Role.LOOKING) {
            assertTrue("does not look for a leader after " + ticks + " ticks", ticks < 60);
            assertEquals(0, ensemble.replica(id).status().silentMillis());
            ensemble.run(1);
            ticks++;
        }
        long silentTicks = ensemble.replica(id).status().silentMillis() / ScriptedEnsemble.TICK_MILLIS;
        String told = silentTicks + " ticks told, " + ticks + " passed";
        assertTrue(told, silentTicks >= ticks - 1 && silentTicks <= ticks + HEARTBEAT_TICKS);
        ensemble.run(30);
        long later = ensemble.replica(id).status().silentMillis() / ScriptedEnsemble.TICK_MILLIS;
        assertEquals("does not change while it goes on looking", silentTicks, later);
    }

    /** Its server counts from when the leader was last heard, not from when that was noticed. */
    @Test
    public void membersLost_theLastOneTellsHowLongItHeardNobody() {
        ensemble.crash(leader);
        ensemble.crash(middle);
        assertLooksAndTellsTheSilence(tail);
    }

    @Test
    public void leaderFallsSilentAndNobodyElseIsThere_statusTellsForHowLong() {
        ensemble.crash(middle);
        ensemble.run(10);
        ensemble.stop(leader);
        assertLooksAndTellsTheSilence(tail);
    }

    @Test
    public void leaderLosesQuorum_statusTellsForHowLong() {
        ensemble.stop(middle);
        ensemble.stop(tail);
        assertLooksAndTellsTheSilence(leader);
    }

    /** An acceptor that no longer has in memory what a candidate lacks neither grants nor promises. */
    @Test
    public void candidateLacksWhatIsNoLongerInMemory_isDenied() {
        ScriptedEnsemble old = new ScriptedEnsemble(3);
        for (int i = 1; i <= 5; i++) {
            plant(old.log(1), i, new Ballot(1, 1), i - 1, ByteSliceOf.batch("w" + i));
        }
        old.log(2).plantFounder(1);
        old.start(1, 100);
        old.start(2);
        old.sent.clear();
        old.replica(1).input(p -> p.onMessage(2, new PreVote(new Ballot(7, 2), 0)));
        assertTrue(old.wasSent(1, 2, m -> m instanceof PreVoteDenied));
        old.sent.clear();
        old.replica(1).input(p -> p.onMessage(2, new Prepare(new Ballot(7, 2), 1)));
        assertTrue(old.wasSent(1, 2, m -> m instanceof PreVoteDenied));
        assertTrue(old.replica(1).gauge("ballot_round") < 7);
        old.replica(1).input(p -> p.onMessage(2, new PreVote(new Ballot(8, 2), 100)));
        assertTrue(old.wasSent(1, 2, m -> m instanceof PreVoteOk));
    }

    /** What a candidate asked for in several parts counts only when complete, also if a link breaks between them. */
    @Test
    public void longAnswerToPrepare_isTakenWholeOrNotAtAll() {
        ScriptedEnsemble planted = new ScriptedEnsemble(3);
        byte[] large = new byte[700 << 10];
        List<ByteSlice> values = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            values.add(BatchCodec.encode(List.of(new ProposedCommand(99, 1, 0, i, ByteSlice.of(large)))));
            plant(planted.log(2), i, new Ballot(1, 2), 0, values.get(i - 1));
        }
        planted.log(3).plantFounder(1);
        planted.start(2);
        planted.start(3);
        planted.stall(2, 3);
        for (int i = 0; i < 20; i++) {
            planted.replica(3).tick();
            planted.settle();
        }
        planted.deliver(2, 3);
        planted.settle();
        planted.deliver(2, 3);
        planted.settle();
        assertFalse("one part of four is no promise", planted.replica(3).leads());
        planted.breakLink(2, 3);
        planted.unstall(2, 3);
        planted.awaitLeader();
        planted.run(10);
        for (int i = 1; i <= 4; i++) {
            assertEquals(values.get(i - 1), planted.replica(3).delivered.get((long) i));
        }
    }

    /** A single replica is its own quorum. */
    @Test
    public void singleReplica_leadsAndDecidesWhenDurable() {
        ScriptedEnsemble single = ScriptedEnsemble.started(1);
        single.holdDisk(1);
        single.replica(1).propose("a");
        single.settle();
        assertEquals(List.of(), single.replica(1).executed);
        single.releaseDisk(1);
        single.settle();
        assertEquals(List.of("a"), single.replica(1).executed);
    }

    /** C7: a broken invariant is an exception out of the input, never something to go on after. */
    @Test(expected = InvariantViolated.class)
    public void decidedInstanceMissingFromTheLog_soleReplicaDoesNotStart() {
        ScriptedEnsemble damaged = new ScriptedEnsemble(1);
        plant(damaged.log(1), 5, new Ballot(1, 1), 4, ByteSliceOf.batch("w"));
        damaged.start(1, 2);
    }

    /** The promise record is what a restart finds. */
    @Test
    public void promise_isAMetadataRecordOfTheLog() {
        ScriptedReplica acceptor = ensemble.replica(tail);
        acceptor.input(p -> p.onMessage(middle, new Prepare(new Ballot(100, middle), 1)));
        acceptor.sync();
        LogRecord record = ensemble.log(tail).recovered(0).metadata(ReplicaState.PROMISE);
        assertEquals(new Ballot(100, middle), Ballot.get(record.head().asByteBuffer()));
    }
}
