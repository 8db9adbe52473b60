package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.ObjectName;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What monitoring and operators see. */
public class OperationsTest {
    /** Size of an identity file without a cluster. */
    private static final int EMPTY_IDENTITY_BYTES = 50;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of()).startAll();
        ensemble.order().elect(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private String ask(int id, String word) throws Exception {
        return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(id), word);
    }

    @Test
    public void fourLetterWords_showModeAndNumbers() throws Exception {
        TestEnsemble.await(
                "replica 2 follows replica 1",
                () -> ensemble.server(2).getState().equals("follower"));
        assertTrue(ask(1, "srvr").contains("Mode: leader\n"));
        assertTrue(ask(2, "stat").contains("Mode: follower\n"));
        assertEquals("imok", ask(3, "ruok").trim());
        String mntr = ask(1, "mntr");
        assertTrue(mntr, mntr.contains("zk_server_state\tleader\n"));
        assertTrue(mntr, mntr.contains("zk_ordering_executed_position\t"));
        assertTrue(mntr, mntr.contains("zk_quorum_size\t3\n"));
        assertTrue(ask(2, "conf").contains("serverId=2"));
        assertTrue(ask(2, "dump").contains("Sessions"));
        assertTrue(ask(2, "isro").contains("rw"));
    }

    @Test
    public void replicaThatDoesNotServe_saysSo() throws Exception {
        ensemble.order().setCutOff(3, true);
        TestEnsemble.await("replica 3 stops serving", () -> !ensemble.server(3).isServing());
        assertTrue(ask(3, "srvr").contains("not currently serving"));
    }

    @Test
    public void jmxTree_hasZooKeepersNames() throws Exception {
        String peer = "org.apache.ZooKeeperService:name0=ReplicatedServer_id2,name1=replica.2";
        assertTrue(ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName(peer)));
    }

    @Test
    public void snapshotOnDemand_isWrittenAndRestartsFromIt() throws Exception {
        ensemble.client(1).create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.awaitEqualPositions();
        File snapshot = ensemble.server(2).takeSnapshot(false, false);
        assertTrue(snapshot.exists());
        ensemble.stop(2);
        ensemble.start(2);
        ensemble.awaitServing(2);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void executorFailure_stopsTheReplicaWithItsExitCode() throws Exception {
        ChainkeeperServer failing = ensemble.replica(3);
        failing.server().getZKDatabase().getDataTree().reportDigestMismatch(1);
        assertEquals(1, failing.awaitShutdown());
        assertFalse(failing.server().isServing());
    }

    @Test
    public void replicaWithOtherExecutionSettings_stopsAndTheOthersGoOn() throws Exception {
        File identity = new File(ensemble.orderingDirectory(3).toFile(), "identity");
        TestEnsemble.await("the cluster is formed", () -> identity.length() > EMPTY_IDENTITY_BYTES);
        ensemble.awaitEqualPositions();
        ensemble.server(2).takeSnapshot(false, false);
        ensemble.stop(3);
        ensemble.stop(2);
        System.setProperty("zookeeper.letAnySaslUserDoX", "somebody");
        try {
            ensemble.start(3);
            assertEquals(
                    "found when the order is executed", 1, ensemble.replica(3).awaitShutdown());
            assertThrows("found in the checkpoint", IOException.class, () -> ensemble.start(2));
        } finally {
            System.clearProperty("zookeeper.letAnySaslUserDoX");
        }
        ensemble.client(1).create("/goes-on", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int id = 2; id <= 3; id++) {
            ensemble.start(id);
            ensemble.awaitServing(id);
        }
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void shutdown_returnsExitCodeZero() throws Exception {
        ChainkeeperServer stopping = ensemble.replica(3);
        ensemble.stop(3);
        assertEquals(0, stopping.awaitShutdown());
    }
}
