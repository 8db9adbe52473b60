package io.chainkeeper.clienttests.compat;

import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.List;
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

    /** What the scripts need of an ensemble. */
    static Ensemble.Builder settings(Ensemble.Builder builder) {
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
        Transcript.assertSame(script, "stock", Transcript.of(stock, script), "ours", Transcript.of(ours, script));
    }
}
