package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.BlueThrottle;
import org.apache.zookeeper.server.RequestThrottler;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** ZooKeeper's throttles of requests and connections. */
public class ThrottleTest {
    private static final int REQUESTS = 200;
    private static final int MAX_CONNECTIONS = 5;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        Map<String, String> settings = Map.of("maxClientCnxns", Integer.toString(MAX_CONNECTIONS));
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 2, ReadConsistency.LINEARIZABLE, settings).startAll();
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @After
    public void switchOff() throws Exception {
        RequestThrottler.setMaxRequests(0);
        ensemble.server(1).connThrottle().setMaxTokens(0);
        ensemble.closeClients();
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test(timeout = 120_000)
    public void requestsAreThrottled_allAreAnsweredInOrder() throws Exception {
        RequestThrottler.setMaxRequests(2);
        ZooKeeper client = ensemble.client(1);
        client.create("/t", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<String> answers = Collections.synchronizedList(new ArrayList<>());
        List<String> expected = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(REQUESTS);
        for (int i = 0; i < REQUESTS / 2; i++) {
            client.setData(
                    "/t",
                    new byte[] {(byte) i},
                    i,
                    (rc, path, context, stat) -> {
                        answers.add(rc + " version " + stat.getVersion());
                        done.countDown();
                    },
                    null);
            client.getData(
                    "/t",
                    false,
                    (rc, path, context, data, stat) -> {
                        answers.add(rc + " data " + data[0]);
                        done.countDown();
                    },
                    null);
            expected.add("0 version " + (i + 1));
            expected.add("0 data " + i);
        }
        done.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertEquals(expected, answers);
    }

    @Test(timeout = 120_000)
    public void connectionsAreThrottled_thoseTooManyAreClosedUntilItIsOver() throws Exception {
        BlueThrottle throttle = ensemble.server(1).connThrottle();
        throttle.setFillTime(Integer.MAX_VALUE);
        throttle.setMaxTokens(1);
        try (RawClient first = new RawClient(ensemble.clientPort(1), 10_000)) {
            assertNotEquals(0, first.sessionId());
            assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(1), 10_000));
            throttle.setMaxTokens(0);
            try (RawClient later = new RawClient(ensemble.clientPort(1), 10_000)) {
                assertNotEquals(0, later.sessionId());
            }
        }
    }

    @Test(timeout = 120_000)
    public void tooManyConnectionsOfOneAddress_furtherOnesAreClosed() throws Exception {
        List<RawClient> open = new ArrayList<>();
        try {
            for (int i = 0; i < MAX_CONNECTIONS; i++) {
                open.add(new RawClient(ensemble.clientPort(2), 10_000));
            }
            assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(2), 10_000));
        } finally {
            for (RawClient client : open) {
                client.close();
            }
        }
    }
}
