package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.BlueThrottle;
import org.apache.zookeeper.server.RequestThrottler;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** ZooKeeper's throttles of connections and requests, which can be set while the server runs. */
public class ThrottleTest {
    private static final int REQUESTS = 200;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 3).startAll();
    }

    @After
    public void removeLimits() {
        RequestThrottler.setMaxRequests(0);
        ZooKeeperServer.setThrottledOpWaitTime(0);
        ensemble.server(2).connThrottle().setMaxTokens(0);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    /** A client of the first server, and a node that is made before any limit holds. */
    private static ZooKeeper clientWith(String parent) throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.create(parent, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        return client;
    }

    /** Sends creates and reads by turns without waiting; returns the codes of the creates in the order of arrival. */
    private static List<Integer> sendMany(ZooKeeper client, String parent) throws Exception {
        List<Integer> codes = Collections.synchronizedList(new ArrayList<>());
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger answers = new AtomicInteger();
        for (int i = 0; i < REQUESTS; i++) {
            int number = i;
            client.create(
                    parent + "/" + i,
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (code, path, context, name) -> {
                        codes.add(code);
                        order.add(number);
                        answers.incrementAndGet();
                    },
                    null);
            client.exists(parent, false, (code, path, context, stat) -> answers.incrementAndGet(), null);
        }
        TestEnsemble.await("all requests are answered", () -> answers.get() == 2 * REQUESTS);
        assertEquals("answered in order", order.stream().sorted().toList(), List.copyOf(order));
        return codes;
    }

    @Test
    public void requestsBeyondTheLimit_waitAndKeepTheirOrder() throws Exception {
        ZooKeeper client = clientWith("/waits");
        RequestThrottler.setMaxRequests(1);
        RequestThrottler.setStallTime(1);
        List<Integer> codes = sendMany(client, "/waits");
        assertEquals(Collections.nCopies(REQUESTS, Code.OK.intValue()), codes);
    }

    @Test
    public void requestsThatWaitedTooLong_areRefusedAndNotExecuted() throws Exception {
        ZooKeeper client = clientWith("/refused");
        RequestThrottler.setMaxRequests(1);
        RequestThrottler.setStallTime(1);
        ZooKeeperServer.setThrottledOpWaitTime(2);
        List<Integer> codes = sendMany(client, "/refused");
        RequestThrottler.setMaxRequests(0);
        ZooKeeperServer.setThrottledOpWaitTime(0);
        long refused = codes.stream()
                .filter(code -> code == Code.THROTTLEDOP.intValue())
                .count();
        long done = codes.stream().filter(code -> code == Code.OK.intValue()).count();
        assertEquals(REQUESTS, refused + done);
        assertTrue("some had to wait too long", refused > 0);
        assertEquals(done, client.getChildren("/refused", false).size());
    }

    @Test
    public void largeRequests_areLimitedTogetherAndForgottenWhenAnswered() throws Exception {
        ZooKeeperServer server = ensemble.server(1);
        server.setLargeRequestMaxBytes(3_000);
        server.setLargeRequestThreshold(1_000);
        try (RawClient refused = new RawClient(ensemble.clientPort(1), 10_000)) {
            refused.request(1, OpCode.setData, new SetDataRequest("/", new byte[4_000], -1));
            assertThrows(IOException.class, refused::reply);
        }
        ZooKeeper client = ensemble.client(1);
        for (int i = 0; i < 10; i++) {
            client.setData("/", new byte[2_000], i);
            client.create("/small" + i, new byte[500], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        TestEnsemble.await("no large request is counted any more", () -> server.getLargeRequestBytes() == 0);
        server.setLargeRequestThreshold(-1);
        client.setData("/", new byte[4_000], 10);
    }

    private static BlueThrottle twoTokensLeft() {
        BlueThrottle throttle = ensemble.server(2).connThrottle();
        throttle.setFillTime(60_000);
        throttle.setMaxTokens(throttle.getDeficit() + 2);
        return throttle;
    }

    @Test
    public void wrongPasswords_takeTokensToo() throws Exception {
        twoTokensLeft();
        for (int i = 0; i < 2; i++) {
            try (RawClient guess = new RawClient(ensemble.clientPort(2), 4_000, 4711, new byte[16])) {
                assertEquals("refused with an answer", 0, guess.sessionId());
            }
        }
        assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(2), 4_000, 4711, new byte[16]));
    }

    @Test
    public void connectionsWithoutATokenLeft_areRefused() throws Exception {
        BlueThrottle throttle = twoTokensLeft();
        List<RawClient> open = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            open.add(new RawClient(ensemble.clientPort(2), 4_000));
        }
        assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(2), 4_000));
        throttle.setMaxTokens(0);
        open.add(new RawClient(ensemble.clientPort(2), 4_000));
        for (RawClient client : open) {
            client.close();
        }
    }
}
