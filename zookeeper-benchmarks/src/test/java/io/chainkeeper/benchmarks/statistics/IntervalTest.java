package io.chainkeeper.benchmarks.statistics;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.load.Pace;
import java.util.List;
import org.junit.Test;

/** What moments of successful writes say about a stretch of time. */
public final class IntervalTest {
    private static final Interval TEN_TO_TWENTY = new Interval(10, 20);

    @Test
    public void gapInside_isTheLongestBetweenTwoSuccesses() {
        assertEquals(5, TEN_TO_TWENTY.longestGapNanos(new long[] {9, 11, 12, 17, 19}));
    }

    @Test
    public void gapIsOnWhenIntervalBegins_countsFromTheLastSuccessBefore() {
        assertEquals(9, TEN_TO_TWENTY.longestGapNanos(new long[] {2, 6, 15, 19}));
        assertEquals(5, TEN_TO_TWENTY.longestGapNanos(new long[] {10, 15, 19}));
    }

    @Test
    public void gapIsOnWhenIntervalEnds_countsUpToItsEnd() {
        assertEquals(8, TEN_TO_TWENTY.longestGapNanos(new long[] {9, 12, 30}));
        assertEquals(8, TEN_TO_TWENTY.longestGapNanos(new long[] {9, 12}));
        assertEquals(8, TEN_TO_TWENTY.longestGapNanos(new long[] {9, 12, 20}));
    }

    @Test
    public void noSuccess_gapIsTheWholeIntervalAndWhatPrecedesIt() {
        assertEquals(10, TEN_TO_TWENTY.longestGapNanos(new long[0]));
        assertEquals(13, TEN_TO_TWENTY.longestGapNanos(new long[] {3, 7}));
        assertEquals(10, TEN_TO_TWENTY.longestGapNanos(new long[] {25}));
    }

    @Test
    public void clocksThatOverflow_areComparedByDifference() {
        long base = Long.MAX_VALUE - 4;
        assertTrue(new Interval(base, base + 10).contains(base + 6));
        assertEquals(3, new Interval(base, base + 10).longestGapNanos(new long[] {base, base + 2, base + 5, base + 8}));
    }

    @Test
    public void severalClients_mergeAscending() {
        assertArrayEquals(
                new long[] {1, 2, 3, 4, 9},
                Interval.merge(List.of(new long[] {2, 4}, new long[] {}, new long[] {1, 3, 9})));
    }

    @Test
    public void pieces_countWhatLiesInThemAndLeaveTheRestOut() {
        Interval interval = new Interval(-10, 25);
        assertArrayEquals(new int[] {1, 2, 1}, interval.counts(new long[] {-11, -1, 0, 9, 10, 20, 24}, 10));
    }

    @Test
    public void rate_countsTheBeginningAndNotTheEnd() {
        Interval second = new Interval(0, 1_000_000_000L);
        assertEquals(2, second.perSecond(new long[] {-1, 0, 999_999_999L, 1_000_000_000L}), 0);
        assertTrue(Double.isNaN(new Interval(5, 5).perSecond(new long[] {5})));
    }

    @Test
    public void rateOfAllWriters_isSharedByTheWritesInFlight() {
        try (Pace limited = Pace.of(600, 12);
                Pace unlimited = Pace.of(0, 12)) {
            assertEquals(20_000_000, limited.intervalNanos());
            assertEquals(0, unlimited.intervalNanos());
        }
    }

    @Test
    public void endBeforeBeginning_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Interval(2, 1));
    }
}
