package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Requests behind a {@code reconfig}, for which there is no room when their turn comes. */
public class HeldBackRequestsTest {
    private static final int TIMEOUT_MILLIS = 30_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private RawClient client;

    @Before
    public void askForAReconfigAndThreeWrites() throws Exception {
        ensemble = new TestEnsemble(
                folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of("reconfigEnabled", "true"));
        ensemble.startForReconfig(3);
        ensemble.client(1).create("/n", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS);
        ensemble.order().room().lackForNextWriteOf(OpCode.setData);
        client.request(1, OpCode.reconfig, new ReconfigRequest(null, "3", null, -1));
        for (int xid = 2; xid <= 4; xid++) {
            client.request(xid, OpCode.setData, new SetDataRequest("/n", new byte[xid], xid - 2));
        }
        ensemble.order().room().awaitWaiting();
    }

    @After
    public void stopEnsemble() throws Exception {
        client.close();
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    private void assertAnswered(int xid) throws Exception {
        ReplyHeader reply = client.reply();
        assertEquals(xid, reply.getXid());
        assertEquals(0, reply.getErr());
    }

    @Test
    public void noRoom_areTakenUpInTheirOrderWhenThereIsSome() throws Exception {
        assertAnswered(1);
        client.request(5, OpCode.setData, new SetDataRequest("/n", new byte[5], 3));
        ensemble.order().room().make();
        for (int xid = 2; xid <= 5; xid++) {
            assertAnswered(xid);
        }
    }

    @Test
    public void noRoomAndTheConnectionCloses_noneIsOrdered() throws Exception {
        assertAnswered(1);
        client.close();
        TestEnsemble.await(
                "the connection is closed",
                () -> ensemble.server(2).getServerCnxnFactory().getNumAliveConnections() == 0);
        ensemble.order().room().make();
        ZooKeeper later = ensemble.client(2);
        later.create("/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(0, later.exists("/n", false).getVersion());
    }

    @Test
    public void noRoomAndServingEnds_connectionIsClosedAndNoneIsOrdered() throws Exception {
        assertAnswered(1);
        ensemble.order().setCutOff(2, true);
        client.closedByServer();
        ensemble.order().setCutOff(2, false);
        ensemble.order().room().make();
        ensemble.awaitServing(2);
        ZooKeeper later = ensemble.client(2);
        later.create("/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(0, later.exists("/n", false).getVersion());
    }
}
