package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.storage.StoredFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a replica brings back from its files, and what the order gives it again. */
public class RestartTest {
    /** Inside the first entry of a log file. */
    private static final int FIRST_ENTRY_BYTE = 40;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty("zookeeper.snapCount", "40");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of()).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        System.clearProperty("zookeeper.snapCount");
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 3);
        }
    }

    private static void writeSome(ZooKeeper client, String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            client.create("/" + prefix + i, bytes(prefix + i), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            if (i % 3 == 0) {
                assertThrows(KeeperException.NoNodeException.class, () -> client.setData("/no/such/node", null, -1));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void restart(int id) throws Exception {
        ensemble.start(id);
        ensemble.awaitServing(id);
    }

    private Path versionDirectory(int id) {
        return ensemble.dataDirectory(id).resolve("version-2");
    }

    private static List<Path> files(Path directory, String prefix) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, prefix + "*")) {
            stream.forEach(found::add);
        }
        found.removeIf(file -> file.endsWith("checkpoint.log"));
        found.sort(Comparator.comparingLong(
                file -> Long.parseLong(file.getFileName().toString().substring(prefix.length()), 16)));
        return found;
    }

    /** Where the last entry of a log file ends. */
    private static long endOfEntries(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
    }

    @Test
    public void replicaStoppedWhileOthersWrite_catchesUpAndServesAllOfIt() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "before", 30);
        ensemble.stop(3);
        writeSome(client, "while", 100);
        restart(3);
        assertArrayEquals(bytes("while99"), ensemble.client(3).getData("/while99", false, null));
        writeSome(client, "after", 5);
    }

    @Test
    public void allReplicasRestarted_keepDataSessionsAndIdentity() throws Exception {
        ZooKeeper client = ensemble.client(ensemble.address(1) + "," + ensemble.address(2), 10_000);
        client.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        writeSome(client, "n", 60);
        TestEnsemble.await(
                "identity is written", () -> identity(1) != null && identity(1).clusterId() != null);
        ClusterIdentity before = identity(1);
        for (int id = 1; id <= 3; id++) {
            ensemble.stop(id);
        }
        for (int id = 1; id <= 3; id++) {
            ensemble.start(id);
        }
        for (int id = 1; id <= 3; id++) {
            ensemble.awaitServing(id);
        }
        TestEnsemble.await("the client's session goes on", () -> exists(client, "/e"));
        assertArrayEquals(bytes("n59"), client.getData("/n59", false, null));
        assertEquals(before, identity(1));
    }

    /** False while the client has no connection. */
    private static boolean exists(ZooKeeper client, String path) {
        try {
            assertNotNull(path + " is gone", client.exists(path, false));
            return true;
        } catch (KeeperException.ConnectionLossException e) {
            return false;
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private ClusterIdentity identity(int id) {
        try {
            return ClusterIdentity.read(ensemble.orderingDirectory(id));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void snapshotsAndLogs_arePurgedTogetherWithTheirCheckpoints() throws Exception {
        ZooKeeper client = ensemble.client(1);
        int[] written = new int[1];
        TestEnsemble.await("the order may be cut", () -> {
            writeOne(client, written[0]++);
            return ensemble.order().checkpointPosition(1) > 0;
        });
        ensemble.stop(1);
        assertTrue(files(versionDirectory(1), "snapshot.").size() <= 4);
        assertTrue(files(checkpointDirectory(1), "checkpoint.").size() <= 4);
        restart(1);
        String last = "/p" + (written[0] - 1);
        assertNotNull(ensemble.client(1).exists(last, false));
    }

    private static void writeOne(ZooKeeper client, int number) {
        try {
            client.create("/p" + number, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void unforcedLogIsLost_orderBringsItBack() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "n", 50);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        StoredFiles.loseUnforced(versionDirectory(3), checkpointDirectory(3));
        restart(3);
        assertArrayEquals(bytes("n49"), ensemble.client(3).getData("/n49", false, null));
    }

    private Path checkpointDirectory(int id) {
        return ensemble.orderingDirectory(id).resolve("checkpoints");
    }

    @Test
    public void logTornAtAnyByteOfItsEnd_startsAndIsComplete() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "n", 10);
        ensemble.awaitEqualPositions();
        for (int cut = 1; cut < 200; cut += 37) {
            ensemble.stop(3);
            List<Path> logs = files(versionDirectory(3), "log.");
            Path newest = logs.get(logs.size() - 1);
            try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
                file.setLength(
                        Math.max(StoredFiles.forcedBytes(newest, checkpointDirectory(3)), endOfEntries(newest) - cut));
            }
            restart(3);
            assertArrayEquals(bytes("n9"), ensemble.client(3).getData("/n9", false, null));
            EnsembleChecks.assertReplicasEqual(ensemble, 3);
        }
    }

    @Test
    public void newestSnapshotDamaged_olderOneIsUsed() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "n", 120);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        List<Path> snapshots = files(versionDirectory(3), "snapshot.");
        assertTrue(snapshots.size() > 1);
        Path newest = snapshots.get(snapshots.size() - 1);
        try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
            file.seek(file.length() / 2);
            file.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        }
        restart(3);
        assertArrayEquals(bytes("n119"), ensemble.client(3).getData("/n119", false, null));
    }

    /** What is on the disk when a snapshot is interrupted. */
    @FunctionalInterface
    private interface Interruption {
        void leave(Path snapshot, Path checkpoint, Path temporary) throws IOException;
    }

    private void interruptSnapshot(ZooKeeper client, String when, Interruption interruption) throws Exception {
        writeSome(client, when, 50);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        List<Path> snapshots = files(versionDirectory(3), "snapshot.");
        assertTrue(when + ": " + snapshots, snapshots.size() > 1);
        Path newest = snapshots.get(snapshots.size() - 1);
        String zxid = newest.getFileName().toString().substring("snapshot.".length());
        interruption.leave(
                newest,
                checkpointDirectory(3).resolve("checkpoint." + zxid),
                versionDirectory(3).resolve("writing-snapshot"));
        restart(3);
        assertArrayEquals(bytes(when + 49), ensemble.client(3).getData("/" + when + 49, false, null));
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    private static void copyHalf(Path from, Path to) throws IOException {
        byte[] content = Files.readAllBytes(from);
        Files.write(to, Arrays.copyOf(content, content.length / 2));
    }

    /** The files of a snapshot become valid in three steps; a crash falls before, between or after them. */
    @Test
    public void crashAtAnyStepOfASnapshot_replicaComesBackWhole() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "n", 120);
        interruptSnapshot(client, "writing", (snapshot, checkpoint, temporary) -> {
            copyHalf(snapshot, temporary);
            copyHalf(checkpoint, checkpoint.resolveSibling(checkpoint.getFileName() + AtomicFile.TEMPORARY_SUFFIX));
            Files.delete(snapshot);
            Files.delete(checkpoint);
        });
        interruptSnapshot(client, "naming", (snapshot, checkpoint, temporary) -> {
            Files.move(snapshot, temporary, StandardCopyOption.REPLACE_EXISTING);
            assertTrue(Files.exists(checkpoint));
        });
        interruptSnapshot(client, "purging", (snapshot, checkpoint, temporary) -> {
            for (Path older : files(versionDirectory(3), "snapshot.")) {
                if (!older.equals(snapshot)) {
                    Files.delete(older);
                }
            }
        });
    }

    @Test
    public void forcedLogDamaged_isRefusedWithTheFilesName() throws Exception {
        ZooKeeper client = ensemble.client(1);
        writeSome(client, "n", 120);
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        Path forcedLog = StoredFiles.logOfNewestCheckpoint(versionDirectory(3), checkpointDirectory(3));
        byte[] content = Files.readAllBytes(forcedLog);
        byte[] damaged = content.clone();
        damaged[FIRST_ENTRY_BYTE] ^= 1;
        Files.write(forcedLog, damaged);
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(3));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(forcedLog.toString()));
        assertArrayEquals("nothing is modified", damaged, Files.readAllBytes(forcedLog));
        Files.write(forcedLog, content);
        restart(3);
    }

    @Test
    public void directoryOfAnotherReplica_isRefused() throws Exception {
        ensemble.stop(3);
        ClusterIdentity own = identity(3);
        new ClusterIdentity(7, own.clusterId(), "chain").write(ensemble.orderingDirectory(3));
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(3));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("replica 7"));
        own.write(ensemble.orderingDirectory(3));
        restart(3);
    }

    @Test
    public void snapshotCannotBeWritten_replicaGoesOnAndTriesAgain() throws Exception {
        Path obstacle = Files.createDirectories(versionDirectory(3).resolve("writing-snapshot/obstacle"));
        int before = files(versionDirectory(3), "snapshot.").size();
        writeSome(ensemble.client(3), "n", 100);
        ensemble.awaitEqualPositions();
        IOException failure =
                assertThrows(IOException.class, () -> ensemble.server(3).takeSnapshot(false, false));
        assertTrue(failure.getMessage(), failure.getMessage().contains("writing-snapshot could not be written"));
        assertEquals(before, files(versionDirectory(3), "snapshot.").size());
        assertTrue(ensemble.server(3).isServing());
        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        assertTrue(ensemble.server(3).takeSnapshot(false, false).exists());
        ensemble.stop(3);
        restart(3);
    }
}
