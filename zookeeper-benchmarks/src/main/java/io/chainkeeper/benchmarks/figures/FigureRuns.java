package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.options.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Turns a directory of results into one table, one CSV file and charts: the mode figures. */
public final class FigureRuns {
    /** The first word of the command line. */
    public static final String MODE = "figures";
    /** What {@code --help} says. */
    public static final String USAGE = """
            Usage: benchmark.sh figures DIR
              reads all results in DIR (*.json, throughput.csv), and writes figures.csv, tables.md (Markdown) and
              charts (SVG and PNG) into DIR
            """;

    private static final String THROUGHPUT = "throughput.csv";

    private FigureRuns() {}

    /**
     * Reads and draws.
     *
     * @param args the mode and the directory
     * @param out gets the table and the names of the files
     * @throws UsageException if the directory is missing
     * @throws IOException if a result cannot be read or a file not be written
     */
    public static void write(List<String> args, PrintStream out) throws UsageException, IOException {
        if (args.size() != 2) {
            throw new UsageException("give one directory: benchmark.sh figures DIR");
        }
        Path directory = Path.of(args.get(1));
        List<ResultDirectory.Entry> entries;
        try {
            entries = ResultDirectory.read(directory);
        } catch (NoSuchFileException | NotDirectoryException e) {
            throw new UsageException(directory + " is not a directory of results");
        }
        Map<String, LineChart> charts = new TreeMap<>(Charts.of(entries));
        charts.putAll(GrowthCharts.of(entries));
        Path throughput = directory.resolve(THROUGHPUT);
        if (Files.exists(throughput)) {
            charts.putAll(RecoveryCharts.of(throughput));
        }
        if (entries.isEmpty() && charts.isEmpty()) {
            throw new UsageException(directory + " holds no results (*.json, " + THROUGHPUT + ")");
        }
        printTable(entries, out);
        ResultDirectory.writeCsv(entries, directory.resolve("figures.csv"));
        out.println(directory.resolve("figures.csv"));
        Path rounds = directory.resolve("rounds.csv");
        String tables = Tables.of(entries) + (Files.exists(rounds) ? FaultTables.of(rounds) : "");
        if (!tables.isEmpty()) {
            Files.writeString(directory.resolve("tables.md"), tables, StandardCharsets.UTF_8);
            out.println(directory.resolve("tables.md"));
        }
        for (Map.Entry<String, LineChart> chart : charts.entrySet()) {
            Path svg = directory.resolve(chart.getKey() + ".svg");
            Path png = directory.resolve(chart.getKey() + ".png");
            Files.writeString(svg, chart.getValue().svg(), StandardCharsets.UTF_8);
            Files.write(png, chart.getValue().png());
            out.println(svg);
            out.println(png);
        }
    }

    private static void printTable(List<ResultDirectory.Entry> entries, PrintStream out) {
        String head = "";
        for (ResultDirectory.Entry entry : entries) {
            String name = entry.workload() + ", " + entry.replicas() + " replicas, " + entry.phase();
            if (!name.equals(head)) {
                head = name;
                out.printf("%n%s%n", name);
            }
            StringBuilder line = new StringBuilder();
            entry.medians()
                    .forEach((protocol, median) ->
                            line.append(String.format(Locale.ROOT, "%8s %10.4g", protocol, median)));
            String ratio = entry.ratio() == null ? "" : String.format(Locale.ROOT, "   ratio %.2f", entry.ratio());
            out.printf("  %-46s%s%s%n", entry.metric(), line, ratio);
        }
        out.println();
    }
}
