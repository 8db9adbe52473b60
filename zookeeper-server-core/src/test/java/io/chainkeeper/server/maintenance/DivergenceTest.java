package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.EnsembleChecks;
import io.chainkeeper.server.RawClient;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.metrics.MetricsProvider;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Replicas whose trees differ. */
public class DivergenceTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @After
    public void stopEnsemble() throws Exception {
        ZooKeeperServer.setDigestEnabled(true);
        ensemble.close();
    }

    /** With audits that come by themselves. */
    private void start(int size) throws Exception {
        start(size, 1);
    }

    private void start(int size, int auditSeconds) throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), size, ReadConsistency.LINEARIZABLE, Map.of())
                .withAuditSeconds(auditSeconds)
                .startAll();
        ensemble.order().elect(1);
        ensemble.client(1).create("/a", new byte[1], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.awaitEqualPositions();
    }

    /** Changes a replica's tree behind the back of the order. */
    private void corrupt(int id, int value) throws Exception {
        DataTree tree = ensemble.server(id).getZKDatabase().getDataTree();
        tree.setData("/a", new byte[] {(byte) value}, 7, tree.lastProcessedZxid, 1);
    }

    /** Where several trees are changed audits must not come by themselves: one could come between the changes. */
    private void orderAudit() {
        ByteSlice audit = CommandCodec.encode(new Command.DigestAudit(System.currentTimeMillis()));
        ensemble.order().decide(BatchCodec.encode(List.of(new ProposedCommand(9, 1, 0, 1, audit))));
    }

    private void write(int id) throws Exception {
        ensemble.client(id).create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    private static long gauge(String name) {
        MetricsProvider provider = ServerMetrics.getMetrics().getMetricsProvider();
        long[] found = {-1};
        provider.dump((key, value) -> found[0] = key.equals(name) ? ((Number) value).longValue() : found[0]);
        return found[0];
    }

    /** A diverged replica serves nobody until it has the state of another one, and then goes on by itself. */
    private void awaitReinstalled(int id, OrderedZooKeeperServer wrong) throws Exception {
        TestEnsemble.await("replica " + id + " stops serving", wrong::hasDiverged);
        TestEnsemble.await("replica " + id + " serves with another state", () -> {
            OrderedZooKeeperServer now = ensemble.replica(id).server();
            return now != null && now != wrong && now.isServing();
        });
        assertFalse(Files.exists(DivergenceMarker.file(ensemble.orderingDirectory(id))));
    }

    @Test
    public void oneTreeDiffers_thatReplicaGetsTheStateOfTheOthers() throws Exception {
        start(3);
        OrderedZooKeeperServer wrong = ensemble.server(2);
        corrupt(2, 9);
        write(1);
        awaitReinstalled(2, wrong);
        ensemble.client(3).create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void treesAreEqual_everybodyServes() throws Exception {
        start(3);
        long before = ensemble.order().lastPosition();
        write(1);
        TestEnsemble.await("an audit is judged", () -> gauge("ordering_audit_position") > before);
        ensemble.awaitEqualPositions();
        for (int id = 1; id <= 3; id++) {
            assertTrue(ensemble.server(id).isServing());
        }
        assertEquals(0, gauge("ordering_diverged"));
        assertEquals(0, gauge("ordering_audit_undecided"));
    }

    @Test
    public void threeAgainstTwo_theTwoGetTheStateOfTheThree() throws Exception {
        start(5, Safeguards.MAX_DIGEST_AUDIT_SECONDS);
        OrderedZooKeeperServer first = ensemble.server(1);
        OrderedZooKeeperServer second = ensemble.server(4);
        corrupt(1, 9);
        corrupt(4, 8);
        orderAudit();
        awaitReinstalled(1, first);
        awaitReinstalled(4, second);
        ensemble.client(5).create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        EnsembleChecks.assertReplicasEqual(ensemble, 5);
    }

    @Test
    public void twoAgainstTwoAgainstOne_nobodyStopsAndEverybodySaysSo() throws Exception {
        start(5, Safeguards.MAX_DIGEST_AUDIT_SECONDS);
        corrupt(1, 9);
        corrupt(4, 9);
        corrupt(5, 8);
        orderAudit();
        TestEnsemble.await("it is said", () -> gauge("ordering_audit_undecided") == 1);
        assertEquals(5, gauge("ordering_audit_differing_replicas"));
        for (int id = 1; id <= 5; id++) {
            assertTrue(ensemble.server(id).isServing());
        }
    }

    @Test
    public void nothingWritten_nothingIsAudited() throws Exception {
        start(3);
        long[] nowMillis = {0};
        DigestAuditor auditor = new DigestAuditor(
                ensemble.server(1),
                ReplicatedState.initial(0),
                new PatientProposer(new Proposer(System::currentTimeMillis)),
                () -> nowMillis[0],
                1);
        auditor.tick();
        nowMillis[0] = 1_000;
        assertThrows("a proposal without an order", ReplicaStoppedException.class, auditor::tick);
        nowMillis[0] = 2_000;
        auditor.tick();
        assertEquals("nothing was written since", 2_000, nowMillis[0]);
    }

    @Test
    public void digestsAreSwitchedOff_theyAreKeptAndComparedAllTheSame() throws Exception {
        ZooKeeperServer.setDigestEnabled(false);
        start(3);
        OrderedZooKeeperServer wrong = ensemble.server(2);
        corrupt(2, 9);
        write(1);
        awaitReinstalled(2, wrong);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void divergedServer_answersMonitoringAndNoClient() throws Exception {
        start(3);
        OrderedZooKeeperServer server = ensemble.server(2);
        RawClient client = new RawClient(ensemble.clientPort(2), 10_000);
        server.diverge();
        assertTrue(client.closedByServer());
        client.close();
        server.setServing(true);
        assertFalse(server.isServing());
        for (String word : List.of("srvr", "stat")) {
            String answer = ask(2, word);
            assertTrue(answer, answer.contains("Mode: diverged\n"));
        }
        assertTrue(ask(2, "mntr").contains("zk_server_state\tdiverged\n"));
        assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(2), 10_000));
    }

    private String ask(int id, String word) throws Exception {
        return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(id), word);
    }
}
