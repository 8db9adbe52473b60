package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.TakeOver;
import java.util.List;
import org.junit.Test;

/** A leader that is going to stop has another one lead, without a moment in which it would have to be missed. */
public class LeavingLeaderTest {
    /** Far fewer than a leader may be silent. */
    private static final int SOON_TICKS = 5;

    @Test
    public void leaderThatLeaves_isFollowedByAnotherAtOnce() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int former = ensemble.awaitLeader();
        ensemble.run(SOON_TICKS);
        ensemble.sent.clear();
        ensemble.replica(former).propose("before");
        ensemble.replica(former).input(p -> p.onLeave());
        ensemble.run(SOON_TICKS);
        int next = ensemble.awaitLeader();
        assertNotEquals(former, next);
        assertFalse(
                "nobody had to be asked first",
                ensemble.sent.stream().anyMatch(sent -> sent.message() instanceof PreVote));
        ensemble.replica(former).propose("behind");
        ensemble.run(SOON_TICKS);
        assertEquals(List.of("before", "behind"), ensemble.replica(next).executed);
        assertEquals(List.of("before", "behind"), ensemble.replica(former).executed);
    }

    /** It goes on until somebody has taken over, and asks one after the other: who is asked first may leave too. */
    @Test
    public void whoIsAskedCannotLead_leaderGoesOnAndAsksTheNext() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int former = ensemble.awaitLeader();
        int second = ensemble.behindLeader(former, 1);
        int third = ensemble.behindLeader(former, 2);
        ensemble.run(SOON_TICKS);
        ensemble.replica(second).input(p -> p.onLeave());
        ensemble.replica(former).input(p -> p.onLeave());
        ensemble.replica(former).propose("a");
        ensemble.runUntil("the third leads", 60, () -> ensemble.replica(third).leads());
        ensemble.replica(third).propose("b");
        ensemble.run(SOON_TICKS);
        assertEquals(List.of("a", "b"), ensemble.replica(former).executed);
    }

    @Test
    public void leaderThatIsAlone_goesOn() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(1);
        ensemble.awaitLeader();
        ensemble.replica(1).input(p -> p.onLeave());
        ensemble.replica(1).propose("a");
        ensemble.run(SOON_TICKS);
        assertEquals(List.of("a"), ensemble.replica(1).executed);
        assertTrue(ensemble.sent.stream().noneMatch(sent -> sent.message() instanceof TakeOver));
    }

    @Test
    public void followerThatLeaves_doesNotStand() {
        ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
        int former = ensemble.awaitLeader();
        int second = ensemble.behindLeader(former, 1);
        int third = ensemble.behindLeader(former, 2);
        ensemble.replica(second).input(p -> p.onLeave());
        ensemble.run(SOON_TICKS);
        ensemble.crash(former);
        ensemble.runUntil("the third leads", 400, () -> ensemble.replica(third).leads());
    }
}
