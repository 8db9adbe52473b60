package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.statistics.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table in Markdown of {@code rounds.csv}, the rounds in which a server was stopped. */
final class FaultTables {
    private static final Map<String, String> COLUMNS = new LinkedHashMap<>();

    static {
        COLUMNS.put("gap_all_ms", "nobody writes, ms");
        COLUMNS.put("gap_survivors_client_ms", "a client of another server, ms");
        COLUMNS.put("gap_killed_client_ms", "a client of the stopped server, ms");
        COLUMNS.put("serving_s", "serves again, s");
    }

    private FaultTables() {}

    /**
     * Reads the rounds.
     *
     * @param csv {@code rounds.csv} of the modes failover and join
     * @return medians of the valid rounds of each combination; empty if there are none
     * @throws IOException if the file cannot be read or is no such file; the message names it
     */
    static String of(Path csv) throws IOException {
        List<String> lines = Files.readAllLines(csv);
        if (lines.isEmpty()) {
            throw new IOException(csv + " is empty");
        }
        List<String> head = fields(lines.get(0));
        Map<String, List<Map<String, String>>> rounds = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> fields = fields(line);
            if (fields.size() != head.size()) {
                throw new IOException(csv + ": '" + line + "' has not " + head.size() + " fields");
            }
            Map<String, String> round = new LinkedHashMap<>();
            for (int i = 0; i < head.size(); i++) {
                round.put(head.get(i), fields.get(i));
            }
            if ("measured".equals(round.get("verdict"))) {
                String tree = round.get("tree_mb").equals("0") ? "" : ", tree of " + round.get("tree_mb") + " MB";
                String key = round.get("protocol") + " | " + round.get("replicas") + " | " + round.get("victim") + tree;
                rounds.computeIfAbsent(key, k -> new ArrayList<>()).add(round);
            }
        }
        if (rounds.isEmpty()) {
            return "";
        }
        StringBuilder out = new StringBuilder("## When a server dies\n\n| protocol | replicas | stopped | ");
        out.append(String.join(" | ", COLUMNS.values())).append(" |\n");
        out.append("|---".repeat(3 + COLUMNS.size())).append("|\n");
        rounds.forEach((key, same) -> {
            out.append("| ").append(key);
            COLUMNS.keySet().forEach(column -> out.append(" | ").append(median(same, column)));
            out.append(" |\n");
        });
        return out.append("\n").toString();
    }

    private static String median(List<Map<String, String>> rounds, String column) {
        List<Double> values = rounds.stream()
                .map(round -> round.getOrDefault(column, ""))
                .filter(text -> !text.isEmpty())
                .map(Double::valueOf)
                .toList();
        return values.isEmpty() ? "" : Tables.number(Statistics.median(values));
    }

    /** Fields between commas; one in quotes may hold commas, and two quotes for one. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                field.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
