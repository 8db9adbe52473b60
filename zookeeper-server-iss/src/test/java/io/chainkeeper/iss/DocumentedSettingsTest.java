package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** The table of docs/iss.md says what the code does. */
public class DocumentedSettingsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern KEY = Pattern.compile("`(iss\\.[a-zA-Z]+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(iss\\.[a-zA-Z]+)` \\| ([^|]*) \\| ([^|]*) \\|");

    @Test
    public void table_hasEveryKeyWithItsDefaultAndRange() throws Exception {
        Map<String, String> documented = new TreeMap<>();
        ROW.matcher(Files.readString(ROOT.resolve("docs/iss.md")))
                .results()
                .forEach(row -> documented.put(row.group(1), row.group(2) + " of " + row.group(3)));
        Map<String, String> coded = new TreeMap<>();
        for (String key : IssSettings.KEYS.names()) {
            coded.put(key, IssSettings.KEYS.defaultOf(key) + " of " + IssSettings.KEYS.rangeOf(key));
        }
        assertEquals(coded, documented);
    }

    @Test
    public void documents_nameNoOtherKey() throws Exception {
        assertEquals(new TreeSet<>(IssSettings.KEYS.names()), named());
    }

    private static Set<String> named() throws Exception {
        Set<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            List<Path> documents = new ArrayList<>(
                    files.filter(file -> file.toString().endsWith(".md")).toList());
            documents.add(ROOT.resolve("README.md"));
            for (Path document : documents) {
                KEY.matcher(Files.readString(document)).results().forEach(key -> named.add(key.group(1)));
            }
        }
        return named;
    }
}
