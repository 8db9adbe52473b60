package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import org.junit.Test;

/** The chain.* keys: what a user may set, what he is told otherwise, and how the bounds fit together. */
public final class ChainSettingsTest {
    private static void assertRefused(String key, String value, String... mentioned) {
        String reason = ChainSettings.KEYS.check(Map.of(key, value), 3);
        assertNotNull(key + "=" + value + " was taken", reason);
        assertTrue(reason, reason.contains(key + "=" + value));
        for (String text : mentioned) {
            assertTrue(reason, reason.contains(text));
        }
    }

    @Test
    public void nothingSet_isRightForAnySize() {
        for (int members = 1; members <= 9; members++) {
            assertNull(ChainSettings.KEYS.check(Map.of(), members));
            assertEquals(1, new ChainSettings(Map.of(), members, 50).minQuorumSize());
            assertFalse(new ChainSettings(Map.of(), members, 50).removesSilent());
        }
    }

    @Test
    public void outOfRange_messageNamesKeyAndRange() {
        assertRefused("chain.windowInstances", "0", "1", "1024");
        assertRefused("chain.windowInstances", "1025", "1", "1024");
        assertRefused("chain.maxBatchCommands", "0", "1", "65536");
        assertRefused("chain.maxBatchBytes", "1023", "1024", "8388608");
        assertRefused("chain.heartbeatMillis", "9", "10", "10000");
        assertRefused("chain.suspicionTimeoutMillis", "49", "50", "120000");
        assertRefused("chain.memberSilenceMillis", "99", "100", "600000");
        assertRefused("chain.maxInstancesInMemory", "0", "1", "1048576");
        assertRefused("chain.minQuorumSize", "0", "1", "3");
        assertRefused("chain.minQuorumSize", "4", "1", "3");
    }

    @Test
    public void suspicionShorterThanFourHeartbeats_namesBoth() {
        String reason = ChainSettings.KEYS.check(Map.of("chain.heartbeatMillis", "500"), 3);
        assertTrue(reason, reason.contains("chain.heartbeatMillis=500"));
        assertTrue(reason, reason.contains("chain.suspicionTimeoutMillis=1500"));
        assertNull(ChainSettings.KEYS.check(
                Map.of("chain.heartbeatMillis", "500", "chain.suspicionTimeoutMillis", "2000"), 3));
    }

    @Test
    public void minQuorumSizeBelowTheMajority_letsSilentMembersBeRemoved() {
        assertFalse(new ChainSettings(Map.of("chain.minQuorumSize", "3"), 3, 50).removesSilent());
        assertFalse(new ChainSettings(Map.of("chain.minQuorumSize", "3"), 5, 50).removesSilent());
        assertTrue(new ChainSettings(Map.of("chain.minQuorumSize", "2"), 5, 50).removesSilent());
        assertEquals(2, new ChainSettings(Map.of("chain.minQuorumSize", "2"), 5, 50).minQuorumSize());
    }

    /** Whatever the user may set, the timeouts keep their order. */
    @Test
    public void anyTick_timeoutsKeepTheirOrder() {
        for (int tickMillis : new int[] {1, 10, 50, 1_000}) {
            for (int heartbeat : new int[] {10, 60, 200, 10_000}) {
                int suspicion = Math.max(50, 4 * heartbeat);
                ChainSettings settings = new ChainSettings(
                        Map.of(
                                "chain.heartbeatMillis", String.valueOf(heartbeat),
                                "chain.suspicionTimeoutMillis", String.valueOf(suspicion)),
                        3,
                        tickMillis);
                assertTrue(settings.heartbeatTicks() >= 1);
                assertTrue(settings.suspicionTicks() >= 4 * settings.heartbeatTicks());
                assertTrue(settings.predecessorTimeoutTicks() > settings.heartbeatTicks());
                assertTrue(settings.predecessorTimeoutTicks() < settings.suspicionTicks());
                assertTrue(settings.electionTicks() >= 2);
            }
        }
    }

    /** A successor's window holds the instances in flight, and memory holds the successor's window. */
    @Test
    public void anyWindow_boundsFitTogether() {
        for (int window : new int[] {1, 16, 1024}) {
            ChainSettings settings = new ChainSettings(Map.of("chain.windowInstances", String.valueOf(window)), 3, 50);
            assertTrue(settings.successorWindowInstances() > settings.windowInstances());
            assertTrue(settings.minMemoryInstances() >= 2 * settings.windowInstances());
            assertTrue(settings.minMemoryInstances() <= settings.maxInstancesInMemory());
        }
    }
}
