package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Links that break, stall and heal, and members that hang: the chain closes round them and the leader stays. */
public final class LinkFaultTest {
    private static final int HEARTBEAT_TICKS = 4;

    private ScriptedEnsemble ensemble;
    private int leader;
    private int middle;
    private int tail;
    private OrderingStatus status;

    private void startWith(int size, Map<String, String> settings) {
        ensemble = ScriptedEnsemble.started(size, settings);
        leader = ensemble.awaitLeader();
        middle = ensemble.behindLeader(leader, 1);
        tail = ensemble.behindLeader(leader, size - 1);
        ensemble.run(50);
        status = ensemble.replica(leader).status();
    }

    private void start(int size) {
        startWith(size, Map.of());
    }

    private void assertDecidedWithin(int ticks, String text) {
        ensemble.replica(leader).propose(text);
        ensemble.runUntil(
                "the decision of " + text,
                ticks,
                () -> ensemble.replica(leader).executed.contains(text));
    }

    private void assertLeaderStayed() {
        assertEquals(status, ensemble.replica(leader).status());
    }

    /** Section 3.1: one message received and one sent per replica and instance. */
    @Test
    public void allMembersUp_valueGoesDownTheChainOnce() {
        start(3);
        ensemble.sent.clear();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        List<String> accepts = new ArrayList<>();
        for (ScriptedEnsemble.Sent sent : ensemble.sent) {
            if (sent.message() instanceof Accept) {
                accepts.add(sent.from() + ">" + sent.to());
            }
        }
        assertEquals(List.of(leader + ">" + middle, middle + ">" + tail), accepts);
        assertFalse(
                "the middle leaves closing the loop to the tail",
                ensemble.wasSent(middle, leader, m -> m instanceof AcceptAck));
        assertTrue(ensemble.wasSent(tail, leader, m -> m instanceof AcceptAck));
    }

    /** Every message wakes two threads at either end: they are what an idle ensemble costs. */
    @Test
    public void nobodyProposes_hostsSleepFromHeartbeatToHeartbeat() {
        start(3);
        ensemble.sent.clear();
        int heartbeats = 30;
        int quiet = 0;
        for (int tick = 0; tick < heartbeats * HEARTBEAT_TICKS; tick++) {
            ensemble.run(1);
            for (int id = 1; id <= 3; id++) {
                quiet += ensemble.replica(id).protocol().quietTicks() > 0 ? 1 : 0;
            }
        }
        // Half of all ticks, since one in four carries the heartbeat and the one before it is not followed by another.
        assertTrue(quiet + " quiet ticks", quiet >= 3 * heartbeats * HEARTBEAT_TICKS / 2 - 6);
        int sent = ensemble.sent.size();
        assertTrue(sent + " messages", sent <= heartbeats * (3 + 1) + 6);
        assertLeaderStayed();
    }

    /** Such a follower can neither redirect commands nor ask for a read index: its clients are better off elsewhere. */
    @Test
    public void memberHearsLeaderThroughOthersOnly_looksUntilTheLinkIsBack() {
        start(3);
        ensemble.cut(leader, tail);
        ensemble.runUntil(
                "the tail to look for a leader",
                2000,
                () -> ensemble.replica(tail).status().role() == OrderingStatus.Role.LOOKING);
        assertLeaderStayed();
        ensemble.heal(leader, tail);
        ensemble.runUntil(
                "the tail to follow again",
                2000,
                () -> ensemble.replica(tail).status().role() == OrderingStatus.Role.FOLLOWER);
        assertLeaderStayed();
    }

    /** C4: what a broken link lost is sent again, in order, and only that. */
    @Test
    public void linkToSuccessorDropsMessages_chainResumes() {
        start(3);
        ensemble.stall(leader, middle);
        for (int i = 0; i < 10; i++) {
            ensemble.replica(leader).propose("w" + i);
            ensemble.settle();
        }
        ensemble.breakLink(leader, middle);
        ensemble.unstall(leader, middle);
        ensemble.run(20);
        for (int id = 1; id <= 3; id++) {
            assertEquals(10, ensemble.replica(id).executed.size());
        }
        assertLeaderStayed();
    }

    /** C3: a value without the one before it is not accepted; the missing values are asked for. */
    @Test
    public void acceptWithGap_isRefusedAndRepaired() {
        start(3);
        ScriptedReplica follower = ensemble.replica(middle);
        long accepted = follower.gauge("max_accepted");
        ensemble.stall(leader, middle);
        ensemble.replica(leader).propose("a");
        ensemble.replica(leader).propose("b");
        ensemble.sent.clear();
        Accept second =
                new Accept(new Ballot(status.epoch(), leader), 1, accepted + 2, ByteSliceOf.batch("b"), new Progress());
        follower.input(p -> p.onMessage(leader, second));
        assertEquals(accepted, follower.gauge("max_accepted"));
        assertTrue(ensemble.wasSent(middle, leader, m -> m instanceof Subscribe r && r.maxAccepted() == accepted));
        ensemble.unstall(leader, middle);
        ensemble.run(2);
        assertEquals(List.of("a", "b"), follower.executed);
    }

    /** C6: a cut between two followers is routed round at once. */
    @Test
    public void linkBetweenMiddleNodesCut_chainReroutes() {
        start(5);
        ensemble.cut(middle, ensemble.behindLeader(leader, 2));
        assertDecidedWithin(1, "a");
        ensemble.run(5);
        for (int id = 1; id <= 5; id++) {
            assertEquals(List.of("a"), ensemble.replica(id).executed);
        }
        ensemble.heal(middle, ensemble.behindLeader(leader, 2));
        ensemble.run(100);
        ensemble.sent.clear();
        assertDecidedWithin(1, "b");
        assertTrue(
                "the chain is whole again",
                ensemble.wasSent(middle, ensemble.behindLeader(leader, 2), m -> m instanceof Accept));
        assertLeaderStayed();
    }

    /** The end of the chain cannot close the loop: the members before it do, before the leader doubts itself. */
    @Test
    public void linkFromTailToLeaderCut_othersCloseTheLoop() {
        start(3);
        ensemble.cut(leader, tail);
        for (int i = 0; i < 20; i++) {
            assertDecidedWithin(16, "a" + i);
            ensemble.run(5);
        }
        assertLeaderStayed();
        assertEquals(20, ensemble.replica(tail).executed.size());
    }

    /** The same if nothing shows that the link is broken. */
    @Test
    public void tailNotHeardByLeader_othersCloseTheLoop() {
        start(3);
        ensemble.stall(tail, leader);
        ensemble.run(100);
        assertDecidedWithin(16, "a");
        ensemble.unstall(tail, leader);
        ensemble.run(400);
        ensemble.sent.clear();
        assertDecidedWithin(1, "b");
        assertFalse(
                "the loop is closed at its end only", ensemble.wasSent(middle, leader, m -> m instanceof AcceptAck));
        assertLeaderStayed();
    }

    /** One member hangs (SIGSTOP) with its links up, with the shortest suspicion that the settings allow. */
    @Test
    public void oneMemberHangs_leaderStays() {
        for (int places = 1; places <= 2; places++) {
            startWith(3, Map.of("chain.heartbeatMillis", "200", "chain.suspicionTimeoutMillis", "800"));
            int hung = ensemble.behindLeader(leader, places);
            int changes = ensemble.replica(leader).statuses().size();
            ensemble.stop(hung);
            assertDecidedWithin(16, "a");
            ensemble.run(100);
            assertDecidedWithin(1, "b");
            ensemble.resume(hung);
            ensemble.run(100);
            assertEquals(List.of("a", "b"), ensemble.replica(hung).executed);
            assertEquals(changes, ensemble.replica(leader).statuses().size());
        }
    }

    /** Two of five hang next to each other. */
    @Test
    public void twoOfFiveHang_writesGoOn() {
        start(5);
        ensemble.stop(middle);
        ensemble.stop(ensemble.behindLeader(leader, 2));
        assertDecidedWithin(30, "a");
        ensemble.run(20);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
        ensemble.resume(middle);
        ensemble.resume(ensemble.behindLeader(leader, 2));
        ensemble.run(100);
        for (int id = 1; id <= 5; id++) {
            assertEquals(List.of("a"), ensemble.replica(id).executed);
        }
        assertLeaderStayed();
    }

    /** What the end of the chain had told the leader on a link that broke is told again. */
    @Test
    public void acknowledgementLostWithItsLink_isSentAgain() {
        start(3);
        ensemble.stall(tail, leader);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        assertEquals(List.of(), ensemble.replica(leader).executed);
        ensemble.breakLink(leader, tail);
        ensemble.unstall(tail, leader);
        ensemble.settle();
        assertEquals("without waiting for time to pass", List.of("a"), ensemble.replica(leader).executed);
    }

    /**
     * Nobody asks for an acknowledgement again that became due while the leader was missed: it goes to the same leader.
     */
    @Test
    public void durableWhileTheLeaderWasNotHeard_isAcknowledgedWhenItIsHeardAgain() {
        start(3);
        ensemble.crash(tail);
        ensemble.holdDisk(middle);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.stop(leader);
        ensemble.runUntil(
                "the leader to be missed",
                200,
                () -> ensemble.replica(middle).status().role() == OrderingStatus.Role.LOOKING);
        ensemble.releaseDisk(middle);
        ensemble.settle();
        ensemble.resume(leader);
        ensemble.runUntil(
                "its acknowledgement",
                20,
                () -> ensemble.replica(leader).executed.equals(List.of("a")));
        assertLeaderStayed();
    }

    /**
     * A predecessor does not show the leader, so what comes from it is not taken while the leader is missed. Nothing
     * comes after that value by which its successor would see that it is missing.
     */
    @Test
    public void valueCameWhileTheLeaderWasNotHeard_isAskedForWhenItIsHeardAgain() {
        startWith(4, Map.of("chain.windowInstances", "64", "chain.maxBatchCommands", "1"));
        ensemble.crash(tail);
        ensemble.run(20);
        int last = ensemble.behindLeader(leader, 2);
        ScriptedReplica successor = ensemble.replica(last);
        ensemble.stop(leader);
        for (int i = 0; successor.status().role() != OrderingStatus.Role.LOOKING; i++) {
            assertTrue("the leader is never missed", i < 60);
            ensemble.replica(leader).propose("w" + i);
            ensemble.run(HEARTBEAT_TICKS);
        }
        long accepted = successor.gauge("max_accepted");
        ensemble.replica(leader).propose("last");
        ensemble.settle();
        assertEquals(accepted, successor.gauge("max_accepted"));
        assertEquals(accepted + 1, ensemble.replica(middle).gauge("max_accepted"));
        ensemble.resume(leader);
        ensemble.runUntil("the last value", 20, () -> successor.executed.contains("last"));
        assertLeaderStayed();
    }

    /** A successor that is far behind is fed from the log, at most a window ahead of what it has acknowledged. */
    @Test
    public void successorFarBehind_isFedFromTheLogWithinTheWindow() {
        startWith(3, Map.of("chain.windowInstances", "1"));
        ensemble.crash(tail);
        for (int i = 0; i < 300; i++) {
            ensemble.replica(leader).propose("w" + i);
            ensemble.settle();
        }
        ensemble.run(1);
        ensemble.start(tail);
        ensemble.stall(middle, tail);
        ensemble.stall(leader, tail);
        ensemble.run(12);
        ensemble.unstall(middle, tail);
        ensemble.unstall(leader, tail);
        ensemble.run(50);
        assertEquals(ensemble.replica(leader).executed, ensemble.replica(tail).executed);
        assertEquals(300, ensemble.replica(tail).executed.size());
        assertLeaderStayed();
    }

    /** C6: an answer to a leader that leads no more changes nothing. */
    @Test
    public void ackReachesFormerLeader_isIgnored() {
        start(3);
        ensemble.stall(tail, leader);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        AcceptAck late = ensemble.sent.stream()
                .filter(s -> s.from() == tail && s.to() == leader && s.message() instanceof AcceptAck)
                .map(s -> (AcceptAck) s.message())
                .reduce((first, second) -> second)
                .orElseThrow();
        ensemble.isolate(leader);
        ensemble.runUntil(
                "a new leader",
                200,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        ScriptedReplica former = ensemble.replica(leader);
        ensemble.runUntil("the former leader's resignation", 40, () -> !former.leads());
        List<String> executed = List.copyOf(former.executed);
        former.input(p -> p.onMessage(tail, late));
        assertEquals(executed, former.executed);
        assertFalse(former.leads());
        ensemble.unstall(tail, leader);
        ensemble.rejoin(leader);
        ensemble.run(50);
        assertEquals(List.of("a"), former.executed);
    }
}
