package io.chainkeeper.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The results of several runs in one directory, as {@code bin/bench.sh} leaves them: one JSON file for each run. */
final class ResultDirectory {
    /**
     * A figure of a run.
     *
     * @param run name of its file, without {@code .json}
     * @param workload what was done, in words; the same for runs that differ only in the number of replicas
     * @param replicas servers of an ensemble
     * @param phase see {@link Phase}
     * @param metric name and unit
     * @param medians per protocol
     * @param ratio first protocol to last; null if there is none
     */
    record Entry(
            String run,
            String workload,
            int replicas,
            String phase,
            String metric,
            Map<String, Double> medians,
            Double ratio) {}

    private ResultDirectory() {}

    /**
     * Reads all runs.
     *
     * @param directory of the JSON files; other files in it are left alone
     * @return all figures, run by run in the order of the files' names
     * @throws IOException if a file cannot be read or is no result; the message names it
     */
    static List<Entry> read(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.json")) {
            entries.forEach(files::add);
        }
        files.sort(null);
        List<Entry> all = new ArrayList<>();
        for (Path file : files) {
            JsonNode root = new ObjectMapper().readTree(file.toFile());
            if (!root.has("figures") || !root.has("options")) {
                throw new IOException(file + " is not a result of benchmark.sh; remove it from the directory");
            }
            addRun(file, root, all);
        }
        return all;
    }

    private static void addRun(Path file, JsonNode root, List<Entry> all) {
        String run = file.getFileName().toString().replaceAll("\\.json$", "");
        for (JsonNode figure : root.get("figures")) {
            Map<String, Double> medians = new TreeMap<>();
            Iterator<Map.Entry<String, JsonNode>> fields = figure.get("medians").fields();
            while (fields.hasNext()) {
                Map.Entry<String, JsonNode> field = fields.next();
                medians.put(field.getKey(), field.getValue().asDouble());
            }
            all.add(new Entry(
                    run,
                    workload(root.get("options")),
                    root.at("/options/replicas").asInt(),
                    figure.get("phase").asText(),
                    figure.get("metric").asText(),
                    medians,
                    figure.get("ratio").isNull() ? null : figure.get("ratio").asDouble()));
        }
    }

    private static String workload(JsonNode options) {
        String bytes = options.get("valueBytes").asInt() + " B";
        int readPercent = (int) Math.round(100 * options.get("readRatio").asDouble());
        String mode = options.get("mode").asText();
        if (mode.equals(Mode.READS.name())) {
            return readPercent + " % " + (options.get("linearizableReads").asBoolean() ? "linearizable" : "sequential")
                    + " reads, " + bytes;
        }
        return Mode.valueOf(mode).word() + ", " + bytes;
    }

    /**
     * All figures as CSV.
     *
     * @param entries see {@link #read}
     * @param file to be written
     * @throws IOException if it cannot be
     */
    static void writeCsv(List<Entry> entries, Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(FaultReport.csv(
                List.of("run", "workload", "replicas", "phase", "metric", "protocol", "median", "ratio_to_last")));
        for (Entry entry : entries) {
            entry.medians()
                    .forEach((protocol, median) -> lines.add(FaultReport.csv(List.of(
                            entry.run(),
                            entry.workload(),
                            Integer.toString(entry.replicas()),
                            entry.phase(),
                            entry.metric(),
                            protocol,
                            Double.toString(median),
                            entry.ratio() == null ? "" : Double.toString(entry.ratio())))));
        }
        Files.write(file, lines, StandardCharsets.UTF_8);
    }
}
