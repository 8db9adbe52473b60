package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.figures.LineChart.Line;
import io.chainkeeper.benchmarks.figures.LineChart.Point;
import io.chainkeeper.benchmarks.figures.ResultDirectory.Entry;
import io.chainkeeper.benchmarks.rounds.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How throughput and cost grow with one amount (size of values, sessions, znodes, watches, lanes): a chart over each
 * amount in which runs differ that are alike in all others.
 */
final class GrowthCharts {
    private static final Map<String, String> METRICS = Map.of("throughput", Charts.THROUGHPUT, "cpu", Charts.BUSIEST);

    private GrowthCharts() {}

    /**
     * Draws what the figures give: a chart needs two points.
     *
     * @param entries of {@link ResultDirectory#read}
     * @return charts by file name, without its ending
     */
    static SortedMap<String, LineChart> of(List<Entry> entries) {
        SortedMap<String, LineChart> charts = new TreeMap<>();
        METRICS.forEach((word, metric) -> {
            List<Entry> measured = entries.stream()
                    .filter(e -> e.metric().equals(metric) && e.phase().equals(Phase.SATURATION))
                    .toList();
            for (String amount : ResultDirectory.AMOUNTS) {
                alike(measured, amount).forEach((title, group) -> add(charts, word, metric, amount, title, group));
            }
        });
        return charts;
    }

    private static String axisLabel(String amount) {
        return amount.equals(ResultDirectory.VALUE_BYTES) ? "size of a value, B" : amount;
    }

    /** The runs that differ in nothing but the amount, by what they have in common. */
    private static SortedMap<String, List<Entry>> alike(List<Entry> measured, String amount) {
        SortedMap<String, List<Entry>> groups = new TreeMap<>();
        for (Entry entry : measured) {
            if (amount.equals(ResultDirectory.LANES) && entry.amounts().get(amount) == 0) {
                continue;
            }
            String others = entry.amounts().entrySet().stream()
                    .filter(e -> !e.getKey().equals(amount) && e.getValue() > 0)
                    .map(e -> e.getValue() + " " + e.getKey())
                    .collect(Collectors.joining(", "));
            String title = entry.operation() + ", " + entry.replicas() + " replicas, " + others;
            groups.computeIfAbsent(title, t -> new ArrayList<>()).add(entry);
        }
        return groups;
    }

    private static void add(
            SortedMap<String, LineChart> charts,
            String word,
            String metric,
            String amount,
            String title,
            List<Entry> group) {
        SortedMap<String, List<Point>> points = new TreeMap<>();
        for (Entry entry : group) {
            entry.medians()
                    .forEach((protocol, value) -> points.computeIfAbsent(protocol, p -> new ArrayList<>())
                            .add(new Point(entry.amounts().get(amount), value)));
        }
        List<Line> lines = new ArrayList<>();
        points.forEach((protocol, list) -> lines.add(new Line(
                protocol,
                list.stream().sorted(Comparator.comparingDouble(Point::x)).toList())));
        List<Double> amounts = lines.stream()
                .flatMap(line -> line.points().stream())
                .map(Point::x)
                .distinct()
                .toList();
        if (amounts.size() < 2) {
            return;
        }
        boolean logarithmic = amounts.stream().allMatch(a -> a > 0);
        String name = "growth-" + word + "-over-" + axisLabel(amount) + "-" + title;
        charts.put(
                name.replaceAll("[^A-Za-z0-9]+", "-"),
                new LineChart(title, axisLabel(amount), metric, logarithmic, lines));
    }
}
