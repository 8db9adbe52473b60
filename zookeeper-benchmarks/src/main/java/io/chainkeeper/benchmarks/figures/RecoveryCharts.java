package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.figures.LineChart.Line;
import io.chainkeeper.benchmarks.figures.LineChart.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Throughput over time around a fault, as in figure 10 of the ChainPaxos paper: one chart for each kind of fault. */
final class RecoveryCharts {
    private static final int COLUMNS = 7;
    private static final double MILLIS_PER_SECOND = 1_000;

    private RecoveryCharts() {}

    /**
     * Draws the first round of each combination.
     *
     * @param csv {@code throughput.csv} of the modes failover and join
     * @return charts by file name, without its ending
     * @throws IOException if the file cannot be read or is no such file; the message names it
     */
    static Map<String, LineChart> of(Path csv) throws IOException {
        Map<String, Map<String, List<Point>>> charts = new TreeMap<>();
        List<String> lines = Files.readAllLines(csv);
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            String[] fields = line.split(",");
            if (fields.length != COLUMNS) {
                throw new IOException(csv + ": '" + line + "' has not " + COLUMNS + " fields");
            }
            if (fields[4].equals("1")) {
                String chart = fields[1] + " replicas" + (fields[2].equals("0") ? "" : ", tree of " + fields[2] + " MB")
                        + ", " + fields[3] + " stopped at 0 s";
                charts.computeIfAbsent(chart, c -> new TreeMap<>())
                        .computeIfAbsent(fields[0], protocol -> new ArrayList<>())
                        .add(new Point(
                                Double.parseDouble(fields[5]) / MILLIS_PER_SECOND, Double.parseDouble(fields[6])));
            }
        }
        Map<String, LineChart> documents = new TreeMap<>();
        charts.forEach((title, byProtocol) -> {
            List<Line> drawn = new ArrayList<>();
            byProtocol.forEach((protocol, points) -> drawn.add(new Line(protocol, points)));
            documents.put(
                    "recovery-" + title.replaceAll("[^A-Za-z0-9]+", "-"),
                    new LineChart(title, "time since then, s", "writes/s", drawn));
        });
        return documents;
    }
}
