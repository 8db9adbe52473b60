package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The tables of docs/metrics.md. */
final class MetricsDocument {
    private static final List<String> MEASURE = List.of("avg", "max", "count", "sum");
    private static final String PROTOCOL_HEADING = "### With `ordering.protocol=";
    private static final String NO_WORRY = "\u2013";

    /** Every protocol has this metric. */
    static final String ANY_PROTOCOL = "";

    /**
     * A row.
     *
     * @param name of the metric; ends with a star if it stands for four
     * @param protocol with which it exists, or {@link #ANY_PROTOCOL}
     * @param worry when to worry, empty if never
     */
    record Row(String name, String protocol, String worry) {
        /** Names of the metrics. */
        List<String> metrics() {
            return name.endsWith("*")
                    ? MEASURE.stream().map(ending -> name.replace("*", ending)).toList()
                    : List.of(name);
        }
    }

    private MetricsDocument() {}

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        String protocol = ANY_PROTOCOL;
        for (String line : Files.readAllLines(Scripts.home().resolve("docs/metrics.md"))) {
            if (line.startsWith(PROTOCOL_HEADING)) {
                protocol = line.substring(PROTOCOL_HEADING.length(), line.lastIndexOf('`'));
            } else if (line.startsWith("## ")) {
                protocol = ANY_PROTOCOL;
            } else if (line.startsWith("| `ordering_")) {
                rows.add(row(line, protocol));
            }
        }
        return rows;
    }

    private static Row row(String line, String protocol) {
        String[] cells = line.split("\\|");
        assertEquals(line, 5, cells.length);
        for (int i = 1; i < cells.length; i++) {
            assertFalse(line, cells[i].isBlank());
        }
        String worry = cells[4].trim();
        return new Row(cells[1].trim().replace("`", ""), protocol, worry.equals(NO_WORRY) ? "" : worry);
    }

    /** Names of the metrics that a server with a protocol has. */
    static SortedSet<String> metrics(String protocol) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (Row row : rows()) {
            if (row.protocol().equals(ANY_PROTOCOL) || row.protocol().equals(protocol)) {
                names.addAll(row.metrics());
            }
        }
        return names;
    }
}
