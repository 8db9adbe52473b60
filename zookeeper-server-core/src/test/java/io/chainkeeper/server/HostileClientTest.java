package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.connection.ClientConnections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.AfterParam;
import org.junit.runners.Parameterized.BeforeParam;
import org.junit.runners.Parameterized.Parameters;

/** Anything may reach the client port. Nothing of it may stop a replica, part the replicas or hurt another client. */
@RunWith(Parameterized.class)
public class HostileClientTest {
    private static final int ROUNDS = 200;
    private static final long SEED = 20261121;
    private static final byte[] KEPT = {1, 2, 3};

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    /** Both ways to serve a port. */
    @Parameters(name = "{0}")
    public static List<Class<?>> factories() {
        return List.of(ClientConnections.class, NettyServerCnxnFactory.class);
    }

    private static final AtomicReference<Throwable> DEFECT = new AtomicReference<>();
    private static Thread.UncaughtExceptionHandler handlerBefore;
    private static TestEnsemble ensemble;
    private ZooKeeper honest;
    private Stat before;

    public HostileClientTest(Class<?> factory) {
        assertEquals(factory.getName(), System.getProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY));
    }

    @BeforeParam
    public static void startEnsemble(Class<?> factory) throws Exception {
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> DEFECT.set(failure));
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, factory.getName());
        System.setProperty("zookeeper.enforceQuota", "true");
        System.setProperty(NIOServerCnxnFactory.ZOOKEEPER_NIO_SESSIONLESS_CNXN_TIMEOUT, "2000");
        ensemble = new TestEnsemble(FOLDER.newFolder().toPath(), 2, ReadConsistency.LINEARIZABLE, Map.of());
        ensemble.startAll();
    }

    @AfterParam
    public static void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
        System.clearProperty("zookeeper.enforceQuota");
        System.clearProperty(NIOServerCnxnFactory.ZOOKEEPER_NIO_SESSIONLESS_CNXN_TIMEOUT);
        Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
    }

    @Before
    public void openHonestSession() throws Exception {
        honest = ensemble.client(1);
        honest.addAuthInfo("digest", "honest:secret".getBytes());
        honest.create("/kept", KEPT, Ids.CREATOR_ALL_ACL, CreateMode.EPHEMERAL);
        before = honest.exists("/kept", false);
    }

    @After
    public void honestClientIsUnhurt() throws Exception {
        assertEquals(States.CONNECTED, honest.getState());
        Stat after = new Stat();
        assertArrayEquals(KEPT, honest.getData("/kept", false, after));
        assertEquals(before, after);
        honest.create("/works", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
        TestEnsemble.await("only the honest session is left", () -> sessions(1) == 1 && sessions(2) == 1);
        ensemble.closeClients();
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
        assertEquals(null, DEFECT.get());
    }

    private static long sessions(int id) {
        return ensemble.server(id).getZKDatabase().getSessionCount();
    }

    @Test(timeout = 120_000)
    public void bytesThatAreNoSession_areCutOff() throws Exception {
        Random random = new Random(SEED);
        HostileBytes bytes = new HostileBytes(random);
        for (int round = 0; round < ROUNDS; round++) {
            try (HostileClient client = new HostileClient(ensemble.clientPort(1))) {
                client.say(bytes.insteadOfASession());
                client.finish();
                client.awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void requestsOfAllKinds_areAnsweredOrTheConnectionIsClosed() throws Exception {
        Random random = new Random(SEED);
        HostileBytes bytes = new HostileBytes(random);
        for (int round = 0; round < ROUNDS / 2; round++) {
            try (HostileClient client = new HostileClient(ensemble.clientPort(1))) {
                client.openSession(2 * TestEnsemble.TICK_MILLIS);
                for (int request = random.nextInt(8); request >= 0; request--) {
                    client.sayFrame(bytes.request());
                }
                client.sayFrame(HostileBytes.header(99, OpCode.closeSession));
                // One request without an answer would keep the last one waiting.
                client.awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void announcedLengthOutOfRange_closesTheConnectionAtOnce() throws Exception {
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0xfffff + 1, -2}) {
            try (HostileClient client = new HostileClient(ensemble.clientPort(1))) {
                client.sayInt(length);
                client.awaitClosed();
            }
            try (HostileClient client = new HostileClient(ensemble.clientPort(1))) {
                client.openSession(2 * TestEnsemble.TICK_MILLIS);
                client.sayInt(length);
                client.awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void connectionThatAsksForNoSession_isClosedAfterAWhile() throws Exception {
        try (HostileClient silent = new HostileClient(ensemble.clientPort(1));
                HostileClient slow = new HostileClient(ensemble.clientPort(1))) {
            slow.sayInt(44);
            silent.awaitClosed();
            slow.awaitClosed();
        }
    }

    @Test(timeout = 120_000)
    public void wrongPasswordForAnothersSession_doesNotCloseItsConnection() throws Exception {
        TestEnsemble.await("the connections of earlier tests are gone", () -> connections() == 1);
        for (byte[] password : new byte[][] {new byte[16], new byte[0], null}) {
            try (RawClient thief = new RawClient(ensemble.clientPort(1), 10_000, honest.getSessionId(), password)) {
                assertEquals(0, thief.sessionId());
                assertTrue(thief.closedByServer());
            }
        }
        TestEnsemble.await("the thieves' connections are gone", () -> connections() == 1);
        honest.exists("/kept", false);
        assertEquals("the connection is the same", 1, countConnectionsOf(honest.getSessionId()));
    }

    private static long connections() {
        return ensemble.server(1).getNumAliveConnections();
    }

    private static long countConnectionsOf(long sessionId) {
        long count = 0;
        for (var connection : ensemble.server(1).getServerCnxnFactory().getConnections()) {
            if (connection.getSessionId() == sessionId) {
                count++;
                assertNotEquals(0, connection.getEstablished().getTime());
            }
        }
        return count;
    }

    @Test(timeout = 120_000)
    public void sessionAskedForWithinASession_closesTheConnectionAndTheSessionStillExpires() throws Exception {
        try (RawClient client = new RawClient(ensemble.clientPort(1), 2 * TestEnsemble.TICK_MILLIS)) {
            client.requestBytes(1, OpCode.createSession, new byte[] {0, 0, 1, 0});
            assertTrue(client.closedByServer());
        }
        // Checked afterwards: only the honest session is left.
    }
}
