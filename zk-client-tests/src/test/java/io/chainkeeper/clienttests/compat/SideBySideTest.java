package io.chainkeeper.clienttests.compat;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The same scripts against a stock ZooKeeper server, a quorum of one, and against three replicas, whose connections are
 * spread over all of them. Results, error codes, events and all reply bytes but what {@link ReplyMask} names are equal.
 *
 * <p>{@code -Dcompat.script=<name>,<name>} runs these scripts only.
 */
@RunWith(Parameterized.class)
public class SideBySideTest {
    private static final int FINDINGS_SHOWN = 40;

    @ClassRule(order = 0)
    public static final Ensemble stock = settings(Ensemble.named("compat-stock"))
            .servers(1)
            .set("ordering.protocol", "zab")
            .set("standaloneEnabled", "false")
            .build();

    @ClassRule(order = 1)
    public static final Ensemble ours = settings(Ensemble.named("compat-ours")).build();

    @Rule
    public final TestRule limit = RuleChain.outerRule(stock.testLimit(120)).around(ours.testLimit(120));

    private final Step.Script script;

    public SideBySideTest(Step.Script script) {
        this.script = script;
    }

    private static Ensemble.Builder settings(Ensemble.Builder builder) {
        return builder.set("extendedTypesEnabled", "true")
                .set("enforceQuota", "true")
                .set("reconfigEnabled", "true")
                .superUser();
    }

    @Parameters(name = "{0}")
    public static List<Step.Script> scripts() {
        List<Step.Script> all = List.of(
                RequestMatrix.script(),
                CreateScript.script(),
                MultiScript.script(),
                WatchScript.script(),
                AclScript.script(),
                QuotaScript.script(),
                SessionScript.script(),
                PipelineScript.script(),
                ClientScript.script(),
                MalformedScript.script(),
                ConfigScript.script());
        String only = System.getProperty("compat.script");
        return all.stream()
                .filter(script -> only == null || List.of(only.split(",")).contains(script.toString()))
                .toList();
    }

    @Test
    public void scriptRunsAgainstBoth_resultsAndReplyBytesAreTheSame() throws Exception {
        Transcript expected = run(stock);
        Transcript actual = run(ours);
        List<String> findings = new ArrayList<>();
        for (Step step : script.steps()) {
            String name = step.name();
            compare(name, expected.results().get(name), actual.results().get(name), findings);
        }
        assertEquals(expected.replies().keySet(), actual.replies().keySet());
        for (Map.Entry<String, List<String>> connection : expected.replies().entrySet()) {
            List<String> replies = actual.replies().get(connection.getKey());
            for (int i = 0; i < Math.max(connection.getValue().size(), replies.size()); i++) {
                compare(
                        connection.getKey() + ", reply " + i,
                        i < connection.getValue().size() ? connection.getValue().get(i) : "none",
                        i < replies.size() ? replies.get(i) : "none",
                        findings);
            }
        }
        List<String> shown = findings.subList(0, Math.min(FINDINGS_SHOWN, findings.size()));
        assertEquals(
                findings.size() + " differences in " + script.steps().size() + " steps; the first:\n"
                        + String.join("\n", shown),
                0,
                findings.size());
    }

    private Transcript run(Ensemble ensemble) throws Exception {
        try (Bench bench = new Bench(ensemble, script.root())) {
            return Transcript.of(bench, script);
        }
    }

    private static void compare(String what, String expected, String actual, List<String> findings) {
        if (!expected.equals(actual)) {
            findings.add(what + "\n  stock: " + expected + "\n  ours:  " + actual);
        }
    }
}
