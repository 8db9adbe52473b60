package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.server.request.RequestGate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

/** Replies that a client with the same jute.maxbuffer could not take in. */
public class ReplyLimitTest {
    private static final int LONG_NAME_CHARS = 10_000;
    private static final int CHILDREN = 110;
    private static final int HALF_OF_THE_LIMIT = 500_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        log.start();
        packageLogger().addAppender(log);
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll();
        client = ensemble.client(1);
    }

    private static Logger packageLogger() {
        return (Logger) LoggerFactory.getLogger(RequestGate.class.getPackageName() + ".ReplyLimit");
    }

    @After
    public void stopEnsemble() throws Exception {
        packageLogger().detachAppender(log);
        ensemble.close();
    }

    /** What fails here leaves session and connection as they were. */
    private void assertRefused(String path, String operation, ThrowingRunnable asked) throws Exception {
        long session = client.getSessionId();
        log.list.clear();
        assertEquals(
                Code.MARSHALLINGERROR,
                assertThrows(KeeperException.class, asked).code());
        String line = log.list.get(0).getFormattedMessage();
        assertTrue(line, line.contains(operation + " of " + path + " "));
        assertTrue(line, line.contains("jute.maxbuffer is 1048575"));
        assertEquals(session, client.getSessionId());
        assertTrue(client.getState().isConnected());
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

    @Test
    public void childrenDoNotFit_errorNamesPathAndLimitAndTheConnectionStays() throws Exception {
        createChildren(CreateMode.PERSISTENT);
        assertRefused("/many", "getChildren", () -> client.getChildren("/many", false));
        assertRefused("/many", "getChildren2", () -> client.getChildren("/many", false, new Stat()));
        assertRefused("/many", "multiRead", () -> client.multi(List.of(Op.getChildren("/many"))));
        assertEquals(CHILDREN, client.exists("/many", false).getNumChildren());
        for (int i = 0; i < CHILDREN / 10; i++) {
            client.delete("/many/" + i + "-" + "n".repeat(LONG_NAME_CHARS), -1);
        }
        assertEquals(
                CHILDREN - CHILDREN / 10, client.getChildren("/many", false).size());
    }

    @Test
    public void ephemeralsDoNotFit_errorButNotForThoseBelowAPath() throws Exception {
        createChildren(CreateMode.EPHEMERAL);
        assertRefused("/", "getEphemerals", () -> client.getEphemerals());
        assertEquals(11, client.getEphemerals("/many/10").size());
    }

    @Test
    public void severalReadsDoNotFitTogether_eachAloneDoes() throws Exception {
        byte[] data = new byte[HALF_OF_THE_LIMIT];
        List<Op> reads = new ArrayList<>();
        for (String path : List.of("/a", "/b", "/c")) {
            client.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            reads.add(Op.getData(path));
        }
        assertRefused("/a", "multiRead", () -> client.multi(reads));
        List<OpResult> two = client.multi(reads.subList(0, 2));
        assertEquals(HALF_OF_THE_LIMIT, ((OpResult.GetDataResult) two.get(1)).getData().length);
    }

    @Test
    public void dataFitsButNotWithItsStat_errorAndNoWatch() throws Exception {
        client.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        // The request still fits: it has no Stat.
        client.setData("/a", new byte[1_048_575 - 40], -1);
        boolean[] fired = new boolean[1];
        assertRefused("/a", "getData", () -> client.getData("/a", event -> fired[0] = true, null));
        client.setData("/a", new byte[1_048_575 - 88], -1);
        assertEquals(1_048_575 - 88, client.getData("/a", false, null).length);
        assertFalse(fired[0]);
    }

    @Test
    public void replyToAMultiDoesNotFit_nothingIsExecuted() throws Exception {
        client.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<Op> writes = new ArrayList<>();
        for (int i = 0; i < 14_000; i++) {
            writes.add(Op.setData("/a", null, -1));
        }
        writes.add(Op.create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        assertRefused("/a", "multi", () -> client.multi(writes));
        assertEquals(0, client.exists("/a", false).getVersion());
        assertNull(client.exists("/b", false));
        assertEquals(10_000, client.multi(writes.subList(0, 10_000)).size());
    }
}
