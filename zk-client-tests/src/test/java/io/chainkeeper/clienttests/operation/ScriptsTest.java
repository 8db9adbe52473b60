package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.config.ClusterIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** The scripts as their users know them from ZooKeeper: commands, messages, exit codes. */
@RunWith(Parameterized.class)
public class ScriptsTest {
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(60);
    private static final long COLLECTION_LIMIT_SECONDS = 10;
    private static final long CLIENT_LIMIT_SECONDS = 60;

    private final String protocol;
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public ScriptsTest(String protocol) {
        this.protocol = protocol;
        this.ensemble = Ensemble.named("scripts-" + protocol)
                .set("ordering.protocol", protocol)
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(180);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.of(Ensemble.defaultProtocol(), "zab").stream().distinct().toList();
    }

    @Test
    public void ensembleOfThree_startsAnswersRestartsAndStops() throws Exception {
        ensemble.writeConfigurations();
        for (ServerProcess server : ensemble.servers()) {
            assertResult(0, "Starting zookeeper ... STARTED", server.script("start"));
        }
        awaitServing();
        for (ServerProcess server : ensemble.servers()) {
            assertStatus(server);
            assertResult(1, "already running as process", server.script("start"));
        }
        ServerProcess first = ensemble.server(1);
        assertEquals(0, client(first, "create", "/greeting", "hello").exitCode());
        assertResult(0, "hello", client(ensemble.server(2), "get", "/greeting"));

        long before = first.background().orElseThrow().pid();
        assertResult(0, "STARTED", first.script("restart"));
        assertNotEquals(before, first.background().orElseThrow().pid());
        awaitServing();
        assertStatus(first);
        assertResult(0, "hello", client(first, "get", "/greeting"));

        for (ServerProcess server : ensemble.servers()) {
            ProcessHandle process = server.background().orElseThrow();
            assertResult(0, "Stopping zookeeper ... STOPPED", server.script("stop"));
            // The operating system may not have collected it yet.
            process.onExit().get(COLLECTION_LIMIT_SECONDS, TimeUnit.SECONDS);
            assertResult(1, "Error contacting service. It is probably not running.", server.script("status"));
            assertResult(0, "no zookeeper to stop", server.script("stop"));
        }
        boolean hasOrderingLog = Files.exists(first.directory().resolve("data/ordering"));
        assertEquals("data directory has an acceptor log", !protocol.equals("zab"), hasOrderingLog);
    }

    @Test
    public void printCmd_printsTheCommandAndStartsNothing() throws Exception {
        ensemble.writeConfigurations();
        ServerProcess server = ensemble.server(1);
        Scripts.Result result = server.script("print-cmd");
        assertResult(0, server.configFile().toString(), result);
        assertTrue(result.toString(), result.output().contains("java"));
        assertTrue(server.background().isEmpty());
        assertNull(server.mode());
    }

    /** As with ZooKeeper's script. */
    @Test
    public void unknownCommand_usageAndExitCodeZero() throws Exception {
        ensemble.writeConfigurations();
        assertResult(0, "start-foreground", ensemble.server(1).script("begin"));
    }

    @Test
    public void missingMyid_isSaidInOneLineAndNothingIsWritten() throws Exception {
        ensemble.writeConfigurations();
        ServerProcess server = ensemble.server(1);
        Path data = server.directory().resolve("data");
        Files.delete(data.resolve("myid"));

        Scripts.Result foreground = server.script("start-foreground");
        assertNotEquals(foreground.toString(), 0, foreground.exitCode());
        Scripts.Result background = server.script("start");
        assertResult(1, "FAILED TO START", background);
        if (!protocol.equals("zab")) {
            assertOneLineSays("myid", foreground);
            assertOneLineSays("myid", background);
            try (var files = Files.list(data)) {
                assertEquals(List.of(), files.toList());
            }
        }
    }

    @Test
    public void directoryThatTurnsOutToBeOfNoUse_isNoSuccess() throws Exception {
        Assume.assumeFalse(protocol.equals("zab"));
        ensemble.writeConfigurations();
        ServerProcess server = ensemble.server(1);
        Path ordering = Files.createDirectories(server.directory().resolve("data/ordering"));
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(ordering);
        assertResult(1, "no checkpoint in", server.script("start"));
    }

    /** What the other servers say comes later than the open client port. */
    @Test
    public void serverOfAnotherCluster_isRefusedByTheOthersAndIsNoSuccess() throws Exception {
        Assume.assumeFalse("Apache ZooKeeper knows no clusters", protocol.equals("zab"));
        ensemble.start();
        ServerProcess third = ensemble.server(3);
        ensemble.awaitCaughtUp();
        ensemble.killAll();
        for (int id = 1; id <= 2; id++) {
            ensemble.server(id).emptyData();
            ensemble.server(id).start();
        }
        for (int id = 1; id <= 2; id++) {
            ensemble.server(id).awaitServing();
        }
        Scripts.Result refused = third.script("start");
        assertResult(1, "FAILED TO START", refused);
        assertOneLineSays("This server does not belong to servers [1, 2] of its server list", refused);
        assertTrue(third.background().isEmpty());
    }

    @Test
    public void unknownProtocol_isSaidInOneLine() throws Exception {
        try (Ensemble misconfigured = Ensemble.named("scripts-misconfigured")
                .set("ordering.protocol", protocol + "x")
                .build()) {
            misconfigured.writeConfigurations();
            Scripts.Result result = misconfigured.server(1).script("start-foreground");
            assertNotEquals(result.toString(), 0, result.exitCode());
            assertOneLineSays("ordering.protocol=" + protocol + "x", result);
        }
    }

    private static void assertOneLineSays(String text, Scripts.Result result) {
        List<String> lines = result.errors()
                .lines()
                .filter(line -> !line.startsWith("Using config:") && !line.startsWith("JMX disabled"))
                .toList();
        assertEquals(result.toString(), 1, lines.size());
        assertTrue(result.toString(), lines.get(0).contains(text));
    }

    private static void assertStatus(ServerProcess server) throws Exception {
        Scripts.Result status = server.script("status");
        assertResult(0, "Client port found: " + server.clientPort(), status);
        assertTrue(status.toString(), status.output().matches("(?s).*Mode: (leader|follower)\n.*"));
    }

    private static Scripts.Result client(ServerProcess server, String... command) throws Exception {
        String[] arguments = new String[command.length + 2];
        arguments[0] = "-server";
        arguments[1] = server.connectString();
        System.arraycopy(command, 0, arguments, 2, command.length);
        return Scripts.run(CLIENT_LIMIT_SECONDS, server.directory(), "zkCli.sh", arguments);
    }

    private static void assertResult(int exitCode, String text, Scripts.Result result) {
        assertEquals(result.toString(), exitCode, result.exitCode());
        assertTrue("expected: " + text + "; got: " + result, (result.output() + result.errors()).contains(text));
    }

    private void awaitServing() throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            Await.until("server " + server.id() + " serves", SERVING_LIMIT, () -> server.mode() != null);
        }
    }
}
