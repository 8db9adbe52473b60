package io.chainkeeper.server.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class SessionKeeperTest {
    private static final int SELF = 2;
    private static final int OTHER = 3;
    private static final long INCARNATION = 5;
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final long PERIOD_MILLIS = 100;
    private static final long STALL_MILLIS = 250;

    private long nowMillis = 10_000;
    private final SessionTable table = new SessionTable();
    private final OwnedSessions owned = new OwnedSessions(() -> nowMillis);
    private final List<Command.Expire> proposals = new ArrayList<>();
    private long stuckMillis;
    private long proposingTakesMillis;
    private final SessionKeeper keeper = new SessionKeeper(
            table, owned, () -> nowMillis, () -> 77, SELF, STALL_MILLIS, () -> stuckMillis, this::propose);

    private Runnable whileProposing = () -> {};

    private boolean hasRoom = true;

    private boolean propose(Command.Expire expire) {
        if (!hasRoom) {
            return false;
        }
        proposals.add(expire);
        nowMillis += proposingTakesMillis;
        whileProposing.run();
        return true;
    }

    private void createOwned(long sessionId) {
        table.create(sessionId, TIMEOUT_MILLIS, SELF, INCARNATION);
        owned.owned(sessionId, TIMEOUT_MILLIS);
    }

    private void pass(long millis, boolean serving, boolean leading, long epoch) {
        long end = nowMillis + millis;
        while (nowMillis < end) {
            nowMillis += PERIOD_MILLIS;
            keeper.tick(serving, leading, epoch, PERIOD_MILLIS);
        }
    }

    private void passServing(long millis) {
        pass(millis, true, false, 1);
    }

    @Test
    public void silentSession_isProposedOnceItsTimeoutHasPassed() {
        createOwned(1);
        passServing(900);
        assertEquals(List.of(), proposals);
        passServing(100);
        assertEquals(List.of(new Command.Expire(77, 1, SELF, 0)), proposals);
        passServing(900);
        assertEquals(1, proposals.size());
    }

    /** Each proposal waits for less than what counts as a stall. */
    @Test
    public void heardWhileOthersAreProposed_isNotProposed() {
        proposingTakesMillis = STALL_MILLIS / 5;
        createOwned(1);
        createOwned(2);
        createOwned(3);
        whileProposing = () -> List.of(1L, 2L, 3L).forEach(owned::touch);
        passServing(1_000);
        assertEquals(1, proposals.size());
    }

    @Test
    public void orphanedWhileOthersAreProposed_getsItsTimeoutFromThere() {
        proposingTakesMillis = STALL_MILLIS / 2;
        for (long sessionId = 1; sessionId <= 3; sessionId++) {
            table.create(sessionId, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        }
        pass(1_000, true, true, 1);
        long orphanedMillis = nowMillis + 2 * proposingTakesMillis;
        whileProposing = () -> {
            if (table.get(4) == null && proposals.size() == 2) {
                table.create(4, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
            }
        };
        pass(PERIOD_MILLIS, true, true, 1);
        assertEquals(3, proposals.size());
        proposingTakesMillis = 0;
        while (proposals.size() == 3) {
            pass(10, true, true, 1);
        }
        assertTrue("after " + (nowMillis - orphanedMillis) + " ms", nowMillis - orphanedMillis >= TIMEOUT_MILLIS);
    }

    @Test
    public void touchedSession_isNotProposed() {
        createOwned(1);
        for (int i = 0; i < 5; i++) {
            passServing(900);
            assertTrue(owned.touch(1));
        }
        assertEquals(List.of(), proposals);
    }

    @Test
    public void lostProposal_isMadeAgainAfterHalfAMinute() {
        createOwned(1);
        passServing(1_000);
        passServing(29_900);
        assertEquals(1, proposals.size());
        passServing(100);
        assertEquals(2, proposals.size());
    }

    @Test
    public void lostProposalOfTheManager_isMadeAgainAfterHalfAMinute() {
        table.create(1, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        pass(1_100, true, true, 1);
        pass(29_900, true, true, 1);
        assertEquals(1, proposals.size());
        pass(100, true, true, 1);
        assertEquals(2, proposals.size());
    }

    /** Where the order is slower than sessions end, repeats must not make it slower still. */
    @Test
    public void proposalThatWaitsInAQueue_isRepeatedMoreAndMoreSeldom() {
        createOwned(1);
        passServing(1_000);
        passServing(30_000 * ((1 << 6) - 1));
        assertEquals(1 + 6, proposals.size());
    }

    @Test
    public void stalledOwner_expiresNobodyBeforeAFullTimeout() {
        createOwned(1);
        passServing(500);
        nowMillis += 5_000;
        keeper.tick(true, false, 1, PERIOD_MILLIS);
        assertEquals(List.of(), proposals);
        passServing(900);
        assertEquals(List.of(), proposals);
        passServing(100);
        assertEquals(1, proposals.size());
    }

    /** Otherwise every pause of a busy machine lets the locks of the dead live for another full timeout. */
    @Test
    public void shortStall_costsTheStallTwiceAndNoFullTimeout() {
        createOwned(1);
        table.create(2, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        pass(800, true, true, 1);
        nowMillis += PERIOD_MILLIS + 300;
        keeper.tick(true, true, 1, PERIOD_MILLIS);
        pass(300, true, true, 1);
        assertEquals("1 000 ms and twice 300 ms are not over", List.of(), proposals);
        pass(100, true, true, 1);
        assertEquals(List.of(new Command.Expire(77, 1, SELF, 0)), proposals);
        pass(100, true, true, 1);
        assertEquals("seen one tick later", 2, proposals.size());
    }

    /** Threads that wait to propose do not read their clients. */
    @Test
    public void orderThatTakesNothing_expiresNobodyBeforeItsClientsCouldBeHeard() {
        createOwned(1);
        passServing(300);
        for (int i = 0; i < 50; i++) {
            stuckMillis += PERIOD_MILLIS;
            passServing(PERIOD_MILLIS);
        }
        stuckMillis = 0;
        passServing(PERIOD_MILLIS);
        assertEquals(List.of(), proposals);
        passServing(900);
        assertEquals(List.of(), proposals);
        passServing(100);
        assertEquals(1, proposals.size());
    }

    @Test
    public void noRoomForAProposal_isMadeAgainWithTheNextTickThatHasSome() {
        createOwned(1);
        table.create(2, TIMEOUT_MILLIS, OTHER, INCARNATION);
        table.orphan(OTHER, INCARNATION);
        hasRoom = false;
        pass(3_000, true, true, 1);
        assertEquals(List.of(), proposals);
        hasRoom = true;
        pass(PERIOD_MILLIS, true, true, 1);
        assertEquals(2, proposals.size());
    }

    /** It is the usual thing under load. */
    @Test
    public void orderThatIsFullButMoves_changesNothing() {
        createOwned(1);
        stuckMillis = STALL_MILLIS;
        passServing(1_000);
        assertEquals(1, proposals.size());
    }

    /** What was found before the wait is not true after it. */
    @Test
    public void firstProposalWaitsLong_otherSessionsAreLookedAtAnew() {
        createOwned(1);
        createOwned(2);
        passServing(500);
        createOwned(3);
        proposingTakesMillis = 10_000;
        passServing(500);
        assertEquals(1, proposals.size());
        proposingTakesMillis = 0;
        passServing(1_000);
        assertEquals("all have a full timeout again", 1, proposals.size());
        owned.touch(1);
        owned.touch(2);
        passServing(100);
        assertEquals("the one that was not heard", 3, proposals.get(1).sessionId());
        assertEquals(2, proposals.size());
    }

    /** Being passed over is no proposal: what comes after the wait is the stall's grace, not another timeout. */
    @Test
    public void sessionPassedOverAfterAWait_isProposedWhenTheGraceIsOver() {
        createOwned(1);
        createOwned(2);
        proposingTakesMillis = STALL_MILLIS + 50;
        passServing(1_000);
        assertEquals(1, proposals.size());
        proposingTakesMillis = 0;
        long first = proposals.get(0).sessionId();
        passServing(2 * (STALL_MILLIS + 50));
        assertEquals(2, proposals.size());
        assertEquals("the other one", 3 - first, proposals.get(1).sessionId());
    }

    @Test
    public void replicaThatDoesNotServe_expiresNobodyAndRearmsWhenItIsBack() {
        createOwned(1);
        pass(5_000, false, false, 1);
        passServing(900);
        assertEquals(List.of(), proposals);
    }

    @Test
    public void sessionThatMovedAway_isNotProposed() {
        createOwned(1);
        table.attach(1, OTHER, INCARNATION, TIMEOUT_MILLIS);
        passServing(2_000);
        assertEquals(List.of(), proposals);
    }

    @Test
    public void sessionNotYetOrdered_isNotProposed() {
        owned.requested(1, TIMEOUT_MILLIS);
        passServing(5_000);
        assertEquals(List.of(), proposals);
    }

    @Test
    public void ownerlessSession_isProposedByTheManagerAfterAFullTimeout() {
        table.create(1, TIMEOUT_MILLIS, OTHER, INCARNATION);
        pass(5_000, true, true, 1);
        assertEquals(List.of(), proposals);
        table.orphan(OTHER, INCARNATION);
        pass(1_000, true, true, 1);
        assertEquals(List.of(), proposals);
        pass(200, true, true, 1);
        assertEquals(List.of(new Command.Expire(77, 1, SessionState.NO_OWNER, 1)), proposals);
    }

    @Test
    public void newManager_givesOwnerlessSessionsAFullTimeout() {
        table.create(1, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        pass(900, true, true, 1);
        pass(900, true, true, 2);
        pass(900, true, false, 3);
        pass(900, true, true, 4);
        assertEquals(List.of(), proposals);
        pass(300, true, true, 4);
        assertEquals(1, proposals.size());
    }

    @Test
    public void stalledManager_givesOwnerlessSessionsAFullTimeout() {
        table.create(1, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        pass(900, true, true, 1);
        nowMillis += 10_000;
        keeper.tick(true, true, 1, PERIOD_MILLIS);
        pass(900, true, true, 1);
        assertEquals(List.of(), proposals);
    }

    @Test
    public void ownerlessSessionAttachedInTime_isNotProposed() {
        table.create(1, TIMEOUT_MILLIS, SessionState.NO_OWNER, 0);
        pass(900, true, true, 1);
        table.attach(1, OTHER, INCARNATION, TIMEOUT_MILLIS);
        pass(5_000, true, true, 1);
        assertEquals(List.of(), proposals);
    }

    @Test
    public void expiryOfASessionAttachedSince_isRefused() {
        table.create(1, TIMEOUT_MILLIS, SELF, INCARNATION);
        assertTrue(table.mayExpire(1, SELF, 0));
        table.attach(1, SELF, INCARNATION, TIMEOUT_MILLIS);
        assertFalse("same owner, new connection", table.mayExpire(1, SELF, 0));
        table.attach(1, OTHER, INCARNATION, TIMEOUT_MILLIS);
        assertFalse(table.mayExpire(1, SELF, 1));
        assertFalse(table.mayExpire(1, SELF, 2));
        assertTrue(table.mayExpire(1, OTHER, 2));
        table.remove(1);
        assertFalse(table.mayExpire(1, OTHER, 2));
    }

    @Test
    public void orphaning_takesOnlySessionsOfTheNamedIncarnations() throws Exception {
        table.create(3, TIMEOUT_MILLIS, OTHER, 1);
        table.create(1, TIMEOUT_MILLIS, OTHER, 2);
        table.create(2, TIMEOUT_MILLIS, OTHER, 3);
        table.create(4, TIMEOUT_MILLIS, SELF, 1);
        assertEquals(List.of(1L, 3L), table.orphan(OTHER, 2));
        assertTrue(table.get(1).ownerless());
        assertFalse(table.get(2).ownerless());
        assertFalse(table.get(4).ownerless());
        SessionTable copy = SessionTable.decode(table.encode());
        assertEquals(table.encode(), copy.encode());
        assertEquals(table.get(3), copy.get(3));
    }

    @Test
    public void idInUse_isRefusedAndSkipped() {
        SessionIds ids = new SessionIds(SELF, () -> 1_700_000_000_000L, () -> 1_700_000_000_000L, table);
        long first = ids.next();
        assertTrue(table.create(first, TIMEOUT_MILLIS, SELF, INCARNATION));
        assertFalse(table.create(first, TIMEOUT_MILLIS, OTHER, INCARNATION));
        assertEquals(SELF, table.get(first).owner());
        table.create(first + 1, TIMEOUT_MILLIS, SELF, INCARNATION);
        assertEquals(first + 2, ids.next());
        assertEquals(SELF, first >>> 56);
    }

    /** Local sessions end by what is returned: their clients are heard by the same threads. */
    @Test
    public void proposalsWait_silenceOfLocalSessionsDoesNotCountEither() {
        assertTrue(keeper.tick(true, false, 1, PERIOD_MILLIS));
        assertFalse("not serving", keeper.tick(false, false, 1, PERIOD_MILLIS));
        stuckMillis = STALL_MILLIS + 1;
        assertFalse("stuck", keeper.tick(true, false, 1, PERIOD_MILLIS));
        stuckMillis = 0;
        createOwned(1);
        nowMillis += TIMEOUT_MILLIS - PERIOD_MILLIS;
        passServing(PERIOD_MILLIS);
        proposingTakesMillis = STALL_MILLIS + 1;
        boolean counts = true;
        while (proposals.isEmpty()) {
            nowMillis += PERIOD_MILLIS;
            counts = keeper.tick(true, false, 1, PERIOD_MILLIS);
        }
        assertFalse("a proposal has waited", counts);
        proposingTakesMillis = 0;
        assertTrue(keeper.tick(true, false, 1, PERIOD_MILLIS));
    }
}
