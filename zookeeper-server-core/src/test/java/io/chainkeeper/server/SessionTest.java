package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Sessions across replicas: moves, expiry, silent and returning members. */
public class SessionTest {
    /** The client falls silent at once, but its first requests must have been executed by then. */
    private static final int TIMEOUT_MILLIS = 3_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3).startAll();
        ensemble.order().elect(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 3);
        }
    }

    private static void createEphemeral(RawClient client, int xid, String path) throws Exception {
        client.request(
                xid, OpCode.create, new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL.toFlag()));
        ReplyHeader reply = client.reply();
        assertEquals(xid, reply.getXid());
        assertEquals(0, reply.getErr());
    }

    private void awaitGone(ZooKeeper observer, String path) throws Exception {
        CountDownLatch deleted = new CountDownLatch(1);
        if (observer.exists(path, event -> deleted.countDown()) != null) {
            assertTrue(path + " is still there", deleted.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
    }

    /** A replica that has yet to execute a session's end may only then close who attaches it, without an answer. */
    private void awaitEndedEverywhere() throws Exception {
        ensemble.awaitEqualPositions();
    }

    @Test
    public void sessionMovesToOtherReplica_keepsIdAndEphemerals() throws Exception {
        ZooKeeper client = ensemble.client(ensemble.address(1), 10_000);
        long sessionId = client.getSessionId();
        client.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        client.updateServerList(ensemble.address(2));
        TestEnsemble.await(
                "replica 2 owns the session",
                () -> ensemble.server(2).getSessionTracker().getSessionExpiryMap().values().stream()
                        .anyMatch(ids -> ids.contains(sessionId)));
        client.setData("/e", new byte[] {1}, -1);
        assertEquals(sessionId, client.getSessionId());
        assertNotNull(ensemble.client(3).exists("/e", false));
        // Replica 1 may be the last one to execute it.
        ensemble.awaitEqualPositions();
        assertFalse(ensemble.server(1).getSessionTracker().getSessionExpiryMap().values().stream()
                .anyMatch(ids -> ids.contains(sessionId)));
    }

    @Test
    public void sessionAttachedElsewhere_oldConnectionIsClosed() throws Exception {
        RawClient old = new RawClient(ensemble.clientPort(1), 10_000);
        RawClient moved = new RawClient(ensemble.clientPort(2), 10_000, old.sessionId(), old.password());
        assertEquals(old.sessionId(), moved.sessionId());
        assertTrue(old.closedByServer());
        createEphemeral(moved, 1, "/moved");
        moved.close();
        old.close();
    }

    @Test
    public void attachWithWrongPasswordOrUnknownSession_isRefused() throws Exception {
        RawClient client = new RawClient(ensemble.clientPort(1), 10_000);
        RawClient thief = new RawClient(ensemble.clientPort(2), 10_000, client.sessionId(), new byte[16]);
        assertEquals(0, thief.sessionId());
        createEphemeral(client, 1, "/mine");
        client.request(2, OpCode.closeSession, null);
        assertEquals(0, client.reply().getErr());
        awaitEndedEverywhere();
        RawClient late = new RawClient(ensemble.clientPort(3), 10_000, client.sessionId(), client.password());
        assertEquals(0, late.sessionId());
        client.close();
        thief.close();
        late.close();
    }

    @Test
    public void silentClient_expiresAndItsEphemeralsVanish() throws Exception {
        RawClient silent = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS);
        createEphemeral(silent, 1, "/silent");
        awaitGone(ensemble.client(3), "/silent");
        awaitEndedEverywhere();
        RawClient late = new RawClient(ensemble.clientPort(1), 10_000, silent.sessionId(), silent.password());
        assertEquals(0, late.sessionId());
        assertTrue(silent.closedByServer());
        silent.close();
        late.close();
    }

    @Test
    public void ownerIsSilent_manageExpiresSessionsThatNobodyAttaches() throws Exception {
        RawClient lost = new RawClient(ensemble.clientPort(3), TIMEOUT_MILLIS);
        RawClient attached = new RawClient(ensemble.clientPort(3), 10_000);
        createEphemeral(lost, 1, "/lost");
        createEphemeral(attached, 1, "/attached");
        ensemble.order().setCutOff(3, true);
        RawClient moved = new RawClient(ensemble.clientPort(2), 10_000, attached.sessionId(), attached.password());
        assertEquals(attached.sessionId(), moved.sessionId());
        ZooKeeper observer = ensemble.client(2);
        awaitGone(observer, "/lost");
        assertNotNull(observer.exists("/attached", false));
        ensemble.order().setCutOff(3, false);
        ensemble.awaitServing(3);
        assertNull(ensemble.client(3).exists("/lost", false));
        assertNotNull(ensemble.client(3).exists("/attached", false));
        lost.close();
        attached.close();
        moved.close();
    }

    @Test
    public void replicaWithoutLeader_closesItsClientsUntilItIsBack() throws Exception {
        RawClient client = new RawClient(ensemble.clientPort(3), 10_000);
        createEphemeral(client, 1, "/kept");
        ensemble.order().setCutOff(3, true);
        assertTrue(client.closedByServer());
        TestEnsemble.await("replica 3 stops serving", () -> !ensemble.server(3).isServing());
        ensemble.order().setCutOff(3, false);
        ensemble.awaitServing(3);
        RawClient back = new RawClient(ensemble.clientPort(3), 10_000, client.sessionId(), client.password());
        assertEquals(client.sessionId(), back.sessionId());
        client.close();
        back.close();
    }

    @Test
    public void linearizableReadDuringIsolation_isNeverAnsweredWithOldData() throws Exception {
        ZooKeeper writer = ensemble.client(1);
        writer.create("/r", new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        RawClient reader = new RawClient(ensemble.clientPort(3), 10_000);
        ensemble.order().setCutOff(3, true);
        writer.setData("/r", new byte[] {2}, -1);
        reader.request(1, OpCode.getData, new GetDataRequest("/r", false));
        assertTrue("answered although cut off", reader.closedByServer());
        ensemble.order().setCutOff(3, false);
        ensemble.awaitServing(3);
        reader.close();
    }

    @Test
    public void malformedRequests_areAnsweredInOrderAndLeaveNoTrace() throws Exception {
        ZooKeeper observer = ensemble.client(2);
        observer.create("/m", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        RawClient client = new RawClient(ensemble.clientPort(1), 10_000);
        long zxid = observer.exists("/m", false).getCzxid();
        client.request(1, OpCode.setData, new SetDataRequest("/m", new byte[] {1}, -1));
        client.requestBytes(2, OpCode.setData, new byte[] {0, 0, 1});
        client.requestBytes(3, OpCode.multi, new byte[] {9, 9, 9, 9, 9});
        client.request(4, OpCode.setData, new SetDataRequest("/m", new byte[] {2}, -1));
        client.request(5, OpCode.getData, new GetDataRequest("/m", false));
        int[] errors = {0, Code.MARSHALLINGERROR.intValue(), Code.MARSHALLINGERROR.intValue(), 0, 0};
        for (int xid = 1; xid <= 5; xid++) {
            ReplyHeader reply = client.reply();
            assertEquals(xid, reply.getXid());
            assertEquals(errors[xid - 1], reply.getErr());
        }
        // One createSession and two writes since.
        assertEquals(zxid + 3, observer.exists("/m", false).getMzxid());
        client.close();
    }

    @Test
    public void clientThatAsksToDeleteContainer_isCutOff() throws Exception {
        ensemble.client(2).create("/c", null, Ids.READ_ACL_UNSAFE, CreateMode.CONTAINER);
        RawClient client = new RawClient(ensemble.clientPort(1), 10_000);
        client.request(1, OpCode.deleteContainer, new org.apache.zookeeper.txn.DeleteTxn("/c"));
        assertTrue(client.closedByServer());
        assertNotNull(ensemble.client(3).exists("/c", false));
        client.close();
    }

    @Test
    public void sessionIdsOfAllReplicas_differAlsoAfterARestart() throws Exception {
        Set<Long> ids = new HashSet<>();
        for (int round = 0; round < 2; round++) {
            for (int id = 1; id <= 3; id++) {
                RawClient client = new RawClient(ensemble.clientPort(id), 10_000);
                assertNotEquals(0, client.sessionId());
                assertTrue(ids.add(client.sessionId()));
                client.close();
            }
            ensemble.stop(3);
            ensemble.start(3);
            ensemble.awaitServing(3);
        }
    }
}
