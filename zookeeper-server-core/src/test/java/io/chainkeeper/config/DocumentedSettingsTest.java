package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The table of docs/configuration.md says what the code does. */
public class DocumentedSettingsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern KEY = Pattern.compile("`(ordering\\.[a-zA-Z]+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(ordering\\.[a-zA-Z]+)` \\| ([^|]*) \\|");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static String plain(String value) {
        return value.endsWith(" MiB")
                ? Long.toString(Long.parseLong(value.replace(" MiB", "")) << 20)
                : value.replace("`", "");
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private Map<String, String> coded() throws Exception {
        Path file = folder.newFile("zoo.cfg").toPath();
        Files.writeString(file, "ordering.protocol=zab\n"); // No other is on the class path here.
        OrderingSettings settings = OrderingSettings.parse(SettingsFile.read(file), new TreeMap<>(), 3);
        Map<String, String> coded = new TreeMap<>(Map.of(
                "ordering.protocol", OrderingConfig.DEFAULT_PROTOCOL,
                "ordering.durability", word(settings.durability()),
                "ordering.logStore", word(settings.logStore()),
                "ordering.logRetentionBytes", Long.toString(settings.logRetentionBytes()),
                "ordering.diskReserveBytes", Long.toString(settings.safeguards().diskReserveBytes()),
                "ordering.digestAuditSeconds",
                        Integer.toString(settings.safeguards().digestAuditSeconds()),
                "ordering.stateTransferBytesPerSecond", Long.toString(settings.stateTransferBytesPerSecond()),
                "ordering.secretFile", settings.linkSecret() == null ? "none" : "some",
                "ordering.checkpointBytes", Long.toString(settings.checkpointBytes())));
        coded.put(
                "ordering.heapReservePercent",
                Integer.toString(settings.safeguards().heapReservePercent()));
        coded.put("ordering.maxWatches", Long.toString(settings.safeguards().maxWatches()));
        coded.put("ordering.featureLevel", settings.featureRaising().byItself() ? "auto" : "operator");
        coded.put(
                "ordering.featureLevelDelaySeconds",
                Integer.toString(settings.featureRaising().delaySeconds()));
        coded.put(
                "ordering.slowRequestMillis",
                Integer.toString(settings.tracing().slowRequestMillis()));
        coded.put("ordering.traceEvery", Integer.toString(settings.tracing().traceEvery()));
        return coded;
    }

    @Test
    public void table_hasTheDefaults() throws Exception {
        Map<String, String> documented = new TreeMap<>();
        ROW.matcher(Files.readString(ROOT.resolve("docs/configuration.md")))
                .results()
                .forEach(row -> documented.put(row.group(1), plain(row.group(2))));
        assertEquals(coded(), documented);
    }

    @Test
    public void documents_nameTheKeysThatThereAre() throws Exception {
        assertEquals(new TreeSet<>(OrderingSettings.KEYS), named());
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
