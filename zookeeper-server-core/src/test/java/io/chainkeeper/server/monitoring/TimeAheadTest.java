package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class TimeAheadTest {
    private static final long START_MILLIS = 1_700_000_000_000L;

    private long agreed = START_MILLIS;
    private long clock = START_MILLIS;
    private final TimeAhead time = new TimeAhead(() -> agreed, () -> clock);

    private long shown() {
        return time.gauges().get("time_ahead_millis").getAsLong();
    }

    @Test
    public void agreedTimeIsBehind_nothingIsShown() {
        clock += 60_000;
        assertEquals(0, shown());
        assertFalse(time.look());
    }

    @Test
    public void agreedTimeIsAhead_isShownAndReportedUntilTheClockHasReachedIt() {
        agreed += 5_000;
        assertEquals(5_000, shown());
        assertFalse("as much as clocks may differ", time.look());
        agreed += 60_000;
        assertEquals(65_000, shown());
        assertTrue(time.look());
        clock += 63_000;
        assertTrue(time.look());
        clock += 1_000;
        assertFalse(time.look());
    }
}
