package io.chainkeeper.transport.io;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class ReportLimiterTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ReportLimiter gate = new ReportLimiter(2_000);

    @Test
    public void sameTroubleAgain_isReportedOnceAMinuteWithACount() {
        assertEquals("x", gate.admit(1, "x", 0));
        assertNull(gate.admit(1, "x", 30 * SECOND));
        assertNull(gate.admit(1, "x", 59 * SECOND));
        assertEquals("x (2 more since the last report)", gate.admit(1, "x", 60 * SECOND));
    }

    @Test
    public void troubleChanges_isReportedAfterThePause() {
        assertEquals("x", gate.admit(1, "x", 0));
        assertNull(gate.admit(1, "y", SECOND));
        assertEquals("y (1 more since the last report)", gate.admit(1, "y", 2 * SECOND));
    }

    @Test
    public void troubleIsOver_nextIsNews() {
        assertEquals("x", gate.admit(1, "x", 0));
        gate.clear(1);
        assertEquals("x", gate.admit(1, "x", SECOND));
    }

    @Test
    public void subjects_doNotHideEachOther() {
        assertEquals("x", gate.admit(1, "x", 0));
        assertEquals("x", gate.admit(2, "x", 0));
    }

    @Test
    public void askedBeforeTheTextIsMade_whatIsNotDueCountsAsLeftOut() {
        assertTrue(gate.isDue(1, 0));
        assertEquals("x", gate.admit(1, "x", 0));
        assertFalse(gate.isDue(1, SECOND));
        assertTrue(gate.isDue(1, 2 * SECOND));
        assertEquals("y (1 more since the last report)", gate.admit(1, "y", 2 * SECOND));
    }
}
