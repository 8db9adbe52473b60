package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.state.ReplicatedState;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.Before;
import org.junit.Test;

public class LostOwnersTest {
    private static final int TIMEOUT_MILLIS = 4000;
    private static final long PERIOD_MILLIS = 1000;
    private static final long MANY_PERIODS = 15;

    private final List<Command> ordered = new ArrayList<>();
    private final Set<Integer> configured = new HashSet<>(List.of(1, 2, 3));
    private final ReplicatedState replicated = ReplicatedState.initial(0);
    private long nowMillis = 1;
    private LostOwners owners;

    @Before
    public void lead() {
        TotalOrder order = (TotalOrder) Proxy.newProxyInstance(
                TotalOrder.class.getClassLoader(),
                new Class<?>[] {TotalOrder.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "streamCount" -> 1;
                    case "offer" -> ordered.add(CommandCodec.decode(((Proposal) arguments[0]).command()));
                    default -> throw new AssertionError("it waits: " + method);
                });
        Proposer proposer = new Proposer(() -> 0);
        proposer.connect(order);
        owners = new LostOwners(replicated, configured::contains, () -> nowMillis, new PatientProposer(proposer));
        owners.statusChanged(leader(7));
        for (int id = 1; id <= 3; id++) {
            replicated.started(id, 5, 0);
        }
    }

    private static OrderingStatus leader(long epoch) {
        return new OrderingStatus(Role.LEADER, 1, epoch);
    }

    private static Command orphan(int owner, long incarnation) {
        return new Command.Orphan(0, owner, incarnation);
    }

    private void tick(long periods) {
        for (long i = 0; i < periods; i++) {
            nowMillis += PERIOD_MILLIS;
            owners.tick();
        }
    }

    @Test
    public void ownersServe_noSessionIsTaken() {
        for (int id = 1; id <= 3; id++) {
            replicated.createSession(id, TIMEOUT_MILLIS, id, 5);
        }
        tick(10 * MANY_PERIODS);
        assertEquals(List.of(), ordered);
    }

    @Test
    public void serverIsNotConfiguredAnyMore_itsSessionsAreOwnerless() {
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 5);
        configured.remove(3);
        tick(5);
        assertEquals("lists may be edited one after the other", List.of(), ordered);
        tick(MANY_PERIODS);
        assertEquals(List.of(orphan(3, 5)), ordered);
        replicated.sessions().orphan(3, 5);
        tick(10 * MANY_PERIODS);
        assertEquals("once", 1, ordered.size());
    }

    @Test
    public void serverHasNeverSaidThatItStarted_itsSessionsAreOwnerless() {
        replicated.createSession(1, TIMEOUT_MILLIS, 4, 9);
        tick(MANY_PERIODS);
        assertEquals(List.of(orphan(4, 9)), ordered);
    }

    @Test
    public void sessionIsOfAnEarlierStart_isOwnerlessAndNoLaterOne() {
        replicated.createSession(1, TIMEOUT_MILLIS, 2, 4);
        replicated.createSession(2, TIMEOUT_MILLIS, 2, 5);
        tick(MANY_PERIODS);
        assertEquals(List.of(orphan(2, 4)), ordered);
    }

    @Test
    public void startIsExecutedAfterItsServerHasGoneSilent_itsSessionsAreOwnerless() {
        owners.silent(3, true);
        tick(MANY_PERIODS);
        assertEquals("it owns none", List.of(), ordered);
        replicated.started(3, 6, 0);
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 6);
        tick(MANY_PERIODS);
        assertEquals(List.of(orphan(3, 6)), ordered);
    }

    @Test
    public void silentServerIsHeardAgain_keepsItsSessions() {
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 5);
        owners.silent(3, true);
        tick(5);
        owners.silent(3, false);
        tick(5);
        owners.silent(3, true);
        tick(5);
        owners.silent(3, false);
        tick(MANY_PERIODS);
        assertEquals(List.of(), ordered);
    }

    @Test
    public void leadershipHasEnded_silenceOfBeforeCountsNoMore() {
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 5);
        owners.silent(3, true);
        owners.statusChanged(new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 7));
        owners.statusChanged(leader(7));
        tick(MANY_PERIODS);
        owners.silent(3, true);
        owners.statusChanged(leader(8));
        tick(MANY_PERIODS);
        assertEquals(List.of(), ordered);
    }

    @Test
    public void leaderStoodStill_waitsAsLongAgain() {
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 5);
        owners.silent(3, true);
        tick(5);
        nowMillis += 100_000;
        tick(5);
        assertEquals(List.of(), ordered);
    }

    @Test
    public void sessionsComeAgainAndAgain_areTakenEverLessOften() {
        replicated.createSession(1, TIMEOUT_MILLIS, 3, 5);
        owners.silent(3, true);
        tick(300);
        assertEquals("after 10, 30, 70 and 150 s", 4, ordered.size());
    }
}
