package io.chainkeeper.replica;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One quantity that is measured again and again, for monitoring: how often and how much in total since the start, and
 * average and maximum lately. Safe for use by any thread.
 */
final class Measure {
    /** The least time that "lately" covers; the most is twice as long. */
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    private final String behind;
    private final LongSupplier clockNanos;
    private long count;
    private long sum;
    private Window current = new Window();
    private Window previous = new Window();
    private long windowBegan;

    private static final class Window {
        private long count;
        private long sum;
        private long max;
    }

    /**
     * @param name of the quantity, with its unit
     * @param clockNanos a monotonic clock
     */
    Measure(String name, LongSupplier clockNanos) {
        this(name, "", clockNanos);
    }

    /**
     * @param name of the quantity, with its unit
     * @param behind what names of gauges end with: a dot and the number of whom it is about, or nothing
     * @param clockNanos a monotonic clock
     */
    Measure(String name, String behind, LongSupplier clockNanos) {
        this.name = name;
        this.behind = behind;
        this.clockNanos = clockNanos;
        this.windowBegan = clockNanos.getAsLong();
    }

    synchronized void add(long value) {
        turnWindows();
        count++;
        sum += value;
        current.count++;
        current.sum += value;
        current.max = Math.max(current.max, value);
    }

    /** Adds the microseconds since {@code beganNanos}, and returns them. */
    long addMicrosSince(long beganNanos) {
        long micros = TimeUnit.NANOSECONDS.toMicros(clockNanos.getAsLong() - beganNanos);
        add(micros);
        return micros;
    }

    private void turnWindows() {
        long age = clockNanos.getAsLong() - windowBegan;
        if (age >= WINDOW_NANOS) {
            previous = age >= 2 * WINDOW_NANOS ? new Window() : current;
            current = new Window();
            windowBegan += age;
        }
    }

    /** Puts {@code name_avg} and {@code name_max} of late, {@code name_count} and {@code name_sum} since the start. */
    synchronized void put(Map<String, Long> gauges) {
        turnWindows();
        long lately = previous.count + current.count;
        gauges.put(name + "_avg" + behind, lately == 0 ? 0 : (previous.sum + current.sum) / lately);
        gauges.put(name + "_max" + behind, Math.max(previous.max, current.max));
        gauges.put(name + "_count" + behind, count);
        gauges.put(name + "_sum" + behind, sum);
    }
}
