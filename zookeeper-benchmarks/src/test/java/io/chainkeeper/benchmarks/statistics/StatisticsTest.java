package io.chainkeeper.benchmarks.statistics;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.load.WarmupJudge;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.Test;

/** Medians, ratios, percentiles, and the judgement that a server is warm. */
public final class StatisticsTest {
    @Test
    public void oddNumberOfValues_medianIsTheMiddleOne() {
        assertEquals(2, Statistics.median(List.of(9.0, 1.0, 2.0)), 0);
    }

    @Test
    public void evenNumberOfValues_medianIsTheMeanOfTheMiddleTwo() {
        assertEquals(2.5, Statistics.median(List.of(3.0, 9.0, 1.0, 2.0)), 0);
    }

    @Test
    public void noValues_medianIsNotANumber() {
        assertTrue(Double.isNaN(Statistics.median(List.of())));
        assertTrue(Double.isNaN(Statistics.ratio(1, 0)));
    }

    @Test
    public void nanoseconds_latencyIsInMicros() {
        Histogram nanos = new Histogram(3);
        for (int i = 1; i <= 100; i++) {
            nanos.recordValue(i * 1_000_000L);
        }
        Latency latency = Latency.of(nanos);
        assertEquals(100, latency.count());
        assertEquals(50_000, latency.p50Micros(), 100);
        assertEquals(99_000, latency.p99Micros(), 200);
        assertEquals(100_000, latency.maxMicros(), 200);
        assertEquals(0, Latency.of(new Histogram(3)).p50Micros(), 0);
    }

    @Test
    public void throughputStillGrows_isNotWarm() {
        WarmupJudge judge = new WarmupJudge();
        for (int i = 1; i <= 10; i++) {
            assertFalse(judge.isWarm(1000 * Math.pow(1.1, i), 0));
        }
    }

    @Test
    public void throughputIsEvenButCompilersRun_isNotWarmUntilTheyRest() {
        WarmupJudge judge = new WarmupJudge();
        for (int i = 0; i < 2 * WarmupJudge.COMPILER_WINDOWS; i++) {
            assertFalse(judge.isWarm(1000, 2.1 * WarmupJudge.MAX_COMPILER_SHARE));
        }
        for (int i = 1; i <= WarmupJudge.COMPILER_WINDOWS; i++) {
            assertEquals("after " + i + " quiet windows", i > WarmupJudge.COMPILER_WINDOWS / 2, judge.isWarm(1000, 0));
        }
    }

    @Test
    public void tooFewWindows_isNotWarm() {
        WarmupJudge judge = new WarmupJudge();
        for (int i = 1; i < WarmupJudge.COMPILER_WINDOWS; i++) {
            assertFalse(judge.isWarm(1000, 0));
        }
        assertTrue(judge.isWarm(1000, 0));
    }

    @Test
    public void nothingSucceeds_isNotWarm() {
        WarmupJudge judge = new WarmupJudge();
        for (int i = 0; i < 2 * WarmupJudge.WINDOWS; i++) {
            assertFalse(judge.isWarm(0, 0));
        }
    }
}
