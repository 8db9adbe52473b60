package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.OldData;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.StockServer;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Moving in from ensembles of Apache ZooKeeper whose servers did not get equally far, and back out. */
@RunWith(Parameterized.class)
public class MovingTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final int SESSION_MILLIS = 40_000;
    private static final String QUOTA = "/zookeeper/quota/limited/zookeeper_stats";

    private final String version;
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public MovingTest(String version) {
        this.version = version;
        this.ensemble = Ensemble.named("moving-" + version)
                .set("extendedTypesEnabled", "true")
                .set("maxSessionTimeout", "60000")
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(240);
    }

    @Parameters(name = "{0}")
    public static List<String> versions() {
        return OldData.versions();
    }

    @Before
    public void notForTheStockServer() {
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
    }

    @Test
    public void oldEnsemble_isContinuedAndCanGoBack() throws Exception {
        ensemble.writeConfigurations();
        OldData old = OldData.unpack(version, ensemble);
        Map<Path, byte[]> before = oldFiles(mostAdvanced());
        ensemble.startAll();
        ZooKeeper living = Clients.attach(ensemble.connectString(), SESSION_MILLIS, old.sessionId(), old.password());
        for (ServerProcess server : ensemble.servers()) {
            assertEquals(
                    "server " + server.id(),
                    unchanging(old.expected()),
                    unchanging(TreeDump.of(server).lines()));
        }
        for (Map.Entry<Path, byte[]> file : before.entrySet()) {
            // Beside the new cluster's own snapshot old ones may be purged, but nothing is written to them.
            if (Files.exists(file.getKey())) {
                assertArrayEquals(file.getKey().toString(), file.getValue(), Files.readAllBytes(file.getKey()));
            }
        }
        String used = new String(living.getData(QUOTA, false, null), StandardCharsets.UTF_8);
        assertTrue(used, used.startsWith("count=2,bytes=1"));
        Await.until("the session that nobody continues ends", LIMIT, () -> living.exists("/left", false) == null);
        living.create("/new", new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertTrue(living.exists("/new", false).getCzxid()
                > living.exists("/app", false).getMzxid());
        assertEquals(old.sessionId(), living.exists("/ephemeral", false).getEphemeralOwner());
        List<String> moved = TreeDump.of(ensemble.server(1)).lines();
        for (ServerProcess server : ensemble.servers()) {
            assertEquals("server " + server.id(), moved, TreeDump.of(server).lines());
        }
        if (version.equals(OldData.versions().get(OldData.versions().size() - 1))) {
            moveOut(living, moved);
        }
        living.close();
    }

    /** What no session's end changes: the root's children do. */
    private static List<String> unchanging(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.startsWith("/ ") && !line.startsWith("/left "))
                .toList();
    }

    /** The directory of the server that has most. */
    private Path mostAdvanced() {
        return ensemble.servers().stream()
                .map(server -> OldData.dataDirectory(ensemble, server.id()).resolve("version-2"))
                .max(Comparator.comparing(directory -> new FileTxnLog(directory.toFile()).getLastLoggedZxid()))
                .orElseThrow();
    }

    private static Map<Path, byte[]> oldFiles(Path directory) throws Exception {
        Map<Path, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                content.put(file, Files.readAllBytes(file));
            }
        }
        return content;
    }

    private void moveOut(ZooKeeper living, List<String> moved) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            server.terminate();
        }
        List<String> positions = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            Scripts.Result said = position(server);
            assertEquals(said.toString(), 0, said.exitCode());
            positions.add(said.output().replaceFirst("Server \\d", "Server"));
        }
        assertEquals(positions.toString(), 1, positions.stream().distinct().count());
        assertTrue(positions.get(0), positions.get(0).contains("last transaction 0x2"));

        // A quorum of three, with the zoo.cfg as it is; the living session finds it.
        List<StockServer> stock = new ArrayList<>();
        try {
            for (ServerProcess server : ensemble.servers()) {
                stock.add(stockServer(server, server.configFile()));
            }
            for (StockServer server : stock) {
                server.awaitServing();
                assertEquals(moved, TreeDump.of(server.address()).lines());
            }
            assertNotNull(living.exists("/ephemeral", false));
            assertEquals(
                    moved.size(), TreeDump.of(stock.get(0).address()).lines().size());
        } finally {
            for (StockServer server : stock) {
                server.close();
            }
        }

        Scripts.Result changed = position(ensemble.server(1));
        assertTrue(changed.toString(), changed.output().contains("changed since, probably by Apache ZooKeeper"));

        // Its clients' sessions are transactions that no order knows.
        Scripts.Result refused = ensemble.server(1).script("start");
        assertEquals(refused.toString(), 1, refused.exitCode());
        assertTrue(refused.toString(), refused.errors().contains("outside this cluster's order"));

        ServerProcess alone = ensemble.server(2);
        Path config = alone.directory().resolve("standalone.cfg");
        Files.write(
                config,
                Files.readAllLines(alone.configFile()).stream()
                        .filter(line -> !line.startsWith("server."))
                        .toList());
        try (StockServer standalone = stockServer(alone, config)) {
            standalone.awaitServing();
            assertEquals(moved, TreeDump.of(standalone.address()).lines());
        }
    }

    private static Scripts.Result position(ServerProcess server) throws Exception {
        return Scripts.run(
                SCRIPT_LIMIT_SECONDS,
                server.directory(),
                "zkServer.sh",
                "position",
                server.configFile().toString());
    }

    private static StockServer stockServer(ServerProcess server, Path config) throws Exception {
        StockServer stock = new StockServer(StockServer.currentClassPath(), config, server.clientPort());
        stock.start();
        return stock;
    }
}
