package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.figures.LineChart.Line;
import io.chainkeeper.benchmarks.figures.LineChart.Point;
import io.chainkeeper.benchmarks.figures.ResultDirectory.Entry;
import io.chainkeeper.benchmarks.rounds.Phase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The charts of the results of several runs: throughput against latency, and cost against the number of replicas. */
final class Charts {
    static final String THROUGHPUT = "operations/s";
    static final String BUSIEST = "CPU of the busiest replica, µs per operation";

    private Charts() {}

    /**
     * Draws what the figures give: a chart needs two points.
     *
     * @param entries of {@link ResultDirectory#read}
     * @return charts by file name, without its ending
     */
    static Map<String, LineChart> of(List<Entry> entries) {
        Map<String, LineChart> charts = new TreeMap<>();
        Map<String, List<Entry>> byRun = new LinkedHashMap<>();
        Map<String, List<Entry>> byWorkload = new LinkedHashMap<>();
        for (Entry entry : entries) {
            byRun.computeIfAbsent(entry.run(), run -> new ArrayList<>()).add(entry);
            byWorkload.computeIfAbsent(entry.workload(), w -> new ArrayList<>()).add(entry);
        }
        byRun.forEach((run, figures) -> {
            for (String latency : List.of("write latency p50, ms", "read latency p50, ms")) {
                String kind = latency.startsWith("write") ? "write" : "read";
                String title = figures.get(0).workload() + ", " + figures.get(0).replicas() + " replicas";
                add(
                        charts,
                        run + "-" + kind + "-latency",
                        new LineChart(title, THROUGHPUT, latency, curve(figures, latency)));
            }
        });
        byWorkload.forEach((workload, figures) -> {
            String name = workload.replaceAll("[^A-Za-z0-9]+", "-");
            add(
                    charts,
                    "replicas-throughput-" + name,
                    new LineChart(workload, "replicas", THROUGHPUT, overReplicas(figures, THROUGHPUT)));
            add(
                    charts,
                    "replicas-cpu-" + name,
                    new LineChart(workload, "replicas", BUSIEST, overReplicas(figures, BUSIEST)));
        });
        return charts;
    }

    private static void add(Map<String, LineChart> charts, String file, LineChart chart) {
        if (chart.lines().stream().anyMatch(line -> line.points().size() > 1)) {
            charts.put(file, chart);
        }
    }

    /** One point for each level of load, from the least to saturation. */
    private static List<Line> curve(List<Entry> run, String latency) {
        Map<String, List<Point>> lines = new TreeMap<>();
        Map<String, Entry> throughput = new LinkedHashMap<>();
        run.stream().filter(e -> e.metric().equals(THROUGHPUT)).forEach(e -> throughput.put(e.phase(), e));
        for (Entry entry : run) {
            if (entry.metric().equals(latency)
                    && (Phase.isLevel(entry.phase()) || entry.phase().equals(Phase.SATURATION))) {
                Entry rates = throughput.get(entry.phase());
                entry.medians().forEach((protocol, millis) -> {
                    Double rate = rates == null ? null : rates.medians().get(protocol);
                    if (rate != null) {
                        lines.computeIfAbsent(protocol, p -> new ArrayList<>()).add(new Point(rate, millis));
                    }
                });
            }
        }
        return sorted(lines, Comparator.comparingDouble(Point::y));
    }

    private static List<Line> overReplicas(List<Entry> runs, String metric) {
        Map<String, List<Point>> lines = new TreeMap<>();
        for (Entry entry : runs) {
            if (entry.metric().equals(metric) && entry.phase().equals(Phase.SATURATION)) {
                entry.medians()
                        .forEach((protocol, value) -> lines.computeIfAbsent(protocol, p -> new ArrayList<>())
                                .add(new Point(entry.replicas(), value)));
            }
        }
        return sorted(lines, Comparator.comparingDouble(Point::x));
    }

    private static List<Line> sorted(Map<String, List<Point>> points, Comparator<Point> order) {
        List<Line> lines = new ArrayList<>();
        points.forEach((protocol, list) ->
                lines.add(new Line(protocol, list.stream().sorted(order).toList())));
        return lines;
    }
}
