package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.apache.zookeeper.ClientCnxn;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Pings are answered although requests of the same connection wait. */
public class PingTest {
    private static final int ROUNDS = 50;
    private static final int SESSION_TIMEOUT_MILLIS = 20_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private RawClient client;

    @Before
    public void connect() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll();
        client = new RawClient(ensemble.clientPort(1), SESSION_TIMEOUT_MILLIS);
    }

    @After
    public void close() throws Exception {
        client.close();
        ensemble.close();
    }

    /**
     * Clients note the zxid of a reply, some of them that of a ping's too, and after a reconnect ask for events later
     * than it only.
     */
    @Test(timeout = 120_000)
    public void pingThatOvertakesAnAnswer_namesNoZxid() throws Exception {
        for (int xid = 1; xid <= ROUNDS; xid++) {
            client.request(xid, OpCode.setData, new SetDataRequest("/", new byte[0], -1));
            client.request(ClientCnxn.PING_XID, OpCode.ping, null);
            ReplyHeader first = client.reply();
            ReplyHeader second = client.reply();
            boolean overtaken = first.getXid() == ClientCnxn.PING_XID;
            ReplyHeader answer = overtaken ? second : first;
            ReplyHeader ping = overtaken ? first : second;
            assertEquals(xid, answer.getXid());
            assertEquals(ClientCnxn.PING_XID, ping.getXid());
            assertTrue(overtaken ? ping.getZxid() == 0 : ping.getZxid() == 0 || ping.getZxid() >= answer.getZxid());
        }
        client.request(ClientCnxn.PING_XID, OpCode.ping, null);
        assertTrue(client.reply().getZxid() > 0);
    }
}
