package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.Test;

/** Percentiles of durations. */
public class LatencyHistogramTest {
    private final LatencyHistogram histogram = new LatencyHistogram();

    @Test
    public void nothingRecorded_hasNoPercentile() {
        assertEquals(LatencyHistogram.NONE, histogram.counts().percentileMicros(0.5));
        assertEquals(0, histogram.counts().total());
    }

    /** Against a sorted list, over many magnitudes: never too short, and at most a sixteenth too long. */
    @Test
    public void percentiles_areThoseOfWhatWasRecorded() {
        SplittableRandom random = new SplittableRandom(5);
        long[] durations = new long[20_000];
        for (int i = 0; i < durations.length; i++) {
            durations[i] = random.nextLong(1L << random.nextInt(1, 31));
            histogram.record(durations[i]);
        }
        Arrays.sort(durations);
        LatencyHistogram.Counts counts = histogram.counts();
        assertEquals(durations.length, counts.total());
        for (double fraction : new double[] {0.00001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1}) {
            long exact = durations[(int) Math.ceil(durations.length * fraction) - 1];
            long told = counts.percentileMicros(fraction);
            assertTrue(told + " for " + exact, told >= exact && told <= exact + exact / 16);
        }
    }

    @Test
    public void outOfRange_countsAsTheNearest() {
        histogram.record(-1);
        assertEquals(0, histogram.counts().percentileMicros(1));
        histogram.record(Long.MAX_VALUE);
        assertEquals(LatencyHistogram.MAX_MICROS, histogram.counts().percentileMicros(1));
    }

    @Test
    public void whatWasRecordedSince_leavesOutWhatWasBefore() {
        histogram.record(1_000_000);
        LatencyHistogram.Counts before = histogram.counts();
        histogram.record(3);
        LatencyHistogram.Counts since = histogram.counts().since(before);
        assertEquals(1, since.total());
        assertEquals(3, since.percentileMicros(0.99));
    }
}
