package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** {@code zkServer.sh switch-protocol}: data, sessions and ephemeral nodes go from one protocol to the next. */
public class ProtocolSwitchTest {
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final int SESSION_MILLIS = 60_000;
    private static final String PROTOCOL = "ordering.protocol";

    private final Ensemble ensemble = Ensemble.named("protocol-switch")
            .set(PROTOCOL, "chain")
            .set("maxSessionTimeout", "60000")
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(400);

    @Before
    public void startEnsemble() throws Exception {
        Assume.assumeTrue(
                "chooses its protocols itself", Ensemble.defaultProtocol().equals("chain"));
        ensemble.start();
    }

    @Test
    public void fromChainToIssToChainToZabToChain_everythingSurvives() throws Exception {
        try (ZooKeeper living = new ZooKeeper(ensemble.connectString(), SESSION_MILLIS, event -> {})) {
            living.create("/data", new byte[9], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            living.create("/ephemeral", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            long session = living.getSessionId();
            List<String> legs = List.of("iss", "chain", "zab", "chain");
            for (int leg = 0; leg < legs.size(); leg++) {
                living.create("/before-" + leg, new byte[leg], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                ensemble.awaitCaughtUp();
                List<String> moved = TreeDump.of(ensemble.server(1)).lines();
                switchTo(legs.get(leg));
                for (ServerProcess server : ensemble.servers()) {
                    assertEquals(
                            "server " + server.id(), moved, TreeDump.of(server).lines());
                }
                assertEquals(session, living.exists("/ephemeral", false).getEphemeralOwner());
                Stat before = living.exists("/before-" + leg, false);
                living.setData("/data", new byte[leg], -1);
                assertTrue(living.exists("/data", false).getMzxid() > before.getCzxid());
            }
        }
        try (ZooKeeper other = Clients.connect(ensemble.connectString())) {
            other.sync("/");
            assertNull("the session ended with its client", other.exists("/ephemeral", false));
        }
    }

    /** Stops all, switches all, starts all. */
    private void switchTo(String protocol) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            server.terminate();
        }
        for (ServerProcess server : ensemble.servers()) {
            Scripts.Result done = command(server, protocol, "--yes");
            assertEquals(done.toString(), 0, done.exitCode());
            server.configure(Map.of(PROTOCOL, protocol));
        }
        ensemble.startAll();
    }

    /** A server that was stopped earlier stands at less: the others' data is what all go on with. */
    @Test
    public void serverThatStandsAtLess_fetchesTheRest() throws Exception {
        ServerProcess behind = ensemble.server(2);
        behind.terminate();
        try (ZooKeeper client = Clients.connect(ensemble.server(1).connectString())) {
            for (int i = 0; i < 50; i++) {
                client.create("/later-" + i, new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
        ensemble.server(1).terminate();
        ensemble.server(3).terminate();
        for (ServerProcess server : ensemble.servers()) {
            assertEquals(0, command(server, "iss", "--yes").exitCode());
            server.configure(Map.of(PROTOCOL, "iss"));
        }
        behind.start();
        ensemble.server(3).start();
        ensemble.server(1).start();
        ensemble.startAll();
        List<String> lines = TreeDump.of(ensemble.server(1)).lines();
        assertTrue(lines.toString(), lines.stream().anyMatch(line -> line.startsWith("/later-49 ")));
        assertEquals(lines, TreeDump.of(behind).lines());
    }

    @Test
    public void command_changesNothingWithoutConsentOnRunningAndOnKilledServers() throws Exception {
        ServerProcess server = ensemble.server(1);
        Scripts.Result running = command(server, "iss", "--yes");
        assertTrue(
                running.toString(), running.exitCode() != 0 && running.errors().contains("in use"));

        ServerProcess killed = ensemble.server(2);
        killed.kill();
        SortedMap<String, String> before = contents(killed);
        Scripts.Result refused = command(killed, "iss", "--yes");
        assertTrue(
                refused.toString(), refused.exitCode() != 0 && refused.errors().contains("was killed"));
        assertEquals(before, contents(killed));

        server.terminate();
        before = contents(server);
        Scripts.Result explained = command(server, "iss");
        assertEquals(explained.toString(), 1, explained.exitCode());
        assertTrue(explained.toString(), explained.output().contains("Nothing has been changed"));
        assertEquals(before, contents(server));
        Scripts.Result unknown = command(server, "raft", "--yes");
        assertEquals(unknown.toString(), 2, unknown.exitCode());
        Scripts.Result already = command(server, "chain", "--yes");
        assertTrue(
                already.toString(), already.exitCode() == 0 && already.output().contains("nothing to switch"));
        assertEquals(before, contents(server));

        assertEquals(0, command(server, "iss", "--yes").exitCode());
        server.start();
        assertTrue("still configured as chain", server.awaitExit() != 0);
        assertTrue(
                server.lastLogLines(3).toString(),
                server.lastLogLines(3).toString().contains("with ordering.protocol=iss"));
    }

    private Scripts.Result command(ServerProcess server, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("switch-protocol"));
        all.addAll(List.of(arguments));
        all.add(server.configFile().toString());
        return Scripts.run(SCRIPT_LIMIT_SECONDS, server.directory(), "zkServer.sh", all.toArray(String[]::new));
    }

    private static SortedMap<String, String> contents(ServerProcess server) throws Exception {
        Path data = server.directory().resolve("data");
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                contents.put(
                        data.relativize(path).toString(),
                        new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }
}
