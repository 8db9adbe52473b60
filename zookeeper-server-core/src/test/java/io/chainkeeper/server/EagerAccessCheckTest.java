package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code zookeeper.enableEagerACLCheck}: what a client has no right to is refused before it is ordered. */
public class EagerAccessCheckTest {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int LARGE_BYTES = 1_000;
    private static final String CLOSED = "/closed";
    private static final List<ACL> UNKNOWN_SCHEME = List.of(new ACL(31, new Id("no-such-scheme", "anyone")));

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    private int xid;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 2).startAll();
        ensemble.client(1).create(CLOSED, null, Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.client(1).create(CLOSED + "-for-children", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @Before
    public void checkEarly() {
        ZooKeeperServer.setEnableEagerACLCheck(true);
        ensemble.server(1).setLargeRequestThreshold(LARGE_BYTES);
    }

    @After
    public void checkLate() {
        ensemble.server(1).setLargeRequestThreshold(-1);
        ZooKeeperServer.setEnableEagerACLCheck(false);
    }

    private static byte[] large() {
        return new byte[2 * LARGE_BYTES];
    }

    /** Sends a read, which waits for its barrier, and a write right behind it; returns the answer to the write. */
    private Code answerBehindARead(RawClient client, int opcode, Record write) throws Exception {
        byte[] read = RawClient.frame(xid + 1, OpCode.getData, new GetDataRequest("/", false));
        byte[] refused = RawClient.frame(xid + 2, opcode, write);
        byte[] both = new byte[read.length + refused.length];
        System.arraycopy(read, 0, both, 0, read.length);
        System.arraycopy(refused, 0, both, read.length, refused.length);
        client.frames(both);
        assertEquals("the read is answered first", ++xid, client.reply().getXid());
        ReplyHeader answer = client.reply();
        assertEquals("the write is answered behind it", ++xid, answer.getXid());
        return Code.get(answer.getErr());
    }

    @Test(timeout = 120_000)
    public void refusedWrites_areAnsweredInTurnAndNotOrdered() throws Exception {
        try (RawClient client = new RawClient(ensemble.clientPort(1), TIMEOUT_MILLIS)) {
            ensemble.awaitEqualPositions();
            long ordered = ensemble.order().lastPosition();
            String child = CLOSED + "/child";
            assertEquals(
                    Code.NOAUTH, answerBehindARead(client, OpCode.setData, new SetDataRequest(CLOSED, large(), -1)));
            for (int create : new int[] {OpCode.create, OpCode.create2}) {
                assertEquals(
                        Code.NOAUTH,
                        answerBehindARead(client, create, new CreateRequest(child, large(), Ids.OPEN_ACL_UNSAFE, 0)));
                assertEquals(
                        Code.INVALIDACL,
                        answerBehindARead(client, create, new CreateRequest("/invalid", large(), UNKNOWN_SCHEME, 0)));
            }
            assertEquals(Code.NOAUTH, answerBehindARead(client, OpCode.delete, new DeleteRequest(child, -1)));
            assertEquals(
                    Code.NOAUTH,
                    answerBehindARead(client, OpCode.setACL, new SetACLRequest(CLOSED, Ids.OPEN_ACL_UNSAFE, -1)));
            assertEquals(
                    Code.INVALIDACL,
                    answerBehindARead(client, OpCode.setACL, new SetACLRequest(CLOSED, List.of(), -1)));
            assertEquals("none has been ordered", ordered, ensemble.order().lastPosition());
            assertEquals(
                    "none counts as a large request any more",
                    0,
                    ensemble.server(1).getLargeRequestBytes());
        }
    }

    /** Whether a node exists, and what a path means, is for the order to say. */
    @Test(timeout = 120_000)
    public void writesThatTheCheckCannotJudge_areOrdered() throws Exception {
        try (RawClient client = new RawClient(ensemble.clientPort(1), TIMEOUT_MILLIS)) {
            assertEquals(Code.NONODE, answerBehindARead(client, OpCode.setData, new SetDataRequest("/none", null, -1)));
            assertEquals(
                    Code.BADARGUMENTS,
                    answerBehindARead(client, OpCode.create, new CreateRequest("a", null, Ids.OPEN_ACL_UNSAFE, 0)));
            assertEquals(
                    Code.OK,
                    answerBehindARead(
                            client,
                            OpCode.create,
                            new CreateRequest(CLOSED + "-for-children/a", null, Ids.OPEN_ACL_UNSAFE, 0)));
            assertEquals(
                    Code.OK,
                    answerBehindARead(client, OpCode.delete, new DeleteRequest(CLOSED + "-for-children/a", -1)));
            assertEquals(
                    Code.MARSHALLINGERROR,
                    answerBehindARead(client, OpCode.create, new CreateRequest(null, null, Ids.OPEN_ACL_UNSAFE, 0)));
        }
    }
}
