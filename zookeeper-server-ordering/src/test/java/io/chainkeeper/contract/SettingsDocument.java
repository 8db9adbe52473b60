package io.chainkeeper.contract;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.SettingKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The table of a protocol's settings in its document, compared with the code. For tests of a module. */
public final class SettingsDocument {
    private static final Path ROOT = Path.of("..");

    private final String protocol;
    private final SettingKeys keys;

    /**
     * @param protocol its name: the prefix of its keys, and of the document's name in docs/
     * @param keys as coded
     */
    public SettingsDocument(String protocol, SettingKeys keys) {
        this.protocol = protocol;
        this.keys = keys;
    }

    /** Every key is in the table, with its default and its range. */
    public void assertTableIsRight() throws IOException {
        Pattern row = Pattern.compile("(?m)^\\| `(" + protocol + "\\.[a-zA-Z]+)` \\| ([^|]*) \\| ([^|]*) \\|");
        Map<String, String> documented = new TreeMap<>();
        row.matcher(Files.readString(ROOT.resolve("docs/" + protocol + ".md")))
                .results()
                .forEach(found -> documented.put(found.group(1), found.group(2) + " of " + found.group(3)));
        Map<String, String> coded = new TreeMap<>();
        for (String key : keys.names()) {
            coded.put(key, keys.defaultOf(key) + " of " + keys.rangeOf(key));
        }
        assertEquals(coded, documented);
    }

    /** The documents name all keys, and none that there is not. */
    public void assertDocumentsNameNoOtherKey() throws IOException {
        Pattern key = Pattern.compile("`(" + protocol + "\\.[a-zA-Z]+)");
        TreeSet<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            List<Path> documents = new ArrayList<>(
                    files.filter(file -> file.toString().endsWith(".md")).toList());
            documents.add(ROOT.resolve("README.md"));
            for (Path document : documents) {
                key.matcher(Files.readString(document)).results().forEach(found -> named.add(found.group(1)));
            }
        }
        assertEquals(new TreeSet<>(keys.names()), named);
    }
}
