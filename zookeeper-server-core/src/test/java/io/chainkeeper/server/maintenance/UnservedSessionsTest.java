package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingStatus.Role;
import org.junit.Test;

public class UnservedSessionsTest {
    private static final long PATIENCE_MILLIS = 100;

    private long nowMillis = 1_000;
    private int givenUp;
    private final UnservedSessions sessions = new UnservedSessions(() -> nowMillis, PATIENCE_MILLIS, () -> givenUp++);

    /** A server whose disk hangs follows, is heard, and never catches up. */
    @Test
    public void hasALeaderAndServesNobody_givesUpItsSessionsOnce() {
        look(Role.FOLLOWER, false);
        assertEquals(0, givenUp);
        look(Role.FOLLOWER, false);
        look(Role.FOLLOWER, false);
        assertEquals(1, givenUp);
    }

    @Test
    public void servesAgain_waitsAsLongTheNextTime() {
        look(Role.FOLLOWER, false);
        look(Role.FOLLOWER, true);
        look(Role.FOLLOWER, false);
        assertEquals(0, givenUp);
        look(Role.FOLLOWER, false);
        look(Role.FOLLOWER, true);
        look(Role.FOLLOWER, false);
        look(Role.FOLLOWER, false);
        assertEquals(2, givenUp);
    }

    @Test
    public void hasNoLeader_waitsForOne() {
        look(Role.LOOKING, false);
        look(Role.LOOKING, false);
        assertEquals(0, givenUp);
        look(Role.OBSERVER, false);
        assertEquals(1, givenUp);
    }

    @Test
    public void isNotOfTheEnsemble_hasNoSessionsToGiveUp() {
        sessions.tick(Role.OBSERVER, false, false);
        nowMillis += PATIENCE_MILLIS;
        sessions.tick(Role.OBSERVER, false, false);
        assertEquals(0, givenUp);
    }

    private void look(Role role, boolean isServing) {
        sessions.tick(role, true, isServing);
        nowMillis += PATIENCE_MILLIS;
    }
}
