package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.TestEnsemble;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Behind Netty, answers of the apply thread go to the I/O thread, which gives others itself. They must arrive in the
 * order of the requests all the same: ZooKeeper's client closes the connection otherwise.
 */
public final class NettyAnswerOrderTest {
    private static final int ROUNDS = 4_000;
    private static final int READS_PER_ROUND = 3;
    private static final int IN_FLIGHT = 40;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Semaphore room = new Semaphore(IN_FLIGHT);
    private final AtomicReference<String> wrong = new AtomicReference<>();
    private TestEnsemble ensemble;
    private int answers;

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2, ReadConsistency.SEQUENTIAL, Map.of()).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
    }

    /** In the order of the calls, since the client has one thread that calls back. */
    private void answered(int request, int code, int version, int expectedVersion) {
        if (code != Code.OK.intValue() || request != answers || version != expectedVersion) {
            wrong.compareAndSet(
                    null,
                    "request " + request + " had answer " + answers + ", " + Code.get(code) + ", version " + version
                            + " instead of " + expectedVersion);
        }
        answers++;
        room.release();
    }

    @Test(timeout = 120_000)
    public void readsBehindWrites_areAnsweredInTurnAndSeeThem() throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.create("/turns", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        int request = 0;
        for (int round = 1; round <= ROUNDS && wrong.get() == null; round++) {
            int version = round;
            int write = request++;
            acquire();
            client.setData(
                    "/turns",
                    null,
                    -1,
                    (code, path, context, stat) ->
                            answered(write, code, stat == null ? -1 : stat.getVersion(), version),
                    null);
            for (int i = 0; i < READS_PER_ROUND; i++) {
                int read = request++;
                acquire();
                client.exists(
                        "/turns",
                        false,
                        (code, path, context, stat) ->
                                answered(read, code, stat == null ? -1 : stat.getVersion(), version),
                        null);
            }
        }
        assertTrue(room.tryAcquire(IN_FLIGHT, 60, TimeUnit.SECONDS));
        assertEquals(null, wrong.get());
    }

    private void acquire() throws InterruptedException {
        assertTrue("no answer for a minute", room.tryAcquire(60, TimeUnit.SECONDS));
    }
}
