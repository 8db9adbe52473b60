package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Watches are counted only where the bound is near, and not all the time then. */
public class WatchLimitTest {
    private int watches;
    private int counts;
    private long now = Long.MAX_VALUE - 5;
    private long nanosOfACount;

    private WatchLimit limit(long max) {
        return new WatchLimit(
                max,
                () -> {
                    counts++;
                    now += nanosOfACount;
                    return watches;
                },
                () -> now);
    }

    private boolean set(WatchLimit limit) {
        boolean admitted = limit.admits();
        watches += admitted ? 1 : 0;
        return admitted;
    }

    @Test
    public void noBound_neverCounts() {
        WatchLimit limit = limit(WatchLimit.NONE);
        for (int i = 0; i < 1000; i++) {
            assertTrue(limit.admits());
        }
        assertTrue(limit.admitsAgain(Integer.MAX_VALUE));
        assertEquals(0, counts);
    }

    @Test
    public void watchesUpToTheBound_areAdmittedAndFurtherOnesWhenSomeAreGone() {
        WatchLimit limit = limit(10);
        for (int i = 0; i < 10; i++) {
            assertTrue(set(limit));
        }
        assertEquals(1, counts);
        assertFalse(set(limit));
        assertEquals(1, limit.gauges().get("watches_refused").getAsLong());
        watches -= 3;
        for (int i = 0; i < 3; i++) {
            assertTrue(set(limit));
        }
        assertFalse(set(limit));
    }

    @Test
    public void countingManyWatches_takesATenthOfTheTime() {
        nanosOfACount = 7;
        WatchLimit limit = limit(1);
        assertTrue(set(limit));
        now += 70;
        assertFalse(set(limit));
        assertEquals(2, counts);
        watches = 0;
        now += 69;
        assertFalse(limit.admits());
        assertEquals(2, counts);
        now++;
        assertTrue(limit.admits());
        assertEquals(3, counts);
    }

    @Test
    public void watchesBroughtAlong_areAdmittedUpToTwiceTheBound() {
        WatchLimit limit = limit(10);
        watches = 10;
        assertFalse(limit.admits());
        assertTrue(limit.admitsAgain(10));
        watches = 20;
        assertFalse(limit.admitsAgain(1));
        watches = 5;
        assertTrue(limit.admits());
    }
}
