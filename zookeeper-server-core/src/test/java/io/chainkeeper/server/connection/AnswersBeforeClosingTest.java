package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.RawClient;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** A server that stops serving, because it has been removed or has lost the order, takes back no answer. */
@RunWith(Parameterized.class)
public class AnswersBeforeClosingTest {
    /** Of 900 kB each, together more than the system takes for a client that reads nothing. */
    private static final int ANSWERS = 32;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Parameter
    public Class<? extends ServerCnxnFactory> factory;

    private TestEnsemble ensemble;

    /** Both that a configuration may name. */
    @Parameters(name = "{0}")
    public static List<Class<? extends ServerCnxnFactory>> factories() {
        return List.of(NettyServerCnxnFactory.class, NIOServerCnxnFactory.class);
    }

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(
                        folder.getRoot().toPath(),
                        1,
                        ReadConsistency.LINEARIZABLE,
                        Map.of("serverCnxnFactory", factory.getName()))
                .startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
    }

    /** The client takes its time: most of what it is to get has not left the server yet. */
    @Test
    public void serverStopsServing_answersArriveBeforeTheEnd() throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.create("/long", new byte[900_000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.close();
        OrderedZooKeeperServer server = ensemble.server(1);
        try (RawClient slow = new RawClient(ensemble.clientPort(1), 30_000)) {
            TestEnsemble.await("nothing is asked", () -> server.getInProcess() == 0);
            long received = server.serverStats().getPacketsReceived();
            for (int xid = 1; xid <= ANSWERS; xid++) {
                slow.request(xid, OpCode.getData, new GetDataRequest("/long", false));
            }
            TestEnsemble.await("all is answered", () -> isAnswered(server, received + ANSWERS));
            // Its session is ordered behind them, so they have been given: a request counts as done a little before.
            ensemble.client(1).close();
            server.setServing(false);
            assertFalse(server.isServing());
            for (int xid = 1; xid <= ANSWERS; xid++) {
                assertEquals(xid, slow.reply().getXid());
            }
            assertTrue(slow.closedByServer());
        }
    }

    private static boolean isAnswered(OrderedZooKeeperServer server, long received) {
        return server.serverStats().getPacketsReceived() >= received && server.getInProcess() == 0;
    }
}
