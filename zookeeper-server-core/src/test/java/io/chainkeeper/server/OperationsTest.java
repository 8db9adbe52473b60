package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
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
        List<String> names =
                mntr.lines().map(line -> line.substring(0, line.indexOf('\t'))).toList();
        assertEquals("each name once", names.size(), Set.copyOf(names).size());
        assertTrue(mntr, mntr.contains("zk_ordering_executed_position\t"));
        assertTrue(mntr, mntr.contains("zk_quorum_size\t3\n"));
        assertTrue(ask(2, "conf").contains("serverId=2"));
        assertTrue(ask(2, "dump").contains("Sessions"));
        assertTrue(ask(2, "isro").contains("rw"));
    }

    /** The largest proposal, by the last line of a leader's {@code srvr}. */
    private int largestProposal() throws Exception {
        String srvr = ask(1, "srvr").trim();
        assertTrue(srvr, srvr.contains("Proposal sizes last/min/max: "));
        return Integer.parseInt(srvr.substring(srvr.lastIndexOf('/') + 1));
    }

    @Test
    public void srstAtTheLeader_resetsTheSizesOfProposalsToo() throws Exception {
        ensemble.client(1).create("/large", new byte[2_000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        TestEnsemble.await(
                "replica 1 leads", () -> ensemble.server(1).getState().equals("leader"));
        assertTrue("before", largestProposal() >= 2_000);
        assertEquals("Server stats reset.", ask(1, "srst").trim());
        assertTrue("behind it", largestProposal() < 2_000);
    }

    @Test
    public void replicaThatDoesNotServe_saysSo() throws Exception {
        ensemble.order().setCutOff(3, true);
        TestEnsemble.await("replica 3 stops serving", () -> !ensemble.server(3).isServing());
        assertTrue(ask(3, "srvr").contains("not currently serving"));
    }

    @Test
    public void jmxTree_hasZooKeepersNames() throws Exception {
        assertTrue(isRegistered(2, "replica.2"));
        assertTrue(isRegistered(2, "replica.1"));
        assertTrue(isRegistered(2, "replica.3"));
        assertTrue(isRegistered(2, "replica.2,name2=Follower,name3=InMemoryDataTree"));
        assertEquals(true, attribute(2, "replica.1", "Leader"));
        assertEquals(false, attribute(2, "replica.3", "Leader"));
    }

    @Test
    public void jmxTree_followsTheRole() throws Exception {
        String session = "0x" + Long.toHexString(ensemble.client(2).getSessionId());
        String connection = "Connections,name4=127.0.0.1,name5=" + session;
        TestEnsemble.await("follower's bean", () -> isRegistered(2, "replica.2,name2=Follower,name3=" + connection));
        ensemble.order().elect(2);
        TestEnsemble.await("leader's bean", () -> isRegistered(2, "replica.2,name2=Leader,name3=InMemoryDataTree"));
        TestEnsemble.await("connection below it", () -> isRegistered(2, "replica.2,name2=Leader,name3=" + connection));
        // The former role's beans go last, so that a connection always finds one to stand below.
        TestEnsemble.await("no former role", () -> !isRegistered(2, "replica.2,name2=Follower"));
        assertFalse(isRegistered(2, "replica.2,name2=Follower,name3=" + connection));
        assertTrue(((String) attribute(2, "replica.2,name2=Leader", "CurrentZxid")).startsWith("0x"));
        assertEquals(true, attribute(2, "replica.2", "Leader"));
        assertEquals("leading", attribute(2, "replica.2", "State"));
        TestEnsemble.await("the old leader's bean", () -> isRegistered(1, "replica.1,name2=Follower"));
        for (String role : List.of("replica.2,name2=Leader", "replica.1,name2=Follower")) {
            int id = role.contains("Leader") ? 2 : 1;
            assertEquals(-1, attribute(id, role, "MaxConcurrentSnapSyncs"));
            assertEquals(-1, attribute(id, role, "MaxConcurrentDiffSyncs"));
            assertTrue(attribute(id, role, "ElectionTimeTaken") instanceof Long);
        }
        assertEquals("127.0.0.1", attribute(1, "replica.1,name2=Follower", "QuorumAddress"));
        assertEquals(0, attribute(1, "replica.1,name2=Follower", "PendingRevalidationCount"));
    }

    private static ObjectName bean(int id, String below) throws JMException {
        return new ObjectName("org.apache.ZooKeeperService:name0=ReplicatedServer_id" + id + ",name1=" + below);
    }

    private static boolean isRegistered(int id, String below) {
        try {
            return ManagementFactory.getPlatformMBeanServer().isRegistered(bean(id, below));
        } catch (JMException e) {
            throw new IllegalArgumentException(below, e);
        }
    }

    private static Object attribute(int id, String below, String name) throws JMException {
        return ManagementFactory.getPlatformMBeanServer().getAttribute(bean(id, below), name);
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
        assertEquals(1, TestEnsemble.awaitShutdown("a wrong digest stops it", failing));
        assertFalse(failing.server().isServing());
    }

    private boolean isNamed(int id) {
        try {
            ClusterIdentity identity = ClusterIdentity.read(ensemble.orderingDirectory(id));
            return identity != null && identity.clusterId() != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    public void replicaWithOtherExecutionSettings_stopsAndTheOthersGoOn() throws Exception {
        TestEnsemble.await("the cluster is formed", () -> isNamed(3));
        ensemble.awaitEqualPositions();
        ensemble.server(2).takeSnapshot(false, false);
        ensemble.stop(3);
        ensemble.stop(2);
        OtherAddresses.configure();
        try {
            ensemble.start(3);
            assertEquals(
                    1,
                    TestEnsemble.awaitShutdown(
                            "its other settings are found when the order is executed", ensemble.replica(3)));
            IOException refused = assertThrows("found in the checkpoint", IOException.class, () -> ensemble.start(2));
            assertEquals(
                    "this replica's settings differ from those that the cluster was formed with:"
                            + " zookeeper.authProvider.* names some classes here and none of one's own in the cluster;"
                            + " put the old value"
                            + " back, or change it on all as \"Settings that all servers must have in common\" in"
                            + " docs/operations.md says",
                    refused.getMessage());
        } finally {
            OtherAddresses.remove();
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
        assertEquals(0, TestEnsemble.awaitShutdown("it was told to stop", stopping));
    }
}
