package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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

    /** So long that a server that could go on alone would have begun. */
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofSeconds(5);

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
        everythingSurvives(List.of("iss", "chain", "zab", "chain"));
    }

    @Test
    public void toDiskFromEachAndToEachFromDisk_everythingSurvives() throws Exception {
        everythingSurvives(List.of("disk", "iss", "disk", "zab", "disk", "chain"));
    }

    private void everythingSurvives(List<String> legs) throws Exception {
        try (ZooKeeper living = new ZooKeeper(ensemble.connectString(), SESSION_MILLIS, event -> {})) {
            living.create("/data", new byte[9], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            living.create("/ephemeral", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            long session = living.getSessionId();
            for (int leg = 0; leg < legs.size(); leg++) {
                living.create("/before-" + leg, new byte[leg], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                ensemble.awaitCaughtUp();
                List<String> moved = TreeDump.of(ensemble.server(1)).lines();
                for (ServerProcess server : ensemble.servers()) {
                    server.terminate();
                }
                switchStopped(legs.get(leg));
                ensemble.startAll();
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

    /** Switches all servers, which have stopped; to disks that are new. */
    private void switchStopped(String protocol) throws Exception {
        Map<String, String> changes = new HashMap<>();
        changes.put(PROTOCOL, protocol);
        changes.put("disk.paths", null);
        changes.put("disk.oneMachine", null);
        if (protocol.equals("disk")) {
            Path disks = Files.createTempDirectory(ensemble.server(1).directory(), "disks-");
            changes.put("disk.paths", disks.resolve("1") + "," + disks.resolve("2") + "," + disks.resolve("3"));
            changes.put("disk.oneMachine", "true");
        }
        for (ServerProcess server : ensemble.servers()) {
            Scripts.Result done = command(server, protocol, "--yes");
            assertEquals(done.toString(), 0, done.exitCode());
            server.configure(changes);
        }
        if (protocol.equals("disk")) {
            ServerProcess first = ensemble.server(1);
            Scripts.Result formatted = Scripts.run(
                    SCRIPT_LIMIT_SECONDS,
                    first.directory(),
                    "zkDisk.sh",
                    "format",
                    "--yes",
                    first.configFile().toString());
            assertEquals(formatted.toString(), 0, formatted.exitCode());
        }
    }

    @Test
    public void serverThatStandsAtLess_fetchesTheRest() throws Exception {
        fetchTheRest(List.of(2), "iss");
    }

    /** There, each server could go on alone. From there, one may be the only one that knows what it acknowledged. */
    @Test
    public void serversThatStandAtLess_fetchTheRestOverSharedDisksAndFromThere() throws Exception {
        fetchTheRest(List.of(2), "disk");
        fetchTheRest(List.of(2, 3), "chain");
    }

    /** Servers that were stopped earlier stand at less, and start first: the others' data is what all go on with. */
    private void fetchTheRest(List<Integer> behind, String protocol) throws Exception {
        for (int id : behind) {
            ensemble.server(id).terminate();
        }
        String prefix = "/before-" + protocol + "-";
        try (ZooKeeper client = Clients.connect(ensemble.server(1).connectString())) {
            for (int i = 0; i < 50; i++) {
                client.create(prefix + i, new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
        for (ServerProcess server : ensemble.servers()) {
            if (server.isRunning()) {
                server.terminate();
            }
        }
        switchStopped(protocol);
        for (int id : behind) {
            ensemble.server(id).start();
        }
        Await.pass(LONGER_THAN_TIMEOUTS);
        ensemble.startAll();
        List<String> lines = TreeDump.of(ensemble.server(1)).lines();
        assertTrue(lines.toString(), lines.stream().anyMatch(line -> line.startsWith(prefix + "49 ")));
        for (int id : behind) {
            assertEquals(lines, TreeDump.of(ensemble.server(id)).lines());
        }
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
