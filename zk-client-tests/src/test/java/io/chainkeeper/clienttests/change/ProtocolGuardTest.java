package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** A data directory knows its protocol: a server with another one refuses it and leaves every byte as it is. */
@RunWith(Parameterized.class)
public class ProtocolGuardTest {
    private static final String PROTOCOL = "ordering.protocol";
    private static final String IDENTITY = "ordering/identity";
    private static final int LAST_LINES = 3;

    private final String written;
    private final String configured;
    private final Ensemble ensemble;
    private final ServerProcess server;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public ProtocolGuardTest(String written, String configured, String logStore) {
        this.written = written;
        this.configured = configured;
        this.ensemble = Ensemble.named("protocol-guard-" + written + "-" + configured + "-" + logStore)
                .servers(1)
                .set("standaloneEnabled", "false")
                .set(PROTOCOL, written)
                .set("ordering.logStore", logStore)
                .build();
        this.server = ensemble.server(1);
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(180);
    }

    @Parameters(name = "{0} opened with {1}, {2}")
    public static List<Object[]> directions() {
        return List.of(
                new Object[] {"chain", "iss", "segmented"},
                new Object[] {"iss", "chain", "segmented"},
                new Object[] {"chain", "iss", "lmdb"},
                new Object[] {"iss", "chain", "lmdb"},
                new Object[] {"chain", "zab", "segmented"},
                new Object[] {"iss", "zab", "segmented"});
    }

    @Before
    public void writeSomething() throws Exception {
        Assume.assumeFalse(
                "the stock server has one protocol", Ensemble.defaultProtocol().equals("zab"));
        ensemble.start();
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.create("/kept", new byte[7], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        server.terminate();
    }

    @Test
    public void otherProtocol_isRefusedAndChangesNothing() throws Exception {
        assertRefused(configured, Map.of(PROTOCOL, configured));
        goesOnWithItsOwn();
    }

    /** One of a release whose directories did not bear the protocol's name is told by the records of its log. */
    @Test
    public void otherProtocol_isRefusedWithoutTheNameToo() throws Exception {
        forgetName();
        assertRefused(configured, Map.of(PROTOCOL, configured));
        goesOnWithItsOwn();
        assertTrue(Files.readString(data().resolve(IDENTITY)).contains("protocol=" + written + "\n"));
    }

    @Test
    public void standAloneServer_isRefused() throws Exception {
        Map<String, String> alone = new HashMap<>();
        alone.put("server.1", null);
        alone.put("standaloneEnabled", null);
        alone.put(PROTOCOL, "chain".equals(configured) ? "chain" : null);
        assertRefused("zab", alone);
    }

    private Path data() {
        return server.directory().resolve("data");
    }

    /** Back to what was written before the directories knew. */
    private void forgetName() throws Exception {
        List<String> lines = Files.readAllLines(data().resolve(IDENTITY));
        Files.writeString(data().resolve(IDENTITY), "formatVersion=1\n" + lines.get(2) + "\n" + lines.get(3) + "\n");
    }

    private void assertRefused(String wayTo, Map<String, String> changes) throws Exception {
        SortedMap<String, String> before = contents();
        server.configure(changes);
        server.start();
        assertNotEquals("exit code", 0, server.awaitExit());
        String said = server.lastLogLines(LAST_LINES).toString();
        assertTrue(said, said.contains("with ordering.protocol=" + written));
        assertTrue(said, said.contains("zkServer.sh switch-protocol " + wayTo));
        assertEquals(before, contents());
    }

    private void goesOnWithItsOwn() throws Exception {
        server.configure(Map.of(PROTOCOL, written));
        server.start();
        server.awaitServing();
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            assertEquals(7, client.getData("/kept", false, null).length);
        }
    }

    private SortedMap<String, String> contents() throws Exception {
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(data())) {
            for (Path path : paths.toList()) {
                String bytes = Files.isRegularFile(path)
                        ? new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1)
                        : "directory";
                contents.put(
                        data().relativize(path).toString(),
                        Integer.toHexString(bytes.hashCode()) + " " + bytes.length());
            }
        }
        return contents;
    }
}
