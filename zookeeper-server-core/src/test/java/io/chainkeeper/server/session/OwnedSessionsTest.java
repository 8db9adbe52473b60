package io.chainkeeper.server.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class OwnedSessionsTest {
    private static final long SESSION = 7;
    private static final int TIMEOUT_MILLIS = 1_000;

    private final OwnedSessions owned = new OwnedSessions(() -> 0);

    @Test
    public void upgradeIsNotOrdered_staysLocalAndCanBeUpgradedLater() {
        owned.local(SESSION, TIMEOUT_MILLIS);
        assertEquals(TIMEOUT_MILLIS, owned.upgrade(SESSION));
        assertFalse(owned.isLocal(SESSION));
        owned.stayLocal(SESSION);
        assertTrue(owned.isLocal(SESSION));
        assertEquals(TIMEOUT_MILLIS, owned.upgrade(SESSION));
    }

    @Test
    public void sessionThatIsOrdered_doesNotBecomeLocal() {
        owned.owned(SESSION, TIMEOUT_MILLIS);
        owned.stayLocal(SESSION);
        assertFalse(owned.isLocal(SESSION));
    }
}
