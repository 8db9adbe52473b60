package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.TestEnsemble;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Clients behind ZooKeeper's Netty connection factory find what those behind its default one do. */
public class NettyConnectionsTest {
    private static final int REPLICAS = 2;
    private static final int REQUESTS = 2_000;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), REPLICAS, ReadConsistency.LINEARIZABLE, Map.of())
                .startAll();
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
    }

    private static String[] srvr(int id) throws Exception {
        return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(id), "srvr")
                .split("\\R");
    }

    @Test
    public void answerOfALeader_endsWithTheSizesOfProposals() throws Exception {
        ensemble.order().elect(2);
        TestEnsemble.await(
                "2 shows that it leads",
                () -> "leader"
                        .equals(ensemble.server(2)
                                .serverStats()
                                .getServerState()
                                .trim()));
        String[] leader = srvr(2);
        assertTrue(String.join("\n", leader), leader[leader.length - 1].startsWith("Proposal sizes last/min/max: "));
        assertTrue(String.join("\n", leader), leader[leader.length - 2].startsWith("Node count: "));
        String[] follower = srvr(1);
        assertTrue(String.join("\n", follower), follower[follower.length - 1].startsWith("Node count: "));
    }

    /** However many answers leave in one piece, each arrives, and in the order of the requests. */
    @Test
    public void manyRequestsInFlight_areAllAnsweredInTurn() throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.create("/counted", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<Integer> versions = new ArrayList<>();
        CountDownLatch answered = new CountDownLatch(REQUESTS);
        for (int i = 0; i < REQUESTS; i++) {
            client.setData(
                    "/counted",
                    new byte[100],
                    -1,
                    (code, path, context, stat) -> {
                        versions.add(stat == null ? code : stat.getVersion());
                        answered.countDown();
                    },
                    null);
        }
        assertTrue("only " + versions.size() + " answers", answered.await(60, TimeUnit.SECONDS));
        List<Integer> expected = new ArrayList<>();
        for (int version = 1; version <= REQUESTS; version++) {
            expected.add(version);
        }
        assertEquals(expected, versions);
    }
}
