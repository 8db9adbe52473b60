package io.chainkeeper.simulation;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.simulation.mutant.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The table of docs/safety-rules.md that says how soon the loss of each rule is found. */
final class DocumentedMutants {
    private static final Path DOCUMENT = Path.of("..", "docs", "safety-rules.md");
    private static final String HEADING = "## How soon a missing rule is found";
    private static final int COLUMNS = 7;
    private static final int MEDIAN = 3;

    private DocumentedMutants() {}

    /**
     * A row.
     *
     * @param median of the seeds until it is found; very high if the table says that it was not found
     */
    record Row(long median) {}

    /** What a row begins with. */
    static String key(Mutant mutant) {
        return mutant.statement() + " | " + mutant.protocol() + " | "
                + mutant.application().optionValue();
    }

    /** All rows, by their {@link #key}. */
    static Map<String, Row> read() throws IOException {
        Map<String, Row> rows = new TreeMap<>();
        for (String line : section()) {
            String[] cells = Stream.of(line.split("\\|"))
                    .map(String::trim)
                    .filter(cell -> !cell.isEmpty())
                    .toArray(String[]::new);
            if (line.startsWith("| ") && cells.length == COLUMNS && !cells[0].equals("rule")) {
                String key = String.join(" | ", List.of(cells).subList(0, MEDIAN));
                Row before = rows.put(key, new Row(median(cells[MEDIAN])));
                assertTrue(key + " is there twice", before == null);
            }
        }
        return rows;
    }

    private static long median(String cell) {
        return cell.startsWith(">") ? Long.MAX_VALUE : Long.parseLong(cell.replace(",", ""));
    }

    private static List<String> section() throws IOException {
        List<String> lines = Files.readAllLines(DOCUMENT);
        int begin = lines.indexOf(HEADING);
        assertTrue("'" + HEADING + "' is no heading of " + DOCUMENT, begin >= 0);
        int end = begin + 1;
        while (end < lines.size() && !lines.get(end).startsWith("## ")) {
            end++;
        }
        return lines.subList(begin, end);
    }
}
