package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.OldData;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.file.Files;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Directories of the release before: this one opens them, has all data, and goes on with them. */
@RunWith(Parameterized.class)
public class OldOrderTest {
    private static final int SESSION_MILLIS = 40_000;

    private final String protocol;
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public OldOrderTest(String protocol) {
        this.protocol = protocol;
        this.ensemble = Ensemble.named("old-order-test-" + protocol)
                .set("ordering.protocol", protocol)
                .set("maxSessionTimeout", "60000")
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(300);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.of("chain", "iss");
    }

    /** One was killed, one stopped, and one is behind. */
    @Test
    public void directoriesOfTheReleaseBefore_areContinued() throws Exception {
        Assume.assumeFalse(
                "chooses its protocols itself", Ensemble.defaultProtocol().equals("zab"));
        ensemble.writeConfigurations();
        OldData old = OldData.unpackOrder(protocol, ensemble);
        for (ServerProcess server : ensemble.servers()) {
            assertTrue(Files.exists(server.directory().resolve("data/ordering/identity")));
        }
        ensemble.startAll();
        try (ZooKeeper living =
                Clients.attach(ensemble.connectString(), SESSION_MILLIS, old.sessionId(), old.password())) {
            ensemble.awaitCaughtUp();
            for (ServerProcess server : ensemble.servers()) {
                assertEquals(
                        "server " + server.id(),
                        old.expected(),
                        TreeDump.of(server).lines());
            }
            assertEquals(old.sessionId(), living.exists("/ephemeral", false).getEphemeralOwner());
            living.create("/new", new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        for (ServerProcess server : ensemble.servers()) {
            String identity = Files.readString(server.directory().resolve("data/ordering/identity"));
            assertTrue(identity, identity.contains("protocol=" + protocol + "\n"));
        }
        ensemble.killAll();
        ServerProcess replaced = ensemble.server(2);
        replaced.emptyData();
        ensemble.startAll();
        ensemble.awaitCaughtUp();
        List<String> lines = TreeDump.ofAllEqual(ensemble).lines();
        assertTrue(lines.toString(), lines.stream().anyMatch(line -> line.startsWith("/new ")));
        assertTrue(lines.toString(), lines.stream().anyMatch(line -> line.startsWith("/late/148 ")));
    }
}
