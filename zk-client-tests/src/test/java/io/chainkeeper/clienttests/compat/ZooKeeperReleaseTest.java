package io.chainkeeper.clienttests.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.OtherRelease;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * ZooKeeper's classes execute what is ordered, so their release is part of what a write means. The scripts run against
 * servers with the classes of this build, and against an ensemble in which two of three servers have those of another
 * ZooKeeper release: replies and trees are the same. If they are not, that release needs a feature level of its own.
 */
@RunWith(Parameterized.class)
public class ZooKeeperReleaseTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ClassRule
    public static final Ensemble present = SideBySideTest.settings(Ensemble.named("zookeeper-present"))
            .servers(1)
            .set("standaloneEnabled", "false")
            .build();

    private static final Ensemble mixed = SideBySideTest.settings(Ensemble.named("zookeeper-mixed"))
            .set("ordering.digestAuditSeconds", "1")
            .build();

    @ClassRule
    public static final TestRule servers = mixed.startedByTheTest();

    @Rule
    public final TestRule limit = RuleChain.outerRule(present.testLimit(120)).around(mixed.testLimit(120));

    private final Step.Script script;

    public ZooKeeperReleaseTest(Step.Script script) {
        this.script = script;
    }

    @Parameters(name = "{0}")
    public static List<Step.Script> scripts() {
        return SideBySideTest.scripts();
    }

    @BeforeClass
    public static void startServersOfBothReleases() throws Exception {
        Path libraries =
                OtherRelease.jarsWith(Path.of("target", "other-zookeeper").toAbsolutePath());
        for (ServerProcess server : mixed.servers().subList(1, mixed.servers().size())) {
            server.libraries(libraries);
        }
        mixed.start();
        assertNotEquals(release(mixed.server(1)), release(mixed.server(2)));
        assertEquals(release(present.server(1)), release(mixed.server(1)));
    }

    private static String release(ServerProcess server) throws Exception {
        String[] release = new String[1];
        Await.until("server " + server.id() + " tells its release", LIMIT, () -> {
            release[0] = FourLetterWord.srvr(server, "Zookeeper version");
            return release[0] != null;
        });
        return release[0];
    }

    @Test
    public void scriptRunsAgainstServersOfBothReleases_resultsAndReplyBytesAreTheSame() throws Exception {
        Transcript.assertSame(script, "present", Transcript.of(present, script), "mixed", Transcript.of(mixed, script));
    }

    @AfterClass
    public static void compareTrees() throws Exception {
        mixed.awaitCaughtUp();
        TreeDump.ofAllEqual(mixed);
        for (ServerProcess server : mixed.servers()) {
            assertEquals("server " + server.id(), 0, server.gauge("ordering_diverged"));
            assertEquals("server " + server.id(), 0, server.gauge("ordering_audit_differing_replicas"));
        }
    }
}
