package io.chainkeeper.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.chainkeeper.benchmarks.faults.FaultFigures;
import io.chainkeeper.benchmarks.faults.FaultResult;
import io.chainkeeper.benchmarks.host.MachineFacts;
import io.chainkeeper.benchmarks.options.FaultOptions;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.options.Scenario;
import io.chainkeeper.benchmarks.rounds.Outcome;
import io.chainkeeper.benchmarks.rounds.VoidCheck;
import io.chainkeeper.benchmarks.statistics.Statistics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The results of a run in which servers are stopped, as a table for people and as CSV for programs.
 *
 * @param options what was asked for
 * @param machine where it was measured
 * @param results in the order in which they were measured
 */
public record FaultReport(FaultOptions options, MachineFacts machine, List<FaultResult> results) implements Outcome {
    @Override
    public Verdict verdict() {
        if (results.stream().anyMatch(r -> r.verdict() == Verdict.FAILED)) {
            return Verdict.FAILED;
        }
        boolean usable = scenarios().stream()
                .allMatch(
                        s -> results.stream().anyMatch(r -> r.scenario().equals(s) && r.verdict() == Verdict.MEASURED));
        return usable ? Verdict.MEASURED : Verdict.VOID;
    }

    private Set<Scenario> scenarios() {
        return results.stream().map(FaultResult::scenario).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private List<FaultResult> of(Scenario scenario) {
        return results.stream().filter(r -> r.scenario().equals(scenario)).toList();
    }

    private static Set<String> names(List<FaultResult> results) {
        return results.stream()
                .flatMap(r -> r.figures().keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    @Override
    public String table() {
        StringBuilder out = new StringBuilder();
        RunOptions run = options.run();
        out.append(String.format(
                "%s, suspicion timeout %d ms, %d writers per replica with %d writes of %d B in flight each%s%n",
                run.mode().word(),
                options.suspicionMillis(),
                options.sessionsPerReplica(),
                run.outstanding(),
                run.valueBytes(),
                options.writesPerSecond() == 0 ? "" : ", " + options.writesPerSecond() + " writes/s"));
        out.append(machine.text(run.cpuCores()));
        out.append(new VoidCheck(run.maxStealShare(), run.maxOtherCores()).text());
        out.append(String.format("servers: %s%n", String.join(" ", run.jvmOptions())));
        for (Scenario scenario : scenarios()) {
            List<FaultResult> rounds = of(scenario);
            out.append(String.format("%n%s%n  %-28s%12s   %s%n", scenario, "", "median", "rounds (void or failed)"));
            for (String name : names(rounds)) {
                List<Double> valid = rounds.stream()
                        .filter(r -> r.verdict() == Verdict.MEASURED)
                        .map(r -> r.figures().get(name))
                        .toList();
                String values = rounds.stream().map(r -> value(r, name)).collect(Collectors.joining("  "));
                out.append(String.format(
                        "  %-28s%12s   %s%n", name, valid.isEmpty() ? "-" : number(Statistics.median(valid)), values));
            }
        }
        List<String> notes = notes();
        if (!notes.isEmpty()) {
            out.append(String.format("%n"));
            notes.forEach(n -> out.append(String.format("%s%n", n)));
        }
        return out.toString();
    }

    private static String value(FaultResult result, String name) {
        Double value = result.figures().get(name);
        String text = value == null ? "-" : number(value);
        return result.verdict() == Verdict.MEASURED ? text : "(" + text + ")";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** @return what a reader must know before believing a figure */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (FaultResult result : results) {
            String name = result.scenario() + ", round " + result.round() + ": ";
            if (result.failure() != null) {
                notes.add("FAILED " + name + result.failure());
            }
            result.voidReasons().forEach(reason -> notes.add("VOID " + name + reason));
            result.notes().forEach(note -> notes.add("NOTE " + name + note));
        }
        return notes;
    }

    /**
     * Writes {@code rounds.csv} (a line for each round), {@code throughput.csv} (a line for each tenth of a second) and
     * {@code run.json} (options, machine and notes).
     *
     * @param output a directory, created if absent
     * @throws IOException if a file cannot be written
     */
    @Override
    public void writeTo(Path output) throws IOException {
        Files.createDirectories(output);
        write(output.resolve("rounds.csv"), roundsCsv());
        write(output.resolve("throughput.csv"), throughputCsv());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("options", options);
        document.put("machine", machine);
        document.put("notes", notes());
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(output.resolve("run.json").toFile(), document);
    }

    private static void write(Path file, List<List<String>> lines) throws IOException {
        Files.write(file, lines.stream().map(FaultReport::csv).toList(), StandardCharsets.UTF_8);
    }

    /** A line of a CSV file as RFC 4180 has it. */
    public static String csv(List<String> fields) {
        return fields.stream()
                .map(f -> f.matches("[^\",\\r\\n]*") ? f : "\"" + f.replace("\"", "\"\"") + "\"")
                .collect(Collectors.joining(","));
    }

    private static List<String> head(FaultResult result) {
        Scenario scenario = result.scenario();
        return List.of(
                scenario.protocol(),
                Integer.toString(scenario.replicas()),
                Integer.toString(scenario.treeMegabytes()),
                scenario.victim().word(),
                Integer.toString(result.round()));
    }

    private static final List<String> HEAD = List.of("protocol", "replicas", "tree_mb", "victim", "round");

    private List<List<String>> roundsCsv() {
        Set<String> names = names(results);
        List<List<String>> lines = new ArrayList<>();
        List<String> title = new ArrayList<>(HEAD);
        title.addAll(List.of("victim_id", "verdict"));
        title.addAll(names);
        title.add("comment");
        lines.add(title);
        for (FaultResult result : results) {
            List<String> line = new ArrayList<>(head(result));
            line.add(Integer.toString(result.victimId()));
            line.add(result.verdict().name().toLowerCase(Locale.ROOT));
            for (String name : names) {
                Double value = result.figures().get(name);
                line.add(value == null ? "" : String.format(Locale.ROOT, "%.3f", value));
            }
            List<String> comments = new ArrayList<>(result.voidReasons());
            if (result.failure() != null) {
                comments.add(result.failure());
            }
            comments.addAll(result.notes());
            line.add(String.join("; ", comments));
            lines.add(line);
        }
        return lines;
    }

    private List<List<String>> throughputCsv() {
        List<List<String>> lines = new ArrayList<>();
        List<String> title = new ArrayList<>(HEAD);
        title.addAll(List.of("millis", "writes_per_s"));
        lines.add(title);
        for (FaultResult result : results) {
            for (FaultFigures.Piece piece : result.throughput()) {
                List<String> line = new ArrayList<>(head(result));
                line.add(Long.toString(piece.millis()));
                line.add(Long.toString(piece.writesPerSecond()));
                lines.add(line);
            }
        }
        return lines;
    }
}
