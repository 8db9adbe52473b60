package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Hello;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.Test;

/** Members that come, go, lose their disks, or only learn. */
public final class MembershipChangeTest {
    private static void awaitMembers(ScriptedEnsemble ensemble, int at, List<Integer> ids) {
        ensemble.runUntil(
                "members " + ids,
                400,
                () -> ensemble.replica(at).membership != null
                        && ensemble.replica(at).membership.replicaIds().stream()
                                .sorted()
                                .toList()
                                .equals(ids));
    }

    private static void awaitVoter(ScriptedEnsemble ensemble, int id) {
        ensemble.runUntil("the vote of " + id, 400, () -> ensemble.replica(id).gauge("is_voter") == 1);
    }

    @Test
    public void growFrom3To5_newMembersVote() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.configure(Ensemble.of(List.of(1, 2, 3, 4, 5)));
        ensemble.start(4);
        ensemble.start(5);
        awaitMembers(ensemble, 5, List.of(1, 2, 3, 4, 5));
        assertEquals(3, ensemble.replica(leader).gauge("quorum"));
        int other = leader == 1 ? 2 : 1;
        ensemble.crash(leader);
        ensemble.crash(other);
        ensemble.awaitLeader();
        ensemble.replica(5).propose("b");
        ensemble.run(5);
        assertEquals(List.of("a", "b"), ensemble.replica(4).executed);
    }

    /** The joiner was fed by the last of the chain. It would be in a ring with those whom it feeds now. */
    @Test
    public void joinerStandsAheadOfOthers_writesDoNotWait() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        if (leader == 1) {
            ensemble.crash(1);
            leader = ensemble.awaitLeader();
            ensemble.start(1);
            ensemble.run(50);
        }
        assertNotEquals("behind it the membership begins anew", 1, leader);
        ensemble.configure(Ensemble.of(List.of(1, 2, 3, 4)));
        ensemble.start(4);
        awaitMembers(ensemble, leader, List.of(1, 2, 3, 4));
        ScriptedReplica proposer = ensemble.replica(leader);
        for (int i = 0; i < 100; i++) {
            String value = "w" + i;
            proposer.propose(value);
            ensemble.run(1);
            assertTrue(value, proposer.executed.contains(value));
        }
        assertEquals(leader, ensemble.awaitLeader());
    }

    /** Otherwise each start keeps all of them until the next one is decided, which may be never. */
    @Test
    public void manyMembershipsInTheLog_startForgetsThoseThatWereSuperseded() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        for (int change = 1; change <= 12; change++) {
            ensemble.configure(Ensemble.of(List.of(1, 2, 3, 4)));
            if (!ensemble.isRunning(4)) {
                ensemble.start(4);
            }
            awaitMembers(ensemble, leader, List.of(1, 2, 3, 4));
            ensemble.configure(Ensemble.of(List.of(1, 2, 3)));
            awaitMembers(ensemble, leader, List.of(1, 2, 3));
        }
        ensemble.settle();
        int follower = ensemble.behindLeader(leader, 1);
        ensemble.isolate(follower);
        ensemble.restart(follower);
        ensemble.replica(follower)
                .input(p -> p.tellOccupancy((name, held, bound, slack) -> {
                    if (name.equals("memberships_known")) {
                        assertTrue(held + " memberships are known, " + bound + " may be", held <= bound && held > 1);
                    }
                }));
        ensemble.rejoin(follower);
        ensemble.replica(follower).propose("a");
        ensemble.run(20);
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    @Test
    public void blankReplica_answersNoCandidateBeforeItIsAdmitted() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        int lost = ensemble.behindLeader(leader, 2);
        int other = ensemble.behindLeader(leader, 1);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.loseDisk(lost);
        ensemble.crash(leader);
        ensemble.start(lost);
        ensemble.sent.clear();
        ensemble.run(300);
        assertFalse("its old promises are forgotten", ensemble.wasSent(lost, other, m -> m instanceof PrepareOk));
        assertFalse(ensemble.replica(other).leads());
        ensemble.start(leader);
        awaitVoter(ensemble, lost);
        assertEquals(List.of("a"), ensemble.replica(lost).executed);
        ensemble.crash(ensemble.awaitLeader() == leader ? leader : other);
        ensemble.awaitLeader();
        ensemble.replica(lost).propose("b");
        ensemble.run(5);
        assertEquals(List.of("a", "b"), ensemble.replica(lost).executed);
    }

    /** With its own acknowledgement the removal is decided; it votes no more, and nobody else can know that. */
    @Test
    public void whoIsRemovedDecidesThat_othersLearnSo() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(4);
        int leader = ensemble.awaitLeader();
        int last = ensemble.behindLeader(leader, 3);
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        ensemble.holdDisk(ensemble.behindLeader(leader, 2));
        List<Integer> left = Stream.of(1, 2, 3, 4).filter(id -> id != last).toList();
        ensemble.holdDisk(last);
        ensemble.configure(Ensemble.of(left));
        ensemble.run(5);
        ensemble.releaseDisk(last);
        awaitMembers(ensemble, leader, left);
    }

    @Test
    public void memberRemoved_othersGoOnWithASmallerQuorum() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(5);
        int leader = ensemble.awaitLeader();
        int second = ensemble.behindLeader(leader, 1);
        int third = ensemble.behindLeader(leader, 2);
        List<Integer> remaining =
                List.of(leader, second, third).stream().sorted().toList();
        ensemble.configure(Ensemble.of(remaining));
        awaitMembers(ensemble, second, remaining);
        assertEquals(2, ensemble.replica(leader).gauge("quorum"));
        ensemble.crash(leader);
        ensemble.runUntil(
                "a new leader",
                200,
                () -> ensemble.replica(second).leads()
                        || ensemble.replica(third).leads());
        ensemble.replica(second).propose("a");
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(third).executed);
    }

    @Test
    public void leaderRemovesItself_handsOverAtOnce() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        int next = ensemble.behindLeader(leader, 1);
        List<Integer> remaining = List.of(next, ensemble.behindLeader(leader, 2)).stream()
                .sorted()
                .toList();
        ensemble.configure(Ensemble.of(remaining));
        awaitMembers(ensemble, next, remaining);
        ensemble.run(3);
        assertTrue(
                "without waiting for a silence",
                remaining.stream().anyMatch(id -> ensemble.replica(id).leads()));
        assertFalse(ensemble.replica(leader).leads());
        ensemble.replica(next).propose("a");
        ensemble.run(2);
        assertEquals(List.of("a"), ensemble.replica(next).executed);
    }

    @Test
    public void observer_learnsAndReadsButNeverVotes() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        ensemble.configure(new Ensemble(List.of(1, 2, 3), List.of(4)));
        ensemble.start(4);
        ensemble.replica(leader).propose("a");
        ensemble.runUntil("its value", 100, () -> ensemble.replica(4).executed.equals(List.of("a")));
        assertEquals(Role.OBSERVER, ensemble.replica(4).status().role());
        long token = ensemble.replica(4).read();
        ensemble.run(1);
        assertTrue(ensemble.replica(4).barriersReached.containsKey(token));
        ensemble.replica(4).propose("b");
        ensemble.run(1);
        assertEquals(List.of("a", "b"), ensemble.replica(leader).executed);
        ensemble.crash(ensemble.behindLeader(leader, 1));
        ensemble.crash(ensemble.behindLeader(leader, 2));
        ensemble.replica(leader).propose("c");
        ensemble.run(100);
        assertEquals("no quorum without it", List.of("a", "b"), ensemble.replica(leader).executed);
        assertNull(ensemble.replica(leader).membership);
    }

    @Test
    public void shortSilence_removesNobody() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(5, Map.of("chain.minQuorumSize", "2"));
        int leader = ensemble.awaitLeader();
        ensemble.isolate(ensemble.behindLeader(leader, 2));
        ensemble.run(150);
        ensemble.rejoin(ensemble.behindLeader(leader, 2));
        ensemble.run(300);
        assertNull(ensemble.replica(leader).membership);
    }

    /** Where quorums below the majority of the ensemble are allowed, failures one after the other are survived. */
    @Test
    public void silentMembers_areRemovedOneByOneAndComeBackByThemselves() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(5, Map.of("chain.minQuorumSize", "2"));
        int leader = ensemble.awaitLeader();
        for (int gone = 3; gone >= 1; gone--) {
            int members = gone + 1;
            ensemble.crash(ensemble.behindLeader(leader, members));
            ensemble.runUntil("the removal", 600, () -> ensemble.replica(leader).gauge("members") == members);
        }
        ensemble.replica(leader).propose("a");
        ensemble.run(2);
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
        for (int back = 2; back <= 4; back++) {
            int id = ensemble.behindLeader(leader, back);
            ensemble.start(id);
            awaitVoter(ensemble, id);
        }
        assertEquals(5, ensemble.replica(leader).gauge("members"));
    }

    @Test
    public void joinDuringElection_succeedsLater() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        ensemble.crash(leader);
        ensemble.configure(Ensemble.of(List.of(1, 2, 3, 4)));
        ensemble.start(4);
        awaitVoter(ensemble, 4);
        ensemble.start(leader);
        ensemble.replica(4).propose("a");
        ensemble.run(50);
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    @Test
    public void restartedMember_votesAtOnceWithItsDisk() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        ensemble.replica(leader).propose("a");
        ensemble.run(2);
        for (int id = 1; id <= 3; id++) {
            ensemble.crash(id);
        }
        ensemble.start(1);
        ensemble.start(2);
        ensemble.awaitLeader();
        ensemble.replica(1).propose("b");
        ensemble.run(2);
        assertEquals(List.of("a", "b"), ensemble.replica(2).executed);
    }

    /** The server list may be edited between two starts; who decides is what the cluster was founded with. */
    @Test
    public void serverListEditedBeforeRestart_quorumStaysThatOfTheOrder() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        ensemble.replica(ensemble.awaitLeader()).propose("a");
        ensemble.run(2);
        ensemble.crash(3);
        ensemble.restartWith(1, List.of(1));
        ensemble.crash(2);
        ensemble.run(200);
        assertFalse("one of three is no quorum", ensemble.replica(1).leads());
        assertEquals(2, ensemble.replica(1).gauge("quorum"));
    }

    /** A new leader relies on no member that has not shown itself: it may have lost its disk a moment before. */
    @Test
    public void newLeader_removesNobodyBeforeTheOthersHaveShownThatTheyVote() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int former = ensemble.awaitLeader();
        int leaving = ensemble.behindLeader(former, 1);
        int lost = ensemble.behindLeader(former, 2);
        ensemble.crash(former);
        ensemble.loseDisk(lost);
        ensemble.configure(sorted(former, lost));
        ensemble.start(former);
        ensemble.awaitLeader();
        ensemble.run(100);
        assertEquals(3, ensemble.replica(leaving).gauge("members"));
        ensemble.replica(leaving).propose("a");
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(former).executed);
        ensemble.start(lost);
        awaitMembers(ensemble, former, sorted(former, lost).participants());
        awaitVoter(ensemble, lost);
    }

    /**
     * A replica that is down may come back without its disk: admitted with the old disk it would be missing for good.
     */
    @Test
    public void joinerWhoseLinkIsDown_isAdmittedWhenItIsBackWithTheDiskThatItHasThen() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3, Map.of("chain.minQuorumSize", "3"));
        int leader = ensemble.awaitLeader();
        int staying = ensemble.behindLeader(leader, 1);
        ensemble.configure(new Ensemble(List.of(1, 2, 3), List.of(4)));
        ensemble.start(4);
        ensemble.run(20);
        ensemble.loseDisk(4);
        ensemble.configure(sorted(leader, staying, 4));
        ensemble.run(30);
        assertFalse("its disk is lost", ensemble.replica(leader).membership.contains(4));
        ensemble.start(4);
        awaitMembers(ensemble, leader, sorted(leader, staying, 4).participants());
        awaitVoter(ensemble, 4);
        ensemble.replica(4).propose("a");
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(staying).executed);
    }

    /** What a member showed before its link went down does not count either. */
    @Test
    public void memberWhoseLinkIsDown_nobodyElseIsRemovedOnTheStrengthOfIt() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(4, Map.of("chain.minQuorumSize", "3"));
        int leader = ensemble.awaitLeader();
        int staying = ensemble.behindLeader(leader, 1);
        int leaving = ensemble.behindLeader(leader, 2);
        int lost = ensemble.behindLeader(leader, 3);
        ensemble.run(20);
        ensemble.loseDisk(lost);
        ensemble.configure(sorted(leader, staying, lost));
        ensemble.run(30);
        assertNull("three of four can decide", ensemble.replica(leaving).membership);
        ensemble.start(lost);
        awaitMembers(ensemble, leader, sorted(leader, staying, lost).participants());
        awaitVoter(ensemble, lost);
        ensemble.replica(lost).propose("a");
        ensemble.run(5);
        assertEquals(List.of("a"), ensemble.replica(staying).executed);
    }

    /** The removal of a member needs a quorum of the members that decide it, and the leaver is one of them. */
    @Test
    public void memberThatLeaves_isFedUntilThatIsDecided() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(4);
        int leader = ensemble.awaitLeader();
        int leaving = ensemble.behindLeader(leader, 3);
        ensemble.run(20);
        ensemble.crash(ensemble.behindLeader(leader, 1));
        ensemble.replica(leader).propose("a");
        List<Integer> remaining = sorted(1, 2, 3, 4).participants().stream()
                .filter(id -> id != leaving)
                .toList();
        ensemble.configure(Ensemble.of(remaining));
        awaitMembers(ensemble, leader, remaining);
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    /** Admitted under a number that a crash takes from it, it could never vote. */
    @Test
    public void joinerWhoseNumberIsNotDurable_isNotAdmittedYet() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        ensemble.configure(sorted(1, 2, 3, 4));
        ensemble.holdDisk(4);
        ensemble.start(4);
        ensemble.run(60);
        assertNull(ensemble.replica(leader).membership);
        ensemble.releaseDisk(4);
        awaitVoter(ensemble, 4);
        assertEquals(4, ensemble.replica(leader).gauge("members"));
    }

    /** What a link has held up says nothing of the disk that the joiner has by now, however often it was said. */
    @Test
    public void joinerThatLostItsDiskWhileItsWordsWereHeldUp_isAdmittedWithTheDiskThatItHasThen() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(1);
        ensemble.replica(1).propose("a");
        ensemble.settle();
        ensemble.configure(sorted(1, 2));
        ensemble.start(2);
        ensemble.stall(2, 1);
        ensemble.run(10);
        ensemble.stop(2);
        ensemble.unstall(2, 1);
        ensemble.run(10);
        ensemble.loseDisk(2);
        ensemble.resume(2);
        ensemble.start(2);
        awaitMembers(ensemble, 1, List.of(1, 2));
        awaitVoter(ensemble, 2);
        ensemble.replica(2).propose("b");
        ensemble.run(5);
        assertEquals(List.of("a", "b"), ensemble.replica(1).executed);
    }

    /** All that the replica knows is the number of its disk; only the candidate knows that the replica is a member. */
    @Test
    public void memberAdmittedBeforeAnythingIsDurableAtIt_answersTheCandidateThatKnowsOfIt() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(2);
        int leader = ensemble.awaitLeader();
        int other = ensemble.behindLeader(leader, 1);
        ensemble.configure(sorted(1, 2, 3));
        ensemble.start(3);
        ensemble.settle();
        ensemble.holdDisk(3);
        awaitMembers(ensemble, leader, List.of(1, 2, 3));
        ensemble.crash(3);
        ensemble.crash(other);
        ensemble.restart(leader);
        ensemble.releaseDisk(3);
        ensemble.start(3);
        ensemble.runUntil(
                "one of the two",
                400,
                () -> ensemble.replica(leader).leads() || ensemble.replica(3).leads());
        ensemble.replica(3).propose("a");
        ensemble.run(20);
        assertEquals(List.of("a"), ensemble.replica(leader).executed);
    }

    /** It has accepted nothing, but knows that there is a cluster: it must not found one with blank disks. */
    @Test
    public void founderThatHasFollowedALeader_remembersThatThereIsACluster() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int leader = ensemble.awaitLeader();
        for (int places = 1; places <= 2; places++) {
            int follower = ensemble.behindLeader(leader, places);
            ensemble.restart(follower);
            ensemble.sent.clear();
            ensemble.breakLink(follower, leader);
            ensemble.run(1);
            assertTrue(ensemble.wasSent(
                    follower,
                    leader,
                    m -> m instanceof Hello && !((Hello) m).founding().promisedNothing()));
        }
    }

    private static Ensemble sorted(Integer... ids) {
        return Ensemble.of(Stream.of(ids).sorted().toList());
    }
}
