package io.chainkeeper.chain;

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

/** The table of docs/configuration.md says what the code does. */
public class DocumentedSettingsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern KEY = Pattern.compile("`(chain\\.[a-zA-Z]+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`chain\\.[^|]*) \\| ([^|]*) \\|");

    /** It means something else to leave them away than to write what they are then. */
    private static final Set<String> WITHOUT_DEFAULT = Set.of("chain.minQuorumSize", "chain.zones");

    private static String plain(String value) {
        return value.endsWith(" KiB") ? Integer.toString(Integer.parseInt(value.replace(" KiB", "")) << 10) : value;
    }

    @Test
    public void table_hasEveryKeyWithItsDefault() throws Exception {
        Map<String, String> documented = new TreeMap<>();
        ROW.matcher(Files.readString(ROOT.resolve("docs/configuration.md")))
                .results()
                .forEach(row -> {
                    String[] keys = row.group(1).replace("`", "").split(", ");
                    String[] defaults = row.group(2).split(", ");
                    assertEquals(row.group(), keys.length, defaults.length);
                    for (int i = 0; i < keys.length; i++) {
                        documented.put(keys[i], plain(defaults[i]));
                    }
                });
        Map<String, String> coded = new TreeMap<>();
        for (String key : ChainSettings.KEYS.names()) {
            coded.put(key, WITHOUT_DEFAULT.contains(key) ? "none" : ChainSettings.KEYS.defaultOf(key));
        }
        assertEquals(coded, documented);
    }

    @Test
    public void documents_nameNoOtherKey() throws Exception {
        assertEquals(new TreeSet<>(ChainSettings.KEYS.names()), named());
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
