package io.chainkeeper.clienttests.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is in {@code monitoring/}: alerts for Prometheus, a dashboard for Grafana. */
final class MonitoringFiles {
    /** Prometheus itself says whether a target answers. */
    private static final Set<String> OF_PROMETHEUS = Set.of("up");

    /** Words of PromQL that are no metric: functions are followed by a parenthesis, labels stand in one. */
    private static final Pattern WORD = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

    private static final Set<String> OPERATORS =
            Set.of("and", "or", "unless", "on", "by", "group_left", "group_right", "offset", "ignoring", "without");

    private MonitoringFiles() {}

    static Path alertsFile() {
        return Scripts.home().resolve("monitoring/alerts.yml");
    }

    /** All rules, of all groups. */
    static List<JsonNode> alerts() throws IOException {
        List<JsonNode> rules = new ArrayList<>();
        for (JsonNode group : new YAMLMapper().readTree(alertsFile().toFile()).get("groups")) {
            group.get("rules").forEach(rules::add);
        }
        return rules;
    }

    static JsonNode dashboard() throws IOException {
        return new ObjectMapper()
                .readTree(Scripts.home().resolve("monitoring/dashboard.json").toFile());
    }

    /** All panels that show something. */
    static List<JsonNode> panels() throws IOException {
        List<JsonNode> panels = new ArrayList<>();
        for (JsonNode panel : dashboard().get("panels")) {
            if (!panel.get("type").asText().equals("row")) {
                panels.add(panel);
            }
        }
        return panels;
    }

    /** Names of the metrics in an expression of PromQL. */
    static SortedSet<String> metricsIn(String expression) {
        String bare = expression
                .replaceAll("\\{[^}]*\\}", " ")
                .replaceAll("\\[[^\\]]*\\]", " ")
                .replaceAll("(on|by|group_left|ignoring|without) *\\([^)]*\\)", " ")
                .replaceAll("offset +[0-9]+[a-z]", " ")
                .replaceAll("[0-9]+e[0-9]+", " ");
        SortedSet<String> names = new TreeSet<>();
        Matcher words = WORD.matcher(bare);
        while (words.find()) {
            boolean isFunction = bare.substring(words.end()).stripLeading().startsWith("(");
            if (!isFunction && !OPERATORS.contains(words.group()) && !OF_PROMETHEUS.contains(words.group())) {
                names.add(words.group());
            }
        }
        return names;
    }

    /** Names of all metrics that alerts and dashboard ask for. */
    static SortedSet<String> metrics() throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (JsonNode alert : alerts()) {
            names.addAll(metricsIn(alert.get("expr").asText()));
        }
        for (JsonNode panel : panels()) {
            for (JsonNode target : panel.get("targets")) {
                names.addAll(metricsIn(target.get("expr").asText()));
            }
        }
        return names;
    }
}
