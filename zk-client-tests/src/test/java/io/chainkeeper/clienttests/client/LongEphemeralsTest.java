package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The end of a session deletes more than fits into one entry of the transaction log that can be read back. Once no
 * server could start any more after it.
 */
@RunWith(Parameterized.class)
public class LongEphemeralsTest {
    private static final int NAME_CHARS = 10_000;

    /** Their paths together are longer than two times the default jute.maxbuffer. */
    private static final int EPHEMERALS = 230;

    private static final long LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(LIMIT_SECONDS);
    private static final int SHORT_SESSION_MILLIS = 4_000;

    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public LongEphemeralsTest(String protocol) {
        this.ensemble = Ensemble.named("long-ephemerals-" + protocol)
                .set("ordering.protocol", protocol)
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(240);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return Combinations.areAllAsked() ? List.of("chain", "iss", "disk") : List.of("chain");
    }

    private static void createEphemerals(ZooKeeper owner, String prefix) throws Exception {
        CountDownLatch answered = new CountDownLatch(EPHEMERALS);
        AtomicInteger created = new AtomicInteger();
        for (int i = 0; i < EPHEMERALS; i++) {
            owner.create(
                    "/" + prefix + i + "-" + "n".repeat(NAME_CHARS),
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.EPHEMERAL,
                    (rc, path, context, made) -> {
                        created.addAndGet(rc == Code.OK.intValue() ? 1 : 0);
                        answered.countDown();
                    },
                    null);
        }
        assertTrue("not created in time", answered.await(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertEquals(EPHEMERALS, created.get());
    }

    @Test
    public void sessionsEnd_theirNodesAreGoneAndEveryServerStartsAgain() throws Exception {
        Assume.assumeFalse(
                "chooses its protocols itself", Ensemble.defaultProtocol().equals("zab"));
        ensemble.start();
        ZooKeeper client = Clients.connect(ensemble.server(1).connectString());
        String ofTheVanished = "/v7-" + "n".repeat(NAME_CHARS);
        try (ZooKeeper closed = Clients.connect(ensemble.server(2).connectString())) {
            createEphemerals(closed, "c");
        }
        client.sync("/");
        assertNull("closed by its client", client.exists("/c7-" + "n".repeat(NAME_CHARS), false));
        ZooKeeper vanished = Clients.connect(ensemble.server(3).connectString(), SHORT_SESSION_MILLIS);
        createEphemerals(vanished, "v");
        ensemble.server(3).kill();
        vanished.close();
        Await.until("the session expires", LIMIT, () -> client.exists(ofTheVanished, false) == null);
        client.create("/after", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.close();
        ensemble.server(3).start();
        ensemble.awaitCaughtUp();

        ensemble.killAll();
        ensemble.startAll();
        ensemble.awaitCaughtUp();
        for (ServerProcess server : ensemble.servers()) {
            try (ZooKeeper later = Clients.connect(server.connectString())) {
                assertEquals(
                        "server " + server.id(),
                        List.of("after", "zookeeper"),
                        later.getChildren("/", false).stream().sorted().toList());
            }
        }
        TreeDump.ofAllEqual(ensemble);
    }
}
