package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Requests that become longer than they came: no entry of the transaction log may be too long for its reader. */
public class TransactionLimitTest {
    private static final int NAME_CHARS = 10_000;

    /** Their paths together are longer than two times the default jute.maxbuffer. */
    private static final int EPHEMERALS = 230;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        client = ensemble.client(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 2);
        }
    }

    private void restart() throws Exception {
        for (int id = 1; id <= 2; id++) {
            ensemble.stop(id);
            ensemble.start(id);
            ensemble.awaitServing(id);
        }
    }

    @Test
    public void sessionWithManyLongEphemeralsEnds_theyAreGoneAndAllStartAgain() throws Exception {
        ZooKeeper owner = ensemble.client(2);
        CountDownLatch created = new CountDownLatch(EPHEMERALS);
        for (int i = 0; i < EPHEMERALS; i++) {
            owner.create(
                    "/" + i + "-" + "n".repeat(NAME_CHARS),
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.EPHEMERAL,
                    (rc, path, context, made) -> created.countDown(),
                    null);
        }
        assertTrue(created.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        String one = "/7-" + "n".repeat(NAME_CHARS);
        assertNotNull(client.exists(one, false));
        owner.close();
        assertNull(client.exists(one, false));
        client.create("/after", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        restart();
        ZooKeeper later = ensemble.client(1);
        assertEquals(
                List.of("after", "zookeeper"),
                later.getChildren("/", false).stream().sorted().toList());
    }

    @Test
    public void multiWhoseAccessListsGrow_isRefusedAndAllStartAgain() throws Exception {
        for (int i = 0; i < 50; i++) {
            client.addAuthInfo("digest", (i + "u".repeat(1000) + ":p").getBytes(StandardCharsets.UTF_8));
        }
        List<Op> creates = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            creates.add(Op.create("/c" + i, null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT));
        }
        assertEquals(
                Code.MARSHALLINGERROR,
                assertThrows(KeeperException.class, () -> client.multi(creates)).code());
        assertEquals(List.of("zookeeper"), client.getChildren("/", false));
        client.multi(creates.subList(0, 10));
        restart();
        assertTrue(ensemble.client(2).getChildren("/", false).contains("c0"));
    }

    @Test
    public void clientWithMoreIdentitiesThanACommandHasRoomFor_isRefused_itsSessionEnds() throws Exception {
        ZooKeeper crowd = ensemble.client(2);
        for (int i = 0; i < 5; i++) {
            crowd.addAuthInfo("digest", (i + "u".repeat(500_000) + ":p").getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(
                Code.MARSHALLINGERROR,
                assertThrows(
                                KeeperException.class,
                                () -> crowd.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
                        .code());
        assertNull(crowd.exists("/a", false));
        crowd.close();
        client.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        restart();
    }
}
