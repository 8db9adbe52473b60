package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assume.assumeTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Server 2 takes a {@code reconfig} with a name, and the name service of its machine does not answer. */
public class ReconfigNamesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeperAdmin admin;
    private HangingNames names;
    private String joiner;

    @Before
    public void javaLetsNamesWait() {
        assumeTrue("names can be kept waiting", Runtime.version().feature() < 18);
    }

    private void start(int patienceSeconds) throws Exception {
        String initLimit = Integer.toString(patienceSeconds * 1_000 / TestEnsemble.TICK_MILLIS);
        ensemble = new TestEnsemble(
                folder.getRoot().toPath(),
                3,
                ReadConsistency.LINEARIZABLE,
                Map.of("reconfigEnabled", "true", "initLimit", initLimit));
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
        admin = ensemble.admin(2);
        joiner = ensemble.newServer(4).replace("127.0.0.1", "localhost");
        names = new HangingNames();
    }

    @After
    public void stop() throws Exception {
        if (names != null) {
            names.close();
        }
        if (ensemble != null) {
            ensemble.close();
        }
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    /** Gives the code of its answer. */
    private CompletableFuture<Integer> join(long version) throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        admin.reconfigure(joiner, null, null, version, (rc, path, context, data, stat) -> answer.complete(rc), null);
        names.awaitAsked();
        return answer;
    }

    private static void assertAnswer(Code expected, CompletableFuture<Integer> answer) throws Exception {
        assertEquals(expected, Code.get(answer.get(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)));
    }

    private boolean isKnown(long sessionId) {
        return ensemble.server(1).getZKDatabase().getSessionWithTimeOuts().containsKey(sessionId);
    }

    @Test
    public void nameResolvesLate_sessionsExpireMeanwhileAndItIsCarriedOut() throws Exception {
        start(TestEnsemble.DEADLINE_SECONDS);
        CompletableFuture<Integer> answer = join(-1);
        RawClient lost = new RawClient(ensemble.clientPort(2), 800);
        assertNotEquals("it has a session", 0, lost.sessionId());
        // So server 1 has known the session, however short a time that was.
        ensemble.awaitEqualPositions();
        lost.close();
        TestEnsemble.await("the session of a client that is gone expires", () -> !isKnown(lost.sessionId()));
        assertNull("nothing is planned yet", ensemble.order().configured(1));
        names.answer();
        ensemble.start(4);
        assertAnswer(Code.OK, answer);
        ensemble.awaitServing(4);
        assertEquals(List.of(1, 2, 3, 4), ensemble.order().members());
    }

    @Test
    public void nameDoesNotResolve_isGivenUpAndTheLateAnswerChangesNothing() throws Exception {
        start(2);
        assertAnswer(Code.NEWCONFIGNOQUORUM, join(-1));
        assertThrows(
                "one look-up at a time",
                KeeperException.ReconfigInProgress.class,
                () -> admin.reconfigure(null, "3", null, -1, null));
        names.answer();
        TestEnsemble.await("the late answer is there", this::threeIsRemoved);
        assertEquals(List.of(1, 2), ensemble.order().members());
    }

    private boolean threeIsRemoved() {
        try {
            admin.reconfigure(null, "3", null, -1, null);
            return true;
        } catch (KeeperException.ReconfigInProgress e) {
            return false;
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void ensembleChangesMeanwhile_isRefused() throws Exception {
        start(TestEnsemble.DEADLINE_SECONDS);
        CompletableFuture<Integer> answer = join(-1);
        ensemble.admin(1).reconfigure(null, "3", null, -1, null);
        names.answer();
        assertAnswer(Code.RECONFIGINPROGRESS, answer);
        assertEquals(List.of(1, 2), ensemble.order().members());
    }

    @Test
    public void versionThatIsNamedIsReplacedMeanwhile_isRefused() throws Exception {
        start(TestEnsemble.DEADLINE_SECONDS);
        CompletableFuture<Integer> answer = join(0);
        ensemble.admin(1).reconfigure(null, "3", null, -1, null);
        // Until server 2 has executed it too, one is in progress there.
        TestEnsemble.await(
                "server 2 has the new version",
                () -> ensemble.replica(2).replicatedState().configuration().version() != 0);
        names.answer();
        assertAnswer(Code.BADVERSION, answer);
    }

    @Test
    public void versionIsNotThePresentOne_isRefusedBeforeNamesAreLookedUp() throws Exception {
        start(2);
        assertThrows(KeeperException.BadVersionException.class, () -> admin.reconfigure(joiner, null, null, 77, null));
    }
}
