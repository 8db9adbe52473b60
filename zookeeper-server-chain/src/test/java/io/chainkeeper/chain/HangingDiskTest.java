package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.TakeOver;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** A replica whose own disk gives no answer any more, while its process lives and its links are up. */
public class HangingDiskTest {
    private static final int SOON_TICKS = 5;

    private static final int WINDOW_INSTANCES = 4;

    private final ScriptedEnsemble ensemble =
            ScriptedEnsemble.started(3, Map.of("chain.windowInstances", Integer.toString(WINDOW_INSTANCES)));
    private final int first = ensemble.awaitLeader();
    private final int second = ensemble.behindLeader(first, 1);
    private final int third = ensemble.behindLeader(first, 2);

    /** What it has accepted anew counts on the disks of others alone, and so it goes on. */
    @Test
    public void diskHangs_leaderGoesOn() {
        ensemble.holdDisk(first);
        ensemble.replica(first).propose("a");
        ensemble.run(SOON_TICKS);
        for (int id : List.of(first, second, third)) {
            assertEquals(List.of("a"), ensemble.replica(id).executed);
        }
        assertTrue(ensemble.replica(first).leads());
    }

    /** Its promise is not durable, so nothing leaves it; who feeds it takes it for the way round to the leader. */
    @Test
    public void diskOfTheTailHangs_whoFeedsItTellsTheLeaderWhatItHolds() {
        ScriptedEnsemble five = ScriptedEnsemble.started(5);
        int leader = five.awaitLeader();
        int beforeTail = five.behindLeader(leader, 3);
        five.holdDisk(five.behindLeader(leader, 4));
        five.stop(beforeTail);
        five.crash(leader);
        five.run(200); // too few are left to elect another one
        five.start(leader);
        for (int i = 0; i < 400 && !five.replica(leader).leads(); i++) {
            five.replica(leader).tick();
            five.settle();
        }
        five.run(SOON_TICKS * SOON_TICKS); // the two behind the leader close the loop by now
        five.holdDisk(five.behindLeader(leader, 1));
        five.resume(beforeTail);
        five.run(SOON_TICKS * SOON_TICKS); // and the tail is fed by the one before it again
        five.replica(leader).propose("a");
        five.runUntil(
                "the value is decided", 100, () -> five.replica(leader).executed.equals(List.of("a")));
    }

    /** Values that lie in its log with an older ballot keep it from executing, and so, in the end, from proposing. */
    @Test
    public void diskHangsBeforeItHoldsWhatWasRecovered_anotherLeads() {
        ensemble.stall(second, first);
        ensemble.stall(second, third);
        ensemble.holdDisk(first);
        ensemble.replica(first).propose("a");
        ensemble.settle();
        ensemble.crash(first);
        ensemble.breakLink(second, third);
        ensemble.unstall(second, first);
        ensemble.unstall(second, third);
        ensemble.sent.clear();
        for (int i = 0; i < 400 && !ensemble.wasSent(second, third, Prepare.class::isInstance); i++) {
            ensemble.replica(second).tick();
            ensemble.steps(1);
        }
        ensemble.holdDisk(second);
        ensemble.settle();
        assertTrue("the one whose disk hangs leads", ensemble.replica(second).leads());
        ensemble.releaseDisk(first);
        ensemble.start(first);
        ensemble.run(SOON_TICKS);
        assertEquals(List.of("a"), ensemble.replica(third).executed);
        assertEquals(List.of(), ensemble.replica(second).executed);
        for (int i = 0; i < 2 * WINDOW_INSTANCES; i++) {
            ensemble.replica(third).propose("b" + i);
            ensemble.run(1);
        }
        ensemble.runUntil(
                "the others go on", 400, () -> ensemble.replica(third).executed.size() == 1 + 2 * WINDOW_INSTANCES);
        ensemble.releaseDisk(second);
        ensemble.run(SOON_TICKS);
        assertEquals(ensemble.replica(third).executed, ensemble.replica(second).executed);
    }

    /** What it holds in memory its disk lacks: no bound of its own keeps that from becoming much. */
    @Test
    public void candidateLacksMoreThanOthersKeep_whoseDiskHangsDoesNotAnswer() {
        ScriptedEnsemble five =
                ScriptedEnsemble.started(5, Map.of("chain.windowInstances", "1", "chain.maxInstancesInMemory", "16"));
        int leader = five.awaitLeader();
        int hanging = five.behindLeader(leader, 3);
        int behind = five.behindLeader(leader, 4);
        five.run(SOON_TICKS);
        five.isolate(behind);
        five.holdDisk(hanging);
        for (int i = 0; i < 40; i++) {
            five.replica(leader).propose("a" + i);
            five.run(1);
        }
        assertEquals(40, five.replica(leader).executed.size());
        five.isolate(hanging);
        five.run(200); // none of the two hears a leader any more
        five.heal(hanging, behind);
        five.sent.clear();
        five.run(200);
        assertTrue("it tries", five.wasSent(behind, hanging, PreVote.class::isInstance));
        assertFalse("it is answered", five.wasSent(hanging, behind, PreVoteOk.class::isInstance));
        Ballot asked = new Ballot(100, behind);
        five.send(behind, hanging, new Prepare(asked, 1)); // as of one that was asked to take over
        five.settle();
        assertTrue(
                "it is told so",
                five.wasSent(
                        hanging,
                        behind,
                        message -> message instanceof PreVoteDenied denied
                                && denied.ballot().equals(asked)));
        five.rejoin(hanging);
        five.rejoin(behind);
        five.releaseDisk(hanging);
        five.runUntil(
                "all have everything",
                400,
                () -> List.of(hanging, behind).stream()
                        .allMatch(id -> five.replica(id).executed.size() == 40));
    }

    /** Else nobody would lead until its disk answers, or others miss a leader. */
    @Test
    public void leaderIsRemoved_whoseDiskHangsIsNotAskedToLead() {
        ScriptedEnsemble four = ScriptedEnsemble.started(4);
        int leader = four.awaitLeader();
        List<Integer> others = new ArrayList<>(List.of(1, 2, 3, 4));
        others.remove((Integer) leader);
        int hanging = others.get(0);
        four.run(SOON_TICKS);
        four.holdDisk(hanging);
        four.replica(leader).propose("a");
        four.run(SOON_TICKS);
        four.sent.clear();
        four.configure(Ensemble.of(others));
        four.runUntil(
                "another leads",
                10 * SOON_TICKS,
                () -> others.stream()
                        .anyMatch(id -> id != hanging && four.replica(id).leads()));
        assertFalse(four.wasSent(leader, hanging, TakeOver.class::isInstance));
    }

    /** Its own values are in memory already: only those of others count besides. */
    @Test
    public void diskHangsAndItStands_isReportedNoMoreThanOthersKeep() {
        ScriptedEnsemble five =
                ScriptedEnsemble.started(5, Map.of("chain.windowInstances", "1", "chain.maxInstancesInMemory", "16"));
        int former = five.awaitLeader();
        int hanging = five.behindLeader(former, 4);
        five.run(SOON_TICKS);
        five.holdDisk(hanging);
        five.crash(former);
        int leader = five.awaitLeader();
        for (int i = 0; i < 40; i++) {
            five.replica(leader).propose("a" + i);
            five.run(1);
        }
        five.runUntil(
                "all are decided", 100, () -> five.replica(leader).executed.size() == 40);
        assertTrue("it has more than others keep", five.replica(hanging).gauge("max_accepted") > 16 + 1);
        assertEquals(List.of(), five.replica(hanging).executed);
        Ballot ballot = five.sent.stream()
                .filter(sent -> sent.from() == leader && sent.message() instanceof Accept)
                .map(sent -> ((Accept) sent.message()).ballot())
                .findFirst()
                .orElseThrow();
        five.send(leader, hanging, new TakeOver(ballot));
        five.settle();
        five.replica(hanging)
                .input(p -> p.tellOccupancy((name, held, bound, slack) -> assertTrue(
                        name + " holds " + held + " of " + bound, !name.equals("reported_values") || held <= bound)));
    }
}
