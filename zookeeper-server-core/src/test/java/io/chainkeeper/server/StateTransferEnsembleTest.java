package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.storage.StoredFiles;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A replica that every log has left behind comes back by itself. */
public class StateTransferEnsembleTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty("zookeeper.snapCount", "40");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of()).startAll();
        ensemble.order().elect(1);
        client = ensemble.client(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        System.clearProperty("zookeeper.snapCount");
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 3);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            client.create("/" + prefix + i, bytes(prefix + i), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    /** Writes until the order may forget what a replica that is down needs next, and lets it forget that. */
    private void outrun(long position) throws Exception {
        int[] written = new int[1];
        TestEnsemble.await("the order may be cut", () -> {
            try {
                client.create("/o" + written[0]++, new byte[1000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException | InterruptedException e) {
                throw new AssertionError(e);
            }
            return ensemble.order().checkpointPosition(1) > position + 1;
        });
        ensemble.order().truncate(ensemble.order().checkpointPosition(1) + 1);
    }

    private void assertTakesPart(int id) throws Exception {
        ensemble.awaitServing(id);
        ZooKeeper own = ensemble.client(id);
        own.create("/by" + id, bytes("x"), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        assertArrayEquals(bytes("x"), client.getData("/by" + id, false, null));
        write("after", 5);
        assertArrayEquals(bytes("after4"), own.getData("/after4", false, null));
    }

    private static void deleteTree(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private Path checkpoints(int id) {
        return ensemble.orderingDirectory(id).resolve("checkpoints");
    }

    @Test
    public void replicaAwayLongerThanTheLogs_fetchesTheStateAndTakesPart() throws Exception {
        client.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        write("before", 10);
        ensemble.awaitEqualPositions();
        long position = ensemble.order().executedPosition(3);
        ensemble.stop(3);
        outrun(position);
        ensemble.start(3);
        assertTakesPart(3);
        assertArrayEquals(bytes("before9"), ensemble.client(3).getData("/before9", false, null));
        assertNotNull(ensemble.client(3).exists("/e", false));
        assertEquals(false, InstalledState.read(ensemble.orderingDirectory(3)).newDirectory());
        assertTrue(Files.notExists(ensemble.orderingDirectory(3).resolve("incoming")));
    }

    @Test
    public void replicaWithAnEmptyDirectory_getsStateAndIdentity() throws Exception {
        write("before", 10);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        deleteTree(ensemble.dataDirectory(3));
        outrun(0);
        ensemble.start(3);
        assertTakesPart(3);
        assertEquals(
                ClusterIdentity.read(ensemble.orderingDirectory(1)).clusterId(),
                ClusterIdentity.read(ensemble.orderingDirectory(3)).clusterId());
        assertTrue(InstalledState.read(ensemble.orderingDirectory(3)).newDirectory());
    }

    @Test
    public void stateThatWasFetched_hasTheSameReplicatedStateAtTheSamePosition() throws Exception {
        write("before", 10);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        outrun(ensemble.order().lastPosition());
        ensemble.start(3);
        assertTakesPart(3);
        // The order goes on by itself (audits of digests); what is compared must be of one position.
        TestEnsemble.await(
                "snapshots of the same position",
                () -> snapshot(1).get(0).equals(snapshot(3).get(0)));
        assertEquals(
                StoredFiles.newestReplicatedState(checkpoints(1)), StoredFiles.newestReplicatedState(checkpoints(3)));
    }

    private List<Object> snapshot(int id) {
        try {
            ensemble.awaitEqualPositions();
            ensemble.server(id).takeSnapshot(false, false);
            return StoredFiles.newestReplicatedState(checkpoints(id));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Replica 1 sends so slowly that a test can do something meanwhile; replica 3 is down and needs its state. */
    private Path withSlowSender() throws Exception {
        write("before", 10);
        ensemble.awaitEqualPositions();
        long position = ensemble.order().executedPosition(3);
        ensemble.stop(3);
        ensemble.stop(1);
        ensemble.limitStateTransfer(1 << 16);
        ensemble.start(1);
        ensemble.awaitServing(1);
        ensemble.order().elect(1);
        client = ensemble.client(ensemble.address(1) + "," + ensemble.address(2), 10_000);
        outrun(position);
        return ensemble.orderingDirectory(3).resolve("incoming");
    }

    private static void awaitSomeOfTheSnapshot(Path incoming) throws Exception {
        TestEnsemble.await("a part of the snapshot has arrived", () -> {
            try (DirectoryStream<Path> snapshots = Files.newDirectoryStream(incoming, "snapshot.*")) {
                for (Path snapshot : snapshots) {
                    return Files.size(snapshot) > 20_000;
                }
                return false;
            } catch (NoSuchFileException e) {
                return false;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    public void receiverRestartedInTheMiddle_goesOnWithWhatHasArrived() throws Exception {
        Path incoming = withSlowSender();
        ensemble.start(3);
        awaitSomeOfTheSnapshot(incoming);
        ensemble.stop(3);
        assertTrue("too fast to be interrupted", Files.notExists(incoming.resolve("complete")));
        ensemble.start(3);
        assertTakesPart(3);
    }

    @Test
    public void senderDiesInTheMiddle_anotherMemberTakesOver() throws Exception {
        Path incoming = withSlowSender();
        ensemble.start(3);
        awaitSomeOfTheSnapshot(incoming);
        ensemble.stop(1);
        // The client of before may have lost its server just now, and would say so.
        client = ensemble.client(2);
        assertTrue("too fast to be interrupted", Files.notExists(incoming.resolve("complete")));
        assertTakesPart(3);
        ensemble.start(1);
        ensemble.awaitServing(1);
    }

    /** Whoever took the former name from it would be refused by the one that went on alone. */
    @Test
    public void newestSnapshotIsFromBeforeAForce_joinersGetOneThatBearsTheNewName() throws Exception {
        write("before", 10);
        outrun(0);
        for (int id = 1; id <= 3; id++) {
            ensemble.stop(id);
        }
        deleteTree(ensemble.dataDirectory(2));
        deleteTree(ensemble.dataDirectory(3));
        UUID newCluster = new UUID(1, 2);
        new NewClusterRequest(1, newCluster, Instant.EPOCH).write(ensemble.orderingDirectory(1));
        ensemble.start(1);
        ensemble.order().elect(1);
        ensemble.order().decide(BatchCodec.encode(Membership.initial(0, List.of(1))));
        ensemble.awaitServing(1);
        client = ensemble.client(1);
        for (int id = 2; id <= 3; id++) {
            ensemble.start(id);
            ensemble.awaitServing(id);
            assertEquals(
                    newCluster,
                    ClusterIdentity.read(ensemble.orderingDirectory(id)).clusterId());
        }
    }
}
