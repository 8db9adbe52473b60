package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.EphemeralOnLocalSessionException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.server.SessionTracker;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code localSessionsEnabled}: sessions that only their server knows, until they make an ephemeral node. */
public class LocalSessionTest {
    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        Map<String, String> settings = Map.of("localSessionsEnabled", "true", "localSessionsUpgradingEnabled", "true");
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, settings).startAll();
        ensemble.order().elect(1);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @After
    public void replicasAreEqual() throws Exception {
        ensemble.closeClients();
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    private static long globalSessions() throws Exception {
        ensemble.awaitEqualPositions();
        return ensemble.server(3).getZKDatabase().getSessionCount();
    }

    private static boolean isLocal(int id, ZooKeeper client) {
        return ensemble.server(id).isLocalSession(client.getSessionId());
    }

    @Test
    public void clientsThatMakeNoEphemerals_areKnownToTheirServerOnly() throws Exception {
        ZooKeeper one = ensemble.client(1);
        ZooKeeper two = ensemble.client(2);
        one.create("/a", new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        CountDownLatch fired = new CountDownLatch(1);
        two.getData("/a", event -> fired.countDown(), null);
        one.setData("/a", new byte[] {2}, 0);
        assertTrue(fired.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(
                "/a/b-0000000000", two.create("/a/b-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL));
        two.multi(List.of(Op.check("/a", 1), Op.delete("/a/b-0000000000", -1)));
        assertThrows(NoNodeException.class, () -> two.delete("/a/b-0000000000", -1));
        assertEquals(0, globalSessions());
        assertTrue(isLocal(1, one) && isLocal(2, two) && !isLocal(1, two));
        String dump = FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(1), "dump");
        assertTrue(dump, dump.contains("Local Sessions(1):\n0x" + Long.toHexString(one.getSessionId())));
        String mntr = FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(1), "mntr");
        assertTrue(mntr, mntr.contains("zk_global_sessions\t0\n"));
        one.close();
        assertFalse("its end is known at once", isLocal(1, one));
    }

    @Test
    public void ephemeralNode_makesTheSessionGlobalWithItsIdAndPassword() throws Exception {
        ZooKeeper client = ensemble.client(1);
        long id = client.getSessionId();
        assertTrue(isLocal(1, client));
        client.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        assertFalse(isLocal(1, client));
        assertEquals(1, globalSessions());
        ZooKeeper moved = ensemble.clientOf(ensemble.address(2), 10_000, id, client.getSessionPasswd());
        assertEquals(id, moved.getSessionId());
        assertEquals(id, moved.exists("/e", false).getEphemeralOwner());
        moved.close();
        TestEnsemble.await(
                "the ephemeral node is gone",
                () -> ensemble.server(3).getZKDatabase().getNode("/e") == null);
        assertEquals(0, globalSessions());
    }

    @Test
    public void pipelinedEphemerals_areOneUpgradeAndKeepTheirOrder() throws Exception {
        ZooKeeper client = ensemble.client(2);
        CountDownLatch done = new CountDownLatch(20);
        StringBuffer errors = new StringBuffer();
        for (int i = 0; i < 20; i++) {
            CreateMode mode = i % 3 == 0 ? CreateMode.PERSISTENT : CreateMode.EPHEMERAL_SEQUENTIAL;
            client.create(
                    "/p" + i,
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    mode,
                    (rc, path, context, created) -> {
                        errors.append(rc == 0 ? "" : path + " " + rc);
                        done.countDown();
                    },
                    null);
        }
        assertTrue(done.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals("", errors.toString());
        assertEquals(1, globalSessions());
    }

    @Test
    public void multiWithAnEphemeral_upgradesToo() throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.multi(List.of(
                Op.create("/m", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.create("/m-e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL)));
        assertEquals(client.getSessionId(), client.exists("/m-e", false).getEphemeralOwner());
        assertEquals(1, globalSessions());
    }

    @Test
    public void upgradingIsOff_ephemeralsAreRefusedAndTheSessionGoesOn() throws Exception {
        ensemble.peer(1).enableLocalSessionsUpgrading(false);
        try {
            ZooKeeper client = ensemble.client(1);
            assertThrows(
                    EphemeralOnLocalSessionException.class,
                    () -> client.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL));
            client.create("/off", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertTrue(isLocal(1, client));
            assertEquals(0, globalSessions());
        } finally {
            ensemble.peer(1).enableLocalSessionsUpgrading(true);
        }
    }

    @Test
    public void reconnectToTheSameServer_goesOn_butNotToAnother() throws Exception {
        RawClient first = new RawClient(ensemble.clientPort(1), 10_000);
        RawClient again = new RawClient(ensemble.clientPort(1), 10_000, first.sessionId(), first.password());
        assertEquals(first.sessionId(), again.sessionId());
        assertTrue(first.closedByServer());
        RawClient elsewhere = new RawClient(ensemble.clientPort(2), 10_000, first.sessionId(), first.password());
        assertEquals(0, elsewhere.sessionId());
        again.request(1, OpCode.create, new CreateRequest("/again", null, Ids.OPEN_ACL_UNSAFE, 0));
        assertEquals(0, again.reply().getErr());
        again.close();
        first.close();
        elsewhere.close();
    }

    @Test
    public void silentClient_expiresAtItsServer() throws Exception {
        RawClient silent = new RawClient(ensemble.clientPort(1), 2 * TestEnsemble.TICK_MILLIS);
        assertNotEquals(0, silent.sessionId());
        assertTrue(silent.closedByServer());
        assertFalse(ensemble.server(1).isLocalSession(silent.sessionId()));
        silent.close();
    }

    /** Else a start after this one could choose the id of a client that is still there. */
    @Test
    public void idAheadOfTheOrder_makesAnOrdinarySession() throws Exception {
        ensemble.stop(2);
        ensemble.start(2);
        ensemble.awaitServing(2);
        ensemble.awaitEqualPositions();
        SessionTracker sessions = ensemble.server(2).getSessionTracker();
        long before = globalSessions();
        int given = 0;
        while (ensemble.server(2).isLocalSession(sessions.createSession(60_000))) {
            assertTrue("the ids do not get ahead", ++given <= 1 << 16);
        }
        ZooKeeper client = ensemble.client(2);
        assertFalse(isLocal(2, client));
        client.create("/ordinary", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(before + 1, globalSessions());
        assertTrue("the order has caught up", isLocal(2, ensemble.client(2)));
        client.close();
        assertEquals(before, globalSessions());
    }

    @Test
    public void serverRestarts_itsLocalSessionsAreGone() throws Exception {
        ZooKeeper client = ensemble.client(3);
        client.create("/restart", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.stop(3);
        ensemble.start(3);
        ensemble.awaitServing(3);
        TestEnsemble.await("the client knows that it has expired", () -> client.getState() == States.CLOSED);
        assertTrue(ensemble.client(3).exists("/restart", false) != null);
    }
}
