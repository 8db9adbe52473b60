package io.chainkeeper.chain;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** What is on its way to a successor is bounded, however large single values are. */
public class SuccessorWindowTest {
    private static final int WINDOW = 4;

    private final SuccessorWindow window = new SuccessorWindow(WINDOW, 10, 0);

    @Test
    public void smallValues_theWindowIsInInstances() {
        for (int i = 0; i < WINDOW; i++) {
            assertTrue(window.hasCredit());
            window.sent(100);
        }
        assertFalse(window.hasCredit());
        window.acknowledged(11);
        assertTrue(window.hasCredit());
    }

    @Test
    public void valueLargerThanTheBound_goesAlone() {
        window.sent(2 * ChainSettings.SUCCESSOR_WINDOW_BYTES);
        assertFalse(window.hasCredit());
        window.acknowledged(11);
        assertTrue(window.hasCredit());
        window.sent(ChainSettings.SUCCESSOR_WINDOW_BYTES / 2);
        assertTrue(window.hasCredit());
        window.sent(ChainSettings.SUCCESSOR_WINDOW_BYTES / 2);
        assertFalse(window.hasCredit());
        window.acknowledged(12);
        assertTrue(window.hasCredit());
    }

    /**
     * Another member fed the successor meanwhile; nobody will acknowledge these values again, so none may stay on the
     * account.
     */
    @Test
    public void successorHasAcknowledgedWhatIsSentToItNow_itCostsNoCredit() {
        window.acknowledged(12);
        window.sent(2 * ChainSettings.SUCCESSOR_WINDOW_BYTES);
        assertTrue("11", window.hasCredit());
        window.sent(2 * ChainSettings.SUCCESSOR_WINDOW_BYTES);
        assertTrue("12", window.hasCredit());
        window.sent(2 * ChainSettings.SUCCESSOR_WINDOW_BYTES);
        assertFalse("13", window.hasCredit());
        window.acknowledged(13);
        assertTrue(window.hasCredit());
    }

    @Test
    public void successorHasMoreThanItWasSentHere_onlyThatIsCounted() {
        window.sent(ChainSettings.SUCCESSOR_WINDOW_BYTES);
        window.acknowledged(1_000_000);
        assertTrue(window.next == 12 && window.hasCredit());
    }
}
