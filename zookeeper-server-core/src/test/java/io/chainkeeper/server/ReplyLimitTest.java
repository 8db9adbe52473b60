package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.server.connection.ClientConnections;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.request.RequestRouter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.slf4j.LoggerFactory;

/** Replies longer than jute.maxbuffer, for a client that takes them; and the bound on all of them. */
@RunWith(Parameterized.class)
public class ReplyLimitTest {
    private static final int LONG_NAME_CHARS = 10_000;
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;

    /** Together 20 MB, what go-zookeeper's own test asks for. */
    private static final int CHILDREN = 2_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Class<? extends ServerCnxnFactory> factory;
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private TestEnsemble ensemble;
    private ZooKeeper client;

    /** @param factory accepts the client's connection */
    public ReplyLimitTest(Class<? extends ServerCnxnFactory> factory) {
        this.factory = factory;
    }

    /** Both ways to serve clients. */
    @Parameters(name = "{0}")
    public static List<Class<? extends ServerCnxnFactory>> factories() {
        return List.of(NettyServerCnxnFactory.class, ClientConnections.class);
    }

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, factory.getName());
        log.start();
        packageLogger().addAppender(log);
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll();
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty("jute.maxbuffer", Integer.toString(64 << 20));
        CountDownLatch connected = new CountDownLatch(1);
        client = new ZooKeeper(
                "127.0.0.1:" + ensemble.clientPort(1), SESSION_TIMEOUT_MILLIS, event -> connected.countDown(), config);
        assertTrue(connected.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    private static Logger packageLogger() {
        return (Logger) LoggerFactory.getLogger(RequestRouter.class.getPackageName() + ".ReplyLimit");
    }

    @After
    public void stopEnsemble() throws Exception {
        packageLogger().detachAppender(log);
        client.close();
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
    }

    private void createChildren(CreateMode mode) throws Exception {
        client.create("/many", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        CountDownLatch created = new CountDownLatch(CHILDREN);
        for (int i = 0; i < CHILDREN; i++) {
            String name = i + "-" + "n".repeat(LONG_NAME_CHARS);
            client.create(
                    "/many/" + name,
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    mode,
                    (rc, path, context, made) -> created.countDown(),
                    null);
        }
        assertTrue(created.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    /** What fails here leaves session and connection as they were. */
    private void assertRefused(Code code, String line, ThrowingRunnable asked) throws Exception {
        long session = client.getSessionId();
        log.list.clear();
        assertEquals(code, assertThrows(KeeperException.class, asked).code());
        String said = log.list.get(0).getFormattedMessage();
        assertTrue(said, said.contains(line));
        assertEquals(session, client.getSessionId());
        assertTrue(client.getState().isConnected());
    }

    @Test
    public void twentyMegabytesOfNames_areSentAndTheMemoryIsGivenBack() throws Exception {
        createChildren(CreateMode.PERSISTENT);
        for (int i = 0; i < 3; i++) {
            assertEquals(CHILDREN, client.getChildren("/many", false).size());
            assertEquals(
                    CHILDREN, client.getChildren("/many", false, new Stat()).size());
        }
        TestEnsemble.await("no reply is counted any more", () -> used() == 0);
    }

    /** It has asked for everything and reads nothing: what the system has not taken yet is counted until it goes. */
    @Test
    public void clientGoesWithoutTakingItsReply_memoryIsGivenBack() throws Exception {
        createChildren(CreateMode.PERSISTENT);
        try (Socket slow = new Socket("127.0.0.1", ensemble.clientPort(1))) {
            slow.setSoLinger(true, 0);
            DataOutputStream out = new DataOutputStream(slow.getOutputStream());
            ByteBuffer session = ByteBuffer.allocate(45).putInt(0).putLong(0).putInt(SESSION_TIMEOUT_MILLIS);
            out.writeInt(session.capacity());
            out.write(session.putLong(0).putInt(16).array());
            DataInputStream in = new DataInputStream(slow.getInputStream());
            in.skipNBytes(in.readInt());
            byte[] path = "/many".getBytes(StandardCharsets.UTF_8);
            ByteBuffer children = ByteBuffer.allocate(3 * Integer.BYTES + path.length + 1);
            children.putInt(1).putInt(OpCode.getChildren).putInt(path.length).put(path);
            for (int i = 0; i < 2; i++) {
                out.writeInt(children.capacity());
                out.write(children.array());
            }
            TestEnsemble.await("the replies wait", () -> used() > CHILDREN * LONG_NAME_CHARS);
        }
        TestEnsemble.await("no reply is counted any more", () -> used() == 0);
    }

    private static long used() {
        return ReplyMemory.OF_PROCESS.gauges().get("long_reply_bytes").getAsLong();
    }

    @Test
    public void ephemeralsOfASession_areSent() throws Exception {
        createChildren(CreateMode.EPHEMERAL);
        assertEquals(CHILDREN, client.getEphemerals().size());
    }

    @Test
    public void memoryIsTaken_replyIsRefusedAndSentLater_shortOnesAreNot() throws Exception {
        createChildren(CreateMode.PERSISTENT);
        long taken = ReplyMemory.OF_PROCESS.maxBytes() - (10 << 20);
        ReplyMemory.OF_PROCESS.sent(taken);
        try {
            assertRefused(Code.THROTTLEDOP, "getChildren of /many ", () -> client.getChildren("/many", false));
            assertRefused(
                    Code.THROTTLEDOP, "multiRead of /many ", () -> client.multi(List.of(Op.getChildren("/many"))));
            assertEquals(CHILDREN, client.exists("/many", false).getNumChildren());
        } finally {
            ReplyMemory.OF_PROCESS.release(taken);
        }
        assertEquals(CHILDREN, client.getChildren("/many", false).size());
    }

    @Test
    public void replyLargerThanTheMemory_isRefusedByName() throws Exception {
        createChildren(CreateMode.PERSISTENT);
        int times = (int) (ReplyMemory.OF_PROCESS.maxBytes() / CHILDREN / LONG_NAME_CHARS) + 1;
        List<Op> reads = new ArrayList<>(Collections.nCopies(times, Op.getChildren("/many")));
        assertRefused(Code.MARSHALLINGERROR, "multiRead of /many ", () -> client.multi(reads));
    }

    @Test
    public void replyToAMultiIsLongerThanTheRequest_isSent() throws Exception {
        client.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<Op> writes = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            writes.add(Op.setData("/a", null, -1));
        }
        assertEquals(20_000, client.multi(writes).size());
        assertEquals(20_000, client.exists("/a", false).getVersion());
    }
}
