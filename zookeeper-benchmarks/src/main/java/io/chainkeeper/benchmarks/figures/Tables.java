package io.chainkeeper.benchmarks.figures;

import io.chainkeeper.benchmarks.figures.ResultDirectory.Entry;
import io.chainkeeper.benchmarks.relay.Region;
import io.chainkeeper.benchmarks.rounds.Phase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The tables of several runs in Markdown, as docs/performance.md has them. */
final class Tables {
    private static final String WRITE_P50 = "write latency p50, ms";
    private static final String READ_P50 = "read latency p50, ms";

    /** What the others are compared with. */
    private static final List<String> BASES = List.of("zab", "etcd");

    /** What a run at saturation, or an idle one, cost. */
    private static final List<String> COSTS = List.of(
            Charts.BUSIEST,
            "resident memory of the largest replica, MB",
            "disk writes of a replica, bytes per write",
            "network bytes sent by the busiest replica, per operation",
            "heap per further znode, bytes",
            "all sessions are back, s",
            "write latency, largest, ms",
            "CPU of the busiest replica, % of a core");

    /** At a light load an operation costs more, whatever the protocol. */
    private static final List<String> COST_PHASES =
            List.of(Phase.START, Phase.SATURATION, Phase.IDLE, Phase.BEFORE_STORM, Phase.STORM);

    private final List<Entry> entries;
    private final List<String> protocols;
    private final StringBuilder out = new StringBuilder();

    private Tables(List<Entry> entries) {
        this.entries = entries;
        Set<String> names = new LinkedHashSet<>(LineChart.KNOWN_NAMES);
        Set<String> measured = new LinkedHashSet<>();
        entries.forEach(entry -> measured.addAll(entry.medians().keySet()));
        names.addAll(measured);
        names.retainAll(measured);
        this.protocols = List.copyOf(names);
    }

    /**
     * Writes all tables for which there are figures.
     *
     * @param entries of {@link ResultDirectory#read}
     * @return Markdown; empty if there is nothing
     */
    static String of(List<Entry> entries) {
        Tables tables = new Tables(entries);
        tables.add("Throughput", "operations/s", tables.throughput());
        tables.add("One client, one operation at a time", "p50 / p99, ms", tables.latencies("one client"));
        tables.add("Half of the load", "p50 / p99, ms", tables.latencies(Phase.HALF_LOAD));
        tables.add("Wide area", "p50 / p99, ms", tables.regions());
        for (String cost : COSTS) {
            tables.add("Costs", cost, tables.costs(cost));
        }
        return tables.out.toString();
    }

    /**
     * A row of a table.
     *
     * @param label what was measured
     * @param replicas servers of an ensemble
     * @param cells by protocol
     * @param values by protocol, for ratios
     */
    private record Row(String label, int replicas, Map<String, String> cells, Map<String, Double> values) {}

    private List<Row> throughput() {
        return rows(entry -> entry.metric().equals(Charts.THROUGHPUT)
                && (entry.phase().equals(Phase.SATURATION) || Phase.isLevel(entry.phase())));
    }

    private List<Row> costs(String metric) {
        return rows(entry -> entry.metric().equals(metric) && COST_PHASES.contains(entry.phase()));
    }

    private List<Row> rows(Predicate<Entry> which) {
        List<Row> rows = new ArrayList<>();
        for (Entry entry : entries) {
            if (which.test(entry)) {
                Map<String, String> cells = new LinkedHashMap<>();
                entry.medians().forEach((protocol, median) -> cells.put(protocol, number(median)));
                rows.add(new Row(entry.workload() + load(entry), entry.replicas(), cells, entry.medians()));
            }
        }
        return rows;
    }

    private static String load(Entry entry) {
        if (entry.phase().equals(Phase.SATURATION)) {
            return ", " + entry.outstanding() + " in flight";
        }
        if (entry.phase().equals(Phase.STORM)) {
            return ", which come back";
        }
        return Phase.isLevel(entry.phase()) ? ", " + entry.phase().split(" ")[0] + " in flight" : "";
    }

    private List<Row> latencies(String phase) {
        List<Row> rows = new ArrayList<>();
        for (Entry entry : entries) {
            boolean isMedian =
                    entry.metric().equals(WRITE_P50) || entry.metric().equals(READ_P50);
            if (entry.phase().startsWith(phase) && isMedian) {
                rows.add(pair(entry, entry.workload() + ": " + entry.metric().split(" ")[0]));
            }
        }
        return rows;
    }

    private List<Row> regions() {
        List<Row> rows = new ArrayList<>();
        for (Entry entry : entries) {
            boolean isWideArea = entry.phase().equals(Phase.WIDE_AREA_WRITES)
                    || entry.phase().equals(Phase.WIDE_AREA_READS);
            String region = Arrays.stream(Region.values())
                    .map(Region::word)
                    .filter(word -> entry.metric().equals("p50 at " + word + ", ms"))
                    .findFirst()
                    .orElse(null);
            if (isWideArea && region != null) {
                String kind = entry.phase().equals(Phase.WIDE_AREA_WRITES) ? "write" : "linearizable read";
                rows.add(pair(entry, entry.workload() + ": " + kind + " at " + region));
            }
        }
        return rows;
    }

    /** The median, and the 99th percentile that stands beside it. */
    private Row pair(Entry median, String label) {
        String metric = median.metric().replace("p50", "p99");
        Map<String, Double> tails = entries.stream()
                .filter(e -> e.run().equals(median.run())
                        && e.phase().equals(median.phase())
                        && e.metric().equals(metric))
                .findFirst()
                .map(Entry::medians)
                .orElse(Map.of());
        Map<String, String> cells = new LinkedHashMap<>();
        median.medians().forEach((protocol, value) -> {
            Double tail = tails.get(protocol);
            cells.put(protocol, number(value) + (tail == null ? "" : " / " + number(tail)));
        });
        return new Row(label, median.replicas(), cells, median.medians());
    }

    private void add(String title, String unit, List<Row> rows) {
        if (rows.isEmpty()) {
            return;
        }
        if (out.indexOf("## " + title) < 0) {
            out.append("## ").append(title).append("\n\n");
        }
        List<String> present = protocols.stream()
                .filter(p -> rows.stream().anyMatch(row -> row.cells().containsKey(p)))
                .toList();
        List<String[]> ratios = new ArrayList<>();
        for (String base : BASES) {
            if (present.contains(base)) {
                present.stream().filter(p -> !BASES.contains(p)).forEach(p -> ratios.add(new String[] {p, base}));
            }
        }
        List<String> head = new ArrayList<>(List.of(unit, "replicas"));
        head.addAll(present);
        ratios.forEach(ratio -> head.add(ratio[0] + " / " + ratio[1]));
        line(head);
        out.append("|---".repeat(head.size())).append("|\n");
        for (Row row : rows) {
            List<String> cells = new ArrayList<>(List.of(row.label(), Integer.toString(row.replicas())));
            present.forEach(p -> cells.add(row.cells().getOrDefault(p, "")));
            ratios.forEach(ratio ->
                    cells.add(ratio(row.values().get(ratio[0]), row.values().get(ratio[1]))));
            line(cells);
        }
        out.append("\n");
    }

    private void line(List<String> cells) {
        out.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String ratio(Double value, Double base) {
        return value == null || base == null || base == 0 ? "" : String.format(Locale.ROOT, "%.2f", value / base);
    }

    /** Whole from a hundred on, else with three digits that count. */
    static String number(double value) {
        if (Math.abs(value) >= 99.95) {
            return Axis.label(Math.rint(value));
        }
        int decimals = Math.abs(value) >= 9.995 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
