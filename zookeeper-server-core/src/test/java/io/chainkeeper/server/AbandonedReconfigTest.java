package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A {@code reconfig} whose client's connection closes at the last moment. */
public class AbandonedReconfigTest {
    private static final int TIMEOUT_MILLIS = 30_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(
                folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of("reconfigEnabled", "true"));
        ensemble.order().setMembers(List.of(1, 2, 3));
        ensemble.startAll();
        ensemble.order().elect(1);
        for (int id = 1; id <= 3; id++) {
            ChainkeeperServer replica = ensemble.replica(id);
            TestEnsemble.await(
                    "the cluster is formed at " + id,
                    () -> replica.replicatedState().clusterId() != null);
            ensemble.server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    /** Its session goes on, so nothing else ends the plan, and every later request would find it under way. */
    @Test
    public void connectionClosesWhileTheRequestWaitsForRoom_planIsDropped() throws Exception {
        long session;
        byte[] password;
        try (RawClient client = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS)) {
            session = client.sessionId();
            password = client.password();
            ensemble.order().room().lackForNextWrite();
            client.request(1, OpCode.reconfig, new ReconfigRequest(null, "3", null, -1));
            ensemble.order().room().awaitWaiting();
        }
        TestEnsemble.await(
                "the connection is closed",
                () -> ensemble.server(2).getServerCnxnFactory().getNumAliveConnections() == 0);
        ZooKeeper goesOn = ensemble.clientOf(ensemble.address(2), TIMEOUT_MILLIS, session, password);
        assertNotNull(goesOn.exists("/", false));
        ensemble.order().room().make();
        for (int id = 1; id <= 3; id++) {
            ChainkeeperServer replica = ensemble.replica(id);
            TestEnsemble.await(
                    "no plan stands at " + id, () -> replica.replicatedState().plan() == null);
            assertEquals(
                    Set.of(1, 2, 3),
                    replica.replicatedState().configuration().servers().keySet());
        }
    }
}
