package io.chainkeeper.benchmarks.figures;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.benchmarks.options.Mode;
import io.chainkeeper.benchmarks.options.RunOptionsParser;
import io.chainkeeper.benchmarks.report.FaultReport;
import io.chainkeeper.benchmarks.rounds.Phase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The results of several runs in one directory, as a preset leaves them: one JSON file for each run. */
final class ResultDirectory {
    static final String VALUE_BYTES = "B values";
    private static final String SESSIONS = "sessions";
    private static final String ZNODES = "znodes";
    private static final String WATCHES = "watches";
    /** None unless a run says how many. */
    static final String LANES = "lanes";

    /** In what a preset may vary runs to see how cost grows, with units. */
    static final List<String> AMOUNTS = List.of(VALUE_BYTES, SESSIONS, ZNODES, WATCHES, LANES);

    /**
     * A figure of a run.
     *
     * @param run name of its file, without {@code .json}
     * @param workload what was done, in words; the same for runs that differ only in the number of replicas
     * @param operation which operations clients asked for, and of which disks
     * @param replicas servers of an ensemble
     * @param outstanding operations that each session kept in flight at saturation
     * @param amounts how much there was of each of {@link #AMOUNTS}
     * @param phase see {@link Phase}
     * @param metric name and unit
     * @param medians per protocol
     * @param ratio first protocol to last; null if there is none
     */
    record Entry(
            String run,
            String workload,
            String operation,
            int replicas,
            int outstanding,
            SortedMap<String, Integer> amounts,
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
                    operation(root.get("options")) + disks(root.get("options")),
                    root.at("/options/replicas").asInt(),
                    root.at("/options/outstanding").asInt(),
                    amounts(root.get("options")),
                    figure.get("phase").asText(),
                    figure.get("metric").asText(),
                    medians,
                    figure.get("ratio").isNull() ? null : figure.get("ratio").asDouble()));
        }
    }

    private static String workload(JsonNode options) {
        StringBuilder words = new StringBuilder(operation(options));
        words.append(", ").append(options.path("valueBytes").asInt()).append(" B");
        int sessions = options.path("sessions").asInt();
        if (sessions
                        != RunOptionsParser.SESSIONS_PER_REPLICA
                                * options.path("replicas").asInt()
                && sessions > 0) {
            words.append(", ").append(sessions).append(" sessions");
        }
        if (options.path("idleSessions").asInt() > 0) {
            words.append(", ").append(options.path("idleSessions").asInt()).append(" idle sessions");
        }
        if (options.path("furtherZnodes").asInt() > 0) {
            words.append(", ").append(amounts(options).get(ZNODES)).append(" znodes");
        }
        if (options.path("watches").asInt() > 0) {
            words.append(", ").append(options.path("watches").asInt()).append(" watches");
        }
        Set<String> regions = new TreeSet<>();
        options.path("regions").forEach(region -> regions.add(region.asText()));
        if (!regions.isEmpty()) {
            words.append(", ").append(regions.size()).append(" regions");
        }
        if (options.path("serverConfig").has(RunOptionsParser.ZONES)) {
            words.append(", zones");
        }
        int lanes = amounts(options).get(LANES);
        if (lanes > 0) {
            words.append(", lanes ").append(lanes);
        }
        return words + disks(options);
    }

    /** What differs from the usual disks, and how they are used. */
    private static String disks(JsonNode options) {
        StringBuilder words = new StringBuilder();
        String commands = options.path("serverConfig")
                .path(RunOptionsParser.COMMANDS_OF_A_DISK_BATCH)
                .asText("");
        if (!commands.isEmpty()) {
            words.append(", batches of ").append(commands);
        }
        int count = options.path("disks").path("count").asInt(RunOptionsParser.DISKS);
        if (count != RunOptionsParser.DISKS) {
            words.append(", ").append(count).append(" disks");
        }
        List<String> delays = new ArrayList<>();
        options.path("disks").path("delayMillis").forEach(delay -> delays.add(delay.asText()));
        if (!delays.isEmpty()) {
            words.append(", disks slower by ")
                    .append(String.join(" + ", delays))
                    .append(" ms");
        }
        return words.toString();
    }

    private static String operation(JsonNode options) {
        String mode = options.path("mode").asText();
        if (mode.equals(Mode.READS.name())) {
            int readPercent = (int) Math.round(100 * options.path("readRatio").asDouble());
            return readPercent + " % " + (options.path("linearizableReads").asBoolean() ? "linearizable" : "sequential")
                    + " reads";
        }
        return Mode.valueOf(mode).word();
    }

    private static SortedMap<String, Integer> amounts(JsonNode options) {
        SortedMap<String, Integer> amounts = new TreeMap<>();
        amounts.put(VALUE_BYTES, options.path("valueBytes").asInt());
        amounts.put(SESSIONS, options.path("sessions").asInt());
        amounts.put(
                ZNODES,
                options.path("keys").asInt() + options.path("furtherZnodes").asInt());
        amounts.put(WATCHES, options.path("watches").asInt());
        amounts.put(
                LANES, options.path("serverConfig").path(RunOptionsParser.LANES).asInt());
        return amounts;
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
