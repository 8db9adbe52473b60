package io.chainkeeper.benchmarks.statistics;

import java.util.List;

/** Summaries of a few numbers. */
public final class Statistics {
    private Statistics() {}

    /**
     * @param values in any order
     * @return the middle one, or the mean of the middle two; NaN if there are none
     */
    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /**
     * @param numerator any number
     * @param denominator any number
     * @return the quotient; NaN if it means nothing
     */
    public static double ratio(double numerator, double denominator) {
        return denominator == 0 ? Double.NaN : numerator / denominator;
    }
}
