package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Servers whose heap is nearly full refuse what makes the tree grow, and do everything else. */
public class HeapFullTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int NODE_BYTES = 100_000;
    private static final int MORE_NODES_THAN_FIT = 3_000;

    private final Ensemble ensemble = Ensemble.named("heap-full")
            .set("ordering.heapReservePercent", "25")
            .set("admin.enableServer", "true")
            .set("admin.serverAddress", "127.0.0.1")
            .port(AdminClient.PORT)
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    @Before
    public void startWithSmallHeaps() throws Exception {
        Assume.assumeFalse("the stock server has no such guard", ensemble.isStock());
        ensemble.writeConfigurations();
        for (ServerProcess server : ensemble.servers()) {
            server.jvmFlags("-Xmx96m", "-XX:+UseSerialGC");
        }
        ensemble.startAll();
    }

    private static int fill(ZooKeeper client) throws Exception {
        for (int i = 0; i < MORE_NODES_THAN_FIT; i++) {
            try {
                client.create("/full/" + i, new byte[NODE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException e) {
                assertEquals(Code.THROTTLEDOP, e.code());
                return i;
            }
        }
        throw new AssertionError("nothing was refused");
    }

    @Test
    public void heapFillsUp_growthIsRefusedUntilZnodesAreDeleted() throws Exception {
        try (ZooKeeper client = Clients.connect(ensemble.server(1).connectString())) {
            client.create("/full", new byte[10], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            int created = fill(client);
            assertTrue("so few: " + created, created > 10);
            ServerProcess server = ensemble.server(1);
            assertEquals(1, server.gauge("ordering_heap_low"));
            assertTrue(server.gauge("ordering_heap_writes_refused") > 0);
            assertEquals(
                    503,
                    AdminClient.get(AdminClient.address(server, "/ready?write")).statusCode());
            assertEquals(
                    200, AdminClient.get(AdminClient.address(server, "/ready")).statusCode());
            assertNotNull(client.getData("/full/0", false, null));
            client.setData("/full", new byte[10], -1);
            for (int i = 0; i < created; i++) {
                client.delete("/full/" + i, -1);
            }
            Await.until("writes are accepted again", LIMIT, () -> server.gauge("ordering_heap_low") == 0);
            client.create("/again", new byte[NODE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (ServerProcess each : ensemble.servers()) {
                assertTrue(each.isRunning());
            }
        }
    }
}
