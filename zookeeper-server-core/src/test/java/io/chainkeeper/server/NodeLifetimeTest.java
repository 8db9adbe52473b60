package io.chainkeeper.server;

import static org.junit.Assert.assertNotNull;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.EphemeralType;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Containers and nodes with a time to live: who deletes them, and which ones. */
public class NodeLifetimeTest {
    private static final int REPLICAS = 3;
    private static final long SHORT_MILLIS = 50;
    private static final long LONG_MILLIS = EphemeralType.TTL.maxValue();

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        System.setProperty("znode.container.checkIntervalMs", "100");
        System.setProperty("znode.container.maxPerMinute", "100000");
        ensemble = new TestEnsemble(
                        FOLDER.getRoot().toPath(),
                        REPLICAS,
                        ReadConsistency.LINEARIZABLE,
                        Map.of("extendedTypesEnabled", "true"))
                .startAll();
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, REPLICAS);
        } finally {
            System.clearProperty("znode.container.checkIntervalMs");
            System.clearProperty("znode.container.maxPerMinute");
            System.clearProperty("zookeeper.extendedTypesEnabled");
        }
    }

    private static void create(ZooKeeper client, String path, CreateMode mode) throws Exception {
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode);
    }

    private static String createFor(ZooKeeper client, String path, CreateMode mode, long timeToLiveMillis)
            throws Exception {
        return client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode, new Stat(), timeToLiveMillis);
    }

    private static void awaitGone(ZooKeeper client, String path) throws Exception {
        TestEnsemble.await(path + " is deleted", () -> {
            try {
                return client.exists(path, false) == null;
            } catch (KeeperException | InterruptedException e) {
                throw new AssertionError(path, e);
            }
        });
    }

    /** Waits until the leader has looked for expired nodes, twice: it may be in the middle of it now. */
    private static void awaitReaping(ZooKeeper client) throws Exception {
        for (int i = 0; i < 2; i++) {
            awaitGone(client, createFor(client, "/marker-", CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL, SHORT_MILLIS));
        }
    }

    @Test
    public void whoeverLeads_deletesEmptyContainersAndExpiredNodes() throws Exception {
        ZooKeeper client = ensemble.client(2);
        for (int leader = REPLICAS; leader > 0; leader--) {
            ensemble.order().elect(leader);
            String container = "/container" + leader;
            create(client, container, CreateMode.CONTAINER);
            create(client, container + "/child", CreateMode.PERSISTENT);
            client.delete(container + "/child", -1);
            String expiring = createFor(client, "/expiring" + leader, CreateMode.PERSISTENT_WITH_TTL, SHORT_MILLIS);
            awaitGone(client, container);
            awaitGone(client, expiring);
        }
    }

    @Test
    public void nodesThatAreNotDue_areLeftAlone() throws Exception {
        ZooKeeper client = ensemble.client(1);
        create(client, "/unused", CreateMode.CONTAINER);
        create(client, "/used", CreateMode.CONTAINER);
        create(client, "/used/child", CreateMode.PERSISTENT);
        String later = createFor(client, "/later-", CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL, LONG_MILLIS);
        // In one: without a child the parent could be gone before it has one.
        List<OpResult> both = client.multi(List.of(
                Op.create("/parent", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, SHORT_MILLIS),
                Op.create(
                        "/parent/child-",
                        null,
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL,
                        LONG_MILLIS)));
        String child = ((OpResult.CreateResult) both.get(1)).getPath();
        awaitReaping(client);
        assertNotNull("a container that never had a child", client.exists("/unused", false));
        assertNotNull("a container that has one", client.exists("/used", false));
        assertNotNull("expired, but it has a child", client.exists("/parent", false));
        assertNotNull("not expired yet", client.exists(later, false));
        client.delete(child, -1);
        client.delete("/used/child", -1);
        awaitGone(client, "/parent");
        awaitGone(client, "/used");
    }
}
