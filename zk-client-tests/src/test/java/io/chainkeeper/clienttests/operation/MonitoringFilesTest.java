package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Alerts and dashboard say what docs/metrics.md says; {@link MonitoringTest} asks a server for their metrics. */
public class MonitoringFilesTest {
    private static final long LIMIT_SECONDS = 60;
    private static final Pattern RANGE = Pattern.compile("\\[([0-9]+)([smhd])\\]");
    private static final Map<String, Integer> MINUTES = Map.of("m", 1, "h", 60, "d", 24 * 60);
    private static final Set<String> SEVERITIES = Set.of("critical", "warning", "info");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** Rows without an alert, and why. */
    private static final Map<String, String> WITHOUT_ALERT = Map.of(
            "ordering_is_voter", "an observer shows the same as a participant that waits",
            "ordering_batch_bytes_*", "what is said there is that it is normal");

    @Test
    public void everyReasonToWorry_hasAnAlert() throws IOException {
        SortedSet<String> watched = new TreeSet<>();
        for (JsonNode alert : MonitoringFiles.alerts()) {
            watched.addAll(MonitoringFiles.metricsIn(alert.get("expr").asText()));
        }
        List<String> without = new ArrayList<>();
        for (MetricsDocument.Row row : MetricsDocument.rows()) {
            boolean hasAlert = row.metrics().stream().anyMatch(watched::contains);
            if (!row.worry().isEmpty() && !hasAlert) {
                without.add(row.name());
            }
            assertFalse(row.name() + " has an alert now", hasAlert && WITHOUT_ALERT.containsKey(row.name()));
        }
        assertEquals(new TreeSet<>(WITHOUT_ALERT.keySet()), new TreeSet<>(without));
    }

    @Test
    public void everyMetricOfOurs_isDocumented() throws IOException {
        SortedSet<String> documented = new TreeSet<>();
        for (MetricsDocument.Row row : MetricsDocument.rows()) {
            documented.addAll(row.metrics());
        }
        SortedSet<String> unknown = MonitoringFiles.metrics();
        unknown.removeIf(name -> !name.startsWith("ordering_"));
        unknown.removeAll(documented);
        assertEquals(new TreeSet<>(), unknown);
    }

    @Test
    public void alerts_sayWhatTheyAreAbout() throws IOException {
        Set<String> names = new HashSet<>();
        for (JsonNode alert : MonitoringFiles.alerts()) {
            String name = alert.path("alert").asText();
            assertTrue(name, name.matches("Chainkeeper[A-Za-z]+"));
            assertTrue(name + " is there twice", names.add(name));
            assertTrue(name, SEVERITIES.contains(alert.at("/labels/severity").asText()));
            assertFalse(name, alert.at("/annotations/summary").asText().isBlank());
            assertFalse(name, alert.at("/annotations/description").asText().isBlank());
            assertTrue(name, alert.path("for").asText("0m").matches("[0-9]+[smh]"));
        }
    }

    @Test
    public void dashboard_hasPanelsThatDoNotOverlap() throws IOException {
        JsonNode dashboard = MonitoringFiles.dashboard();
        assertEquals("Chainkeeper", dashboard.get("title").asText());
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            String title = panel.get("title").asText();
            assertTrue(title, ids.add(panel.get("id").asInt()));
            JsonNode place = panel.get("gridPos");
            for (int x = 0; x < place.get("w").asInt(); x++) {
                for (int y = 0; y < place.get("h").asInt(); y++) {
                    int column = place.get("x").asInt() + x;
                    assertTrue(
                            title,
                            column < 24
                                    && cells.add(column + " " + (place.get("y").asInt() + y)));
                }
            }
        }
        for (JsonNode panel : MonitoringFiles.panels()) {
            assertTrue(panel.toString(), panel.get("targets").size() > 0);
        }
    }

    /** With one sample nothing can be said of a change, and a scrape may be missed. */
    @Test
    public void ranges_haveFourSamplesAtTheDefaultInterval() throws IOException {
        for (JsonNode alert : MonitoringFiles.alerts()) {
            String expression = alert.get("expr").asText();
            Matcher range = RANGE.matcher(expression);
            while (range.find()) {
                int minutes = Integer.parseInt(range.group(1)) * MINUTES.getOrDefault(range.group(2), 0);
                assertTrue(alert.get("alert").asText() + ": " + expression, minutes >= 4);
            }
        }
    }

    /** The value of an expression is that of its first operand. */
    @Test
    public void values_areNotHowFastSomethingChanges() throws IOException {
        for (JsonNode alert : MonitoringFiles.alerts()) {
            boolean saysValue = alert.get("annotations").toString().contains("$value");
            String expression = alert.get("expr").asText();
            assertFalse(
                    alert.get("alert").asText() + ": " + expression,
                    saysValue && expression.matches("(deriv|i?delta|i?rate)\\(.*"));
        }
    }

    /** Skipped where the package prometheus is not installed. */
    @Test
    public void alerts_areRulesForPrometheus() throws Exception {
        Scripts.Result result =
                promtool("check", "rules", MonitoringFiles.alertsFile().toString());
        assertEquals(result.toString(), 0, result.exitCode());
    }

    /** Skipped where the package prometheus is not installed. */
    @Test
    public void scrapedOnceAMinute_alertsFireAndSayWhatTheyAreAbout() throws Exception {
        Path scenarios = Scripts.home().resolve("zk-client-tests/src/test/monitoring/alerts-test.yml");
        Path tests = folder.newFile("alerts-test.yml").toPath();
        Files.writeString(
                tests,
                Files.readString(scenarios)
                        .replace("[ALERTS]", "[" + MonitoringFiles.alertsFile().toAbsolutePath() + "]"));
        Scripts.Result result = promtool("test", "rules", tests.toString());
        assertEquals(result.toString(), 0, result.exitCode());
    }

    private static Scripts.Result promtool(String... arguments) throws Exception {
        Optional<Path> promtool = Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
        Assume.assumeTrue(
                "promtool is not installed (Debian's package prometheus): the rules are only parsed as YAML",
                promtool.isPresent());
        List<String> command = new ArrayList<>(List.of(promtool.get().toString()));
        command.addAll(List.of(arguments));
        return Scripts.run(
                LIMIT_SECONDS,
                new ProcessBuilder(command)
                        .directory(
                                Scripts.home().resolve("zk-client-tests/target").toFile()));
    }
}
