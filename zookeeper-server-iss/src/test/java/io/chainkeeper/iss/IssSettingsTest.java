package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import org.junit.Test;

/** The iss.* keys: what a user may set, and what he is told otherwise. */
public final class IssSettingsTest {
    private static void assertRefused(String key, String value, String... mentioned) {
        String reason = IssSettings.KEYS.check(Map.of(key, value), 3);
        assertNotNull(key + "=" + value + " was taken", reason);
        assertTrue(reason, reason.contains(key + "=" + value));
        for (String text : mentioned) {
            assertTrue(reason, reason.contains(text));
        }
    }

    @Test
    public void nothingSet_isRight() {
        assertNull(IssSettings.KEYS.check(Map.of(), 3));
        assertEquals(IssSettings.LeaderPolicy.BACKOFF, new IssSettings(Map.of(), 3, 50).leaderPolicy());
    }

    @Test
    public void outOfRange_messageNamesKeyAndRange() {
        assertRefused("iss.windowBatches", "0", "1", "1024");
        assertRefused("iss.maxBatchCommands", "65537", "1", "65536");
        assertRefused("iss.maxBatchBytes", "1023", "1024", "8388608");
        assertRefused("iss.minSegmentPositions", "1", "2", "65536");
        assertRefused("iss.maxPositionsInMemory", "0", "1", "1048576");
        assertRefused("iss.minQuorumSize", "4", "1", "3");
        assertRefused("iss.heartbeatMillis", "many", "whole number", "10", "10000");
    }

    @Test
    public void unknownPolicy_messageNamesThoseThereAre() {
        assertRefused("iss.leaderPolicy", "none", "backoff", "all", "single");
        assertRefused("iss.bucketPolicy", "none", "sticky", "rotating");
    }

    @Test
    public void keysThatDoNotFitTogether_areRefused() {
        assertRefused("iss.suspicionTimeoutMillis", "799", "iss.heartbeatMillis");
        assertRefused("iss.minSegmentPositions", "1025", "iss.maxSegmentPositions");
    }
}
