package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The plan of a {@code reconfig} stands for a while, because a server that is to join is not there yet. */
public class StandingPlanTest {
    /** Longer than a test waits for anything: that a plan has stood too long neither fails a test nor lets one pass. */
    private static final int LONG_SECONDS = 2 * TestEnsemble.DEADLINE_SECONDS;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

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
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    /** Asks server {@code at} to let one more server join; gives the code of its answer. */
    private CompletableFuture<Integer> join(int at, String joiner) throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        ensemble.admin(at)
                .reconfigure(joiner, null, null, -1, (rc, path, context, data, stat) -> answer.complete(rc), null);
        return answer;
    }

    private static void assertAnswer(Code expected, CompletableFuture<Integer> answer) throws Exception {
        assertEquals(expected, Code.get(answer.get(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)));
    }

    private void awaitPlan(int id) throws Exception {
        TestEnsemble.await("the plan stands", () -> ensemble.order().configured(id) != null);
    }

    /** Waits until replica {@code id}, where a plan has stood, tells its order to go on with those who were there. */
    private void awaitDropped(int id) throws Exception {
        Ensemble before = Ensemble.of(List.of(1, 2, 3));
        TestEnsemble.await(
                "replica " + id + " configures those who were there",
                () -> before.equals(ensemble.order().configured(id)));
    }

    @Test
    public void joinerThatNeverComes_isGivenUpAndTheRestGoesOn() throws Exception {
        start(2);
        CompletableFuture<Integer> answer = join(2, ensemble.newServer(9));
        ZooKeeperAdmin second = ensemble.admin(3);
        second.create("/meanwhile", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertAnswer(Code.NEWCONFIGNOQUORUM, answer);
        awaitDropped(3);
        second.reconfigure(null, "2", null, -1, null);
        assertEquals(List.of(1, 3), ensemble.order().members());
    }

    @Test
    public void joinerIsAwaited_noOtherReconfigIsTakenAndTheRestGoesOn() throws Exception {
        start(LONG_SECONDS);
        String joiner = ensemble.newServer(9);
        CompletableFuture<Integer> answer = join(2, joiner);
        awaitPlan(3);
        assertEquals(List.of(1, 2, 3, 9), ensemble.order().configured(3).participants());
        ZooKeeperAdmin second = ensemble.admin(3);
        assertThrows(KeeperException.ReconfigInProgress.class, () -> second.reconfigure(joiner, null, null, -1, null));
        second.create("/meanwhile", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.start(9);
        assertAnswer(Code.OK, answer);
        assertEquals(List.of(1, 2, 3, 9), ensemble.order().members());
    }

    @Test
    public void leaderChangesWhileJoinerIsAwaited_planStandsAndIsCarriedOut() throws Exception {
        start(LONG_SECONDS);
        CompletableFuture<Integer> answer = join(2, ensemble.newServer(4));
        awaitPlan(3);
        ensemble.order().elect(3);
        ensemble.stop(1);
        ensemble.start(1);
        ensemble.start(4);
        assertAnswer(Code.OK, answer);
        ensemble.awaitServing(4);
        assertEquals(List.of(1, 2, 3, 4), ensemble.order().members());
    }

    @Test
    public void acceptingReplicaFallsSilent_planIsDropped() throws Exception {
        start(LONG_SECONDS);
        join(3, ensemble.newServer(4));
        awaitPlan(1);
        ensemble.stop(3);
        ensemble.order().tellSilent(3, true);
        awaitDropped(1);
    }

    @Test
    public void clientLeaves_planIsDropped() throws Exception {
        start(LONG_SECONDS);
        RawClient client = new RawClient(ensemble.clientPort(2), 10_000);
        client.request(1, ZooDefs.OpCode.reconfig, new ReconfigRequest(ensemble.newServer(4), null, null, -1));
        awaitPlan(1);
        client.close();
        awaitDropped(1);
    }

    @Test
    public void requestsBehindReconfig_areAnsweredInTheirOrder() throws Exception {
        start(LONG_SECONDS);
        String joiner = ensemble.newServer(4);
        ZooKeeperAdmin admin = ensemble.admin(2);
        ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
        CountDownLatch all = new CountDownLatch(4);
        admin.create(
                "/before",
                null,
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT,
                (rc, path, context, name) -> {
                    answers.add("create " + rc);
                    all.countDown();
                },
                null);
        admin.reconfigure(
                joiner,
                null,
                null,
                -1,
                (rc, path, context, data, stat) -> {
                    answers.add("reconfig " + rc);
                    all.countDown();
                },
                null);
        admin.setData(
                "/before",
                new byte[1],
                0,
                (rc, path, context, stat) -> {
                    answers.add("setData " + rc);
                    all.countDown();
                },
                null);
        admin.getConfig(
                false,
                (rc, path, context, data, stat) -> {
                    answers.add("getConfig " + new String(data, StandardCharsets.UTF_8).contains("server.4="));
                    all.countDown();
                },
                null);
        awaitPlan(1);
        TestEnsemble.await("the create is answered", () -> !answers.isEmpty());
        assertEquals(List.of("create 0"), List.copyOf(answers));
        ensemble.start(4);
        assertTrue(all.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(List.of("create 0", "reconfig 0", "setData 0", "getConfig true"), List.copyOf(answers));
    }
}
