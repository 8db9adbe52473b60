package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** What is shown of a quantity that is measured again and again. */
public class MeasureTest {
    private long nowNanos = TimeUnit.SECONDS.toNanos(1_000);
    private final Measure measure = new Measure("size", () -> nowNanos);

    private Map<String, Long> shown() {
        Map<String, Long> gauges = new TreeMap<>();
        measure.put(gauges);
        return gauges;
    }

    private void pass(long seconds) {
        nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    public void nothingMeasured_showsZeros() {
        assertEquals(Map.of("size_avg", 0L, "size_max", 0L, "size_count", 0L, "size_sum", 0L), shown());
    }

    @Test
    public void averageAndMaximum_areOfLateOnly() {
        measure.add(100);
        pass(11);
        measure.add(10);
        measure.add(20);
        assertEquals(Map.of("size_avg", 43L, "size_max", 100L, "size_count", 3L, "size_sum", 130L), shown());
        pass(11);
        assertEquals(Map.of("size_avg", 15L, "size_max", 20L, "size_count", 3L, "size_sum", 130L), shown());
        pass(25);
        assertEquals(Map.of("size_avg", 0L, "size_max", 0L, "size_count", 3L, "size_sum", 130L), shown());
    }

    @Test
    public void durations_areMicroseconds() {
        long began = nowNanos;
        nowNanos += 7_000;
        measure.addMicrosSince(began);
        assertEquals(7L, (long) shown().get("size_sum"));
    }
}
