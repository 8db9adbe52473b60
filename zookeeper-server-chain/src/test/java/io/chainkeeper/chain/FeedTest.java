package io.chainkeeper.chain;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** What is on its way to a successor is bounded, however large single values are. */
public class FeedTest {
    private static final int WINDOW = 4;

    private final Feed feed = new Feed(WINDOW, 10, 0);

    @Test
    public void smallValues_theWindowIsInInstances() {
        for (int i = 0; i < WINDOW; i++) {
            assertTrue(feed.hasCredit());
            feed.sent(100);
        }
        assertFalse(feed.hasCredit());
        feed.reported(11);
        assertTrue(feed.hasCredit());
    }

    @Test
    public void valueLargerThanTheBound_goesAlone() {
        feed.sent(2 * ChainSettings.FEED_BYTES);
        assertFalse(feed.hasCredit());
        feed.reported(11);
        assertTrue(feed.hasCredit());
        feed.sent(ChainSettings.FEED_BYTES / 2);
        assertTrue(feed.hasCredit());
        feed.sent(ChainSettings.FEED_BYTES / 2);
        assertFalse(feed.hasCredit());
        feed.reported(12);
        assertTrue(feed.hasCredit());
    }

    /** Another member fed it meanwhile; nobody will report these values again, so none may stay on the account. */
    @Test
    public void successorHasReportedWhatIsSentToItNow_itCostsNoCredit() {
        feed.reported(12);
        feed.sent(2 * ChainSettings.FEED_BYTES);
        assertTrue("11", feed.hasCredit());
        feed.sent(2 * ChainSettings.FEED_BYTES);
        assertTrue("12", feed.hasCredit());
        feed.sent(2 * ChainSettings.FEED_BYTES);
        assertFalse("13", feed.hasCredit());
        feed.reported(13);
        assertTrue(feed.hasCredit());
    }

    @Test
    public void successorHasMoreThanItWasSentHere_onlyThatIsCounted() {
        feed.sent(ChainSettings.FEED_BYTES);
        feed.reported(1_000_000);
        assertTrue(feed.next == 12 && feed.hasCredit());
    }
}
