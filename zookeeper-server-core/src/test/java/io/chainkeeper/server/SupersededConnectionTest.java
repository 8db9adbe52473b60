package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.NettyServerCnxn;
import org.apache.zookeeper.server.ServerCnxn;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What an earlier connection of a session still has to propose when a later one is there. */
public class SupersededConnectionTest {
    private static final int TIMEOUT_MILLIS = 30_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private RawClient first;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3).startAll();
        ensemble.order().elect(1);
        first = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS);
        first.request(
                1, OpCode.create, new CreateRequest("/n", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT.toFlag()));
        assertEquals(0, first.reply().getErr());
    }

    @After
    public void stopEnsemble() throws Exception {
        first.close();
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 3);
        }
    }

    private void writeThatWaits() throws Exception {
        ensemble.order().room().lackForNextWrite();
        first.request(2, OpCode.setData, new SetDataRequest("/n", bytes("waited"), -1));
        ensemble.order().room().awaitWaiting();
    }

    private RawClient attach(int server) throws Exception {
        RawClient attached =
                new RawClient(ensemble.clientPort(server), TIMEOUT_MILLIS, first.sessionId(), first.password());
        assertEquals(first.sessionId(), attached.sessionId());
        return attached;
    }

    private static void write(RawClient client, int xid, String data) throws Exception {
        client.request(xid, OpCode.setData, new SetDataRequest("/n", bytes(data), -1));
        ReplyHeader reply = client.reply();
        assertEquals(xid, reply.getXid());
        assertEquals(0, reply.getErr());
    }

    private static byte[] bytes(String data) {
        return data.getBytes(StandardCharsets.UTF_8);
    }

    /** What waited would be executed by now. */
    private void assertLast(String data) throws Exception {
        first.closedByServer();
        ensemble.awaitEqualPositions();
        ZooKeeper reader = ensemble.client(2);
        reader.create("/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertArrayEquals(bytes(data), reader.getData("/n", false, null));
    }

    @Test
    public void sessionLeftAndCameBack_earlierWriteThatWaitedForRoomIsNotOrdered() throws Exception {
        writeThatWaits();
        try (RawClient moved = attach(1)) {
            write(moved, 3, "moved");
            try (RawClient back = attach(2)) {
                write(back, 4, "back");
                ensemble.order().room().make();
                assertLast("back");
            }
        }
    }

    @Test
    public void sessionOnNewConnection_earlierWriteThatWaitedForRoomIsNotOrdered() throws Exception {
        writeThatWaits();
        try (RawClient again = attach(2)) {
            write(again, 3, "again");
            ensemble.order().room().make();
            assertLast("again");
        }
    }

    /** ZooKeeper closes the earlier one on the thread of the later one, while its own thread may still be proposing. */
    @Test
    public void earlierConnectionIsNotClosedYet_itsWriteThatWaitedForRoomIsNotOrdered() throws Exception {
        writeThatWaits();
        try (RawClient again = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS)) {
            takeOver(again);
            write(again, 3, "again");
            ensemble.order().room().make();
            assertLast("again");
        }
    }

    /** The first client's session goes to a connection of the same server, past what closes the first one's. */
    private void takeOver(RawClient other) throws Exception {
        OrderedZooKeeperServer server = ensemble.server(2);
        for (ServerCnxn connection : server.getServerCnxnFactory().getConnections()) {
            if (connection.getSessionId() == other.sessionId()) {
                ((NettyServerCnxn) connection).setSessionId(first.sessionId());
                server.reopenSession(connection, first.sessionId(), first.password(), TIMEOUT_MILLIS);
                other.reply(); // says that the session is there
                return;
            }
        }
        throw new AssertionError("server 2 has no connection of session " + other.sessionId());
    }

    @Test
    public void sessionIsElsewhere_earlierWriteThatWaitedForRoomIsRefused() throws Exception {
        writeThatWaits();
        try (RawClient moved = attach(1)) {
            write(moved, 3, "moved");
            ensemble.order().room().make();
            assertLast("moved");
        }
    }
}
