package io.chainkeeper.chain;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Who may lead and follow, and from where. */
public final class RoleTest {
    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final int TICK_MILLIS = 50;

    private final Effects effects = (Effects) Proxy.newProxyInstance(
            RoleTest.class.getClassLoader(),
            new Class<?>[] {Effects.class},
            (proxy, method, arguments) -> method.getReturnType() == long.class ? 1L : null);

    private final ReplicaState state = new ReplicaState(
            new ProtocolContext(SELF, 1, List.of(1, 2, 3), Map.of(), bound -> 0, TICK_MILLIS),
            new ChainSettings(Map.of(), 3, TICK_MILLIS),
            new SafetyRules(),
            effects);

    @Test
    public void candidate_leadsItsOwnBallotAndFollowsThoseOfOthers() {
        state.enter(new Ballot(1, SELF), 1);
        assertTrue(state.isLeader());
        state.enter(new Ballot(2, OTHER), 1);
        assertTrue(state.isFollower());
    }

    @Test
    public void follower_mustLeaveBeforeItLeads() {
        state.enter(new Ballot(1, OTHER), 1);
        assertThrows(InvariantViolated.class, () -> state.enter(new Ballot(2, SELF), 1));
    }

    @Test
    public void ballotBelowThePromise_isNotEntered() {
        state.promise(new Ballot(5, OTHER));
        assertThrows(InvariantViolated.class, () -> state.enter(new Ballot(4, SELF), 1));
    }

    @Test
    public void missedLeader_isFollowedAgainUnlessAnotherBallotWasPromised() {
        state.enter(new Ballot(1, OTHER), 1);
        state.missLeader();
        assertTrue(state.isLooking());
        state.followAgain();
        assertTrue(state.isFollower());
        state.missLeader();
        state.promise(new Ballot(2, OTHER));
        assertThrows(InvariantViolated.class, state::followAgain);
    }

    @Test
    public void onlyAFollower_missesALeader() {
        assertThrows(InvariantViolated.class, state::missLeader);
        state.enter(new Ballot(1, SELF), 1);
        assertThrows(InvariantViolated.class, state::missLeader);
    }

    @Test
    public void replicaThatHasLeft_followsNobodyAgain() {
        state.enter(new Ballot(1, OTHER), 1);
        state.leave();
        assertFalse(state.isFollower());
        assertThrows(InvariantViolated.class, state::followAgain);
    }
}
