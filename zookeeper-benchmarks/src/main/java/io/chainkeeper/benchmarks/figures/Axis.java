package io.chainkeeper.benchmarks.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * One axis of a chart. A linear one begins at 0, or below if there are negative values: an axis that cuts off the
 * bottom makes differences look larger than they are. A logarithmic one begins and ends at powers of ten.
 *
 * @param from value at its beginning
 * @param to value at its end, larger
 * @param logarithmic whether equal steps are equal factors
 */
record Axis(double from, double to, boolean logarithmic) {
    private static final int MAX_TICKS = 8;
    private static final double MARGIN = 1.05;

    /**
     * @param values to be shown
     * @return a linear axis
     */
    static Axis linear(DoubleStream values) {
        double[] all = values.toArray();
        double most = DoubleStream.of(all).max().orElse(0) * MARGIN;
        double least = Math.min(0, DoubleStream.of(all).min().orElse(0));
        return new Axis(least, most > 0 ? most : least + 1, false);
    }

    /**
     * @param values to be shown, all positive
     * @return a logarithmic axis
     */
    static Axis logarithmic(DoubleStream values) {
        double[] all = values.toArray();
        double least = Math.floor(Math.log10(DoubleStream.of(all).min().orElse(1)));
        double most = Math.ceil(Math.log10(DoubleStream.of(all).max().orElse(1)));
        return new Axis(Math.pow(10, least), Math.pow(10, Math.max(most, least + 1)), true);
    }

    /**
     * @param value between beginning and end
     * @return its place, 0 at the beginning to 1 at the end
     */
    double place(double value) {
        if (logarithmic) {
            return Math.log(value / from) / Math.log(to / from);
        }
        return (value - from) / (to - from);
    }

    /** @return values to be labelled: powers of ten, or multiples of 1, 2 or 5 times a power of ten */
    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (logarithmic) {
            for (int i = (int) Math.round(Math.log10(from)); i <= Math.round(Math.log10(to)); i++) {
                ticks.add(scaled(1, i));
            }
            return ticks;
        }
        int exponent = (int) Math.floor(Math.log10((to - from) / MAX_TICKS));
        int[] factors = {1, 2, 5, 10};
        int factor = 0;
        while ((to - from) / scaled(factors[factor], exponent) > MAX_TICKS) {
            factor++;
        }
        double step = scaled(factors[factor], exponent);
        for (int i = (int) Math.ceil(from / step); scaled(i * factors[factor], exponent) <= to; i++) {
            ticks.add(scaled(i * factors[factor], exponent));
        }
        return ticks;
    }

    /** Divides rather than multiplies by a fraction: only that gives the double nearest to the decimal number. */
    private static double scaled(int number, int exponent) {
        double power = Math.pow(10, Math.abs(exponent));
        return exponent < 0 ? number / power : number * power;
    }

    /**
     * @param value of a tick
     * @return its label
     */
    static String label(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,d", (long) value).replace(',', ' ')
                : String.format(Locale.ROOT, "%.3g", value);
    }
}
