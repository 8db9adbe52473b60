package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class KeysWithoutEffectTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-zA-Z.]+)` \\| ([^|]+) \\|$");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private SettingsFile file(String... lines) throws Exception {
        Path file = folder.newFile("zoo.cfg").toPath();
        return SettingsFile.read(Files.write(file, List.of(lines)));
    }

    @Test
    public void keysThatAreSet_areNamedWithWhatToDo() throws Exception {
        Map<String, String> properties = Map.of("zookeeper.leaderServes", "no", "zookeeper.forceSync", "no");
        List<String> lines =
                KeysWithoutEffect.found(file("tickTime=2000", "forceSync=no", "electionAlg=3"), properties::get);
        assertEquals(lines.toString(), 3, lines.size());
        assertTrue(lines.get(0), lines.get(0).contains("electionAlg"));
        assertTrue(lines.get(1), lines.get(1).endsWith("has no effect; set ordering.durability"));
        assertTrue(lines.get(2), lines.get(2).contains("zookeeper.leaderServes"));
    }

    @Test
    public void noneIsSet_nothingIsSaid() throws Exception {
        assertEquals(List.of(), KeysWithoutEffect.found(file("tickTime=2000"), name -> null));
    }

    @Test
    public void document_hasThem() throws Exception {
        String text = Files.readString(Path.of("..", "docs", "configuration.md"));
        String section = text.substring(text.indexOf("### Without effect"));
        Map<String, String> documented = new TreeMap<>();
        ROW.matcher(section)
                .results()
                .forEach(row -> documented.put(row.group(1), row.group(2).replace("`", "")));
        assertEquals(KeysWithoutEffect.INSTEAD, documented);
    }
}
