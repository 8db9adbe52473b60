package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import io.chainkeeper.server.state.ReplicatedState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** One replica goes on alone as a new cluster; deciding what it had accepted is the protocol's part and not tested. */
public class ForcedClusterTest {
    private static final UUID NEW_CLUSTER = new UUID(1, 2);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3).startAll();
        TestEnsemble.await("the cluster is formed", () -> clusterOf(1) != null && clusterOf(2) != null);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private ClusterIdentity identity(int id) {
        try {
            return ClusterIdentity.read(ensemble.orderingDirectory(id)).at(FeatureLevel.NONE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private UUID clusterOf(int id) {
        return identity(id).clusterId();
    }

    private void request(int id) throws IOException {
        new NewClusterRequest(id, NEW_CLUSTER, Instant.EPOCH).write(ensemble.orderingDirectory(1));
    }

    private void empty(int id) throws IOException {
        try (Stream<Path> files = Files.walk(ensemble.dataDirectory(id))) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(path -> assertTrue(path.toFile().delete()));
        }
    }

    private boolean hasStarted(int id) {
        ReplicatedState state = ensemble.replica(id).replicatedState();
        return ensemble.order().executedPosition(id) == ensemble.order().lastPosition()
                && state.incarnationOf(id) == ensemble.order().incarnationOf(id);
    }

    private void stopAll() throws Exception {
        for (int id = 1; id <= 3; id++) {
            ensemble.stop(id);
        }
    }

    /** Server 1 goes on alone, as it has been told. */
    private void startAlone() throws Exception {
        ensemble.start(1);
        ensemble.order().elect(1);
        ensemble.order().decide(BatchCodec.encode(Membership.initial(0, List.of(1))));
        ensemble.awaitServing(1);
    }

    @Test
    public void replicaGoesOnAlone_underTheNewNameAndWithoutTheOthersSessions() throws Exception {
        UUID former = clusterOf(1);
        ZooKeeper lost = ensemble.client(ensemble.address(2), 2_000);
        lost.create("/ephemeral", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        ensemble.client(3).create("/kept", new byte[1], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.awaitEqualPositions();
        stopAll();
        request(1);
        ensemble.start(1);
        assertEquals("before any link", new ClusterIdentity(1, NEW_CLUSTER, List.of(former), "test"), identity(1));
        TestEnsemble.await("its start is in the order", () -> hasStarted(1));
        assertNotEquals(null, NewClusterRequest.read(ensemble.orderingDirectory(1)));
        ensemble.order().decide(BatchCodec.encode(Membership.initial(0, List.of(1))));
        ensemble.awaitServing(1);
        assertNull("nobody is served before", NewClusterRequest.read(ensemble.orderingDirectory(1)));
        ZooKeeper client = ensemble.client(1);
        assertEquals(1, client.getData("/kept", false, null).length);
        TestEnsemble.await("the session of the lost server's client expires", () -> {
            try {
                client.getData("/ephemeral", false, null);
                return false;
            } catch (NoNodeException e) {
                return true;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        ensemble.stop(1);
        ensemble.start(1);
        ensemble.awaitServing(1);
        assertEquals(new ClusterIdentity(1, NEW_CLUSTER, List.of(former), "test"), identity(1));
    }

    @Test
    public void replicaWithAnEmptyDirectory_learnsTheNewNameOnly() throws Exception {
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        ensemble.stop(1);
        request(1);
        startAlone();
        // The in-process order lets any replica in; a link of the real one would be refused.
        ChainkeeperServer survivor = ensemble.replica(2);
        assertEquals(1, TestEnsemble.awaitShutdown("it is of the old cluster", survivor));
        assertTrue(survivor.failureMessage(), survivor.failureMessage().contains("but the other members form cluster"));
        ensemble.stop(2);
        empty(3);
        ensemble.start(3);
        ensemble.awaitServing(3);
        TestEnsemble.await("it has the name", () -> clusterOf(3) != null);
        assertEquals(new ClusterIdentity(3, NEW_CLUSTER, "test"), identity(3));
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    /** As releases before this one could leave it: the order has the name, and others are members again. */
    @Test
    public void requestIsLeftOver_itHasNoEffectAnyMore() throws Exception {
        ensemble.awaitEqualPositions();
        stopAll();
        request(1);
        startAlone();
        ensemble.order().decide(BatchCodec.encode(Membership.initial(0, List.of(1, 2, 3))));
        ensemble.awaitEqualPositions();
        ensemble.stop(1);
        request(1);
        ensemble.start(1);
        ensemble.awaitServing(1);
        assertNull(NewClusterRequest.read(ensemble.orderingDirectory(1)));
    }

    /** It had accepted the former name, and goes on before it has executed that. */
    @Test
    public void formerNameIsInTheLogOnly_itIsKnownAsAFormerOne() throws Exception {
        UUID former = clusterOf(1);
        stopAll();
        new ClusterIdentity(1, null, "test").write(ensemble.orderingDirectory(1));
        request(1);
        for (int start = 1; start <= 2; start++) {
            startAlone();
            assertEquals(new ClusterIdentity(1, NEW_CLUSTER, List.of(former), "test"), identity(1));
            ensemble.stop(1);
        }
    }

    /** It replays what was ordered before the force, where the cluster had its former name. */
    @Test
    public void joinerStartsAgainBeforeItHasACheckpoint_itGoesOn() throws Exception {
        ensemble.awaitEqualPositions();
        UUID former = clusterOf(1);
        stopAll();
        request(1);
        startAlone();
        empty(3);
        for (int start = 1; start <= 2; start++) {
            ensemble.start(3);
            ensemble.awaitServing(3);
            TestEnsemble.await("it has the name", () -> clusterOf(3) != null);
            assertEquals(new ClusterIdentity(3, NEW_CLUSTER, "test"), identity(3));
            ensemble.stop(3);
        }
        // The in-process order lets it in, as if it had linked before anybody could tell.
        ensemble.start(2);
        ChainkeeperServer leftBehind = ensemble.replica(2);
        assertEquals(1, TestEnsemble.awaitShutdown("it is of the old cluster", leftBehind));
        String message = leftBehind.failureMessage();
        assertTrue(message, message.contains("but the other members form cluster " + NEW_CLUSTER));
        assertEquals(former, clusterOf(2));
    }

    @Test
    public void requestForAnotherReplica_isRefused() throws Exception {
        ensemble.stop(1);
        request(2);
        String message =
                assertThrows(IOException.class, () -> ensemble.start(1)).getMessage();
        assertTrue(message, message.contains("is meant for replica 2"));
        NewClusterRequest.delete(ensemble.orderingDirectory(1));
        assertNull(NewClusterRequest.read(ensemble.orderingDirectory(1)));
    }
}
