package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** How long somebody is behind. */
public class LagHistoryTest {
    private final LagHistory history = new LagHistory();

    @Test
    public void nothingSeen_nobodyIsBehind() {
        assertEquals(0, history.lagMillis(0, 1_000));
    }

    @Test
    public void behind_countsFromTheFirstPositionThatIsMissing() {
        history.seen(10, 1_000);
        history.seen(20, 2_000);
        history.seen(20, 3_000);
        assertEquals(0, history.lagMillis(20, 5_000));
        assertEquals(3_000, history.lagMillis(10, 5_000));
        assertEquals(4_000, history.lagMillis(9, 5_000));
    }

    @Test
    public void moreChangesThanAreKept_theOldestKeptCounts() {
        for (int i = 1; i <= 5_000; i++) {
            history.seen(i, i);
        }
        assertEquals(1_199, history.lagMillis(0, 5_000));
        assertEquals(1, history.lagMillis(4_998, 5_000));
    }
}
