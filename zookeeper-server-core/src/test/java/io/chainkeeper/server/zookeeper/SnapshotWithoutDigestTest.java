package io.chainkeeper.server.zookeeper;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.server.EnsembleChecks;
import io.chainkeeper.server.TestEnsemble;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Snapshots of servers with other settings about what follows the tree. */
public class SnapshotWithoutDigestTest {
    private static final long ZXID = 0x100000007L;
    private static final int SEAL_BYTES = 13;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @After
    public void restoreSettings() {
        ZooKeeperServer.setDigestEnabled(true);
        ZooKeeperServer.setSerializeLastProcessedZxidEnabled(true);
        System.clearProperty("zookeeper.digest.enabled");
    }

    private File write(boolean digest, boolean lastZxid) throws Exception {
        ZooKeeperServer.setDigestEnabled(digest);
        ZooKeeperServer.setSerializeLastProcessedZxidEnabled(lastZxid);
        DataTree tree = new DataTree();
        tree.createNode("/gr\u00fc\u00df", new byte[] {1, 2}, Ids.OPEN_ACL_UNSAFE, 7, 1, ZXID, 1_000);
        tree.lastProcessedZxid = ZXID;
        File file = new File(folder.getRoot(), "snapshot." + Long.toHexString(ZXID));
        new FileSnap(folder.getRoot()).serialize(tree, new HashMap<>(Map.of(7L, 4_000)), file, true);
        ZooKeeperServer.setDigestEnabled(true);
        ZooKeeperServer.setSerializeLastProcessedZxidEnabled(true);
        return file;
    }

    private DataTree read() throws IOException {
        DataTree tree = new OrderedDataTree();
        Map<Long, Integer> sessions = new HashMap<>();
        assertEquals(ZXID, new FileSnap(folder.getRoot()).deserialize(tree, sessions));
        assertEquals(Map.of(7L, 4_000), sessions);
        return tree;
    }

    @Test
    public void anySections_areReadWithADigestOfTheTree() throws Exception {
        long digest = 0;
        for (boolean hasDigest : new boolean[] {true, false}) {
            for (boolean hasZxid : new boolean[] {true, false}) {
                write(hasDigest, hasZxid);
                DataTree tree = read();
                assertEquals(ZXID, tree.lastProcessedZxid);
                assertArrayEquals(
                        new byte[] {1, 2}, tree.getNode("/gr\u00fc\u00df").getData());
                digest = digest == 0 ? tree.getTreeDigest() : digest;
                assertEquals(digest, tree.getTreeDigest());
            }
        }
    }

    private void assertRefused(File file, byte[] bytes, int at) throws IOException {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 1;
        Files.write(file.toPath(), damaged);
        assertThrows("byte " + at, IOException.class, this::read);
    }

    @Test
    public void damagedTree_isRefusedWhateverFollows() throws Exception {
        for (boolean hasDigest : new boolean[] {true, false}) {
            File file = write(hasDigest, true);
            byte[] bytes = Files.readAllBytes(file.toPath());
            int behindTree = bytes.length - Long.BYTES - SEAL_BYTES - (hasDigest ? 20 + SEAL_BYTES : 0);
            assertRefused(file, bytes, behindTree - SEAL_BYTES - 10);
            assertRefused(file, bytes, behindTree - SEAL_BYTES + Long.BYTES - 1);
        }
    }

    @Test
    public void damagedDigest_isRefused() throws Exception {
        File file = write(true, true);
        byte[] bytes = Files.readAllBytes(file.toPath());
        assertRefused(file, bytes, bytes.length - Long.BYTES - 2 * SEAL_BYTES - 1);
    }

    @Test
    public void digestsWereOff_theServerGoesOnFromItsSnapshotAndKeepsThem() throws Exception {
        File directory = folder.newFolder("ensemble");
        for (int id = 1; id <= 3; id++) {
            File version2 = new File(directory, "replica" + id + "/version-2");
            Files.createDirectories(version2.toPath());
            Files.copy(write(false, true).toPath(), version2.toPath().resolve("snapshot.100000007"));
        }
        System.setProperty("zookeeper.digest.enabled", "false");
        ZooKeeperServer.setDigestEnabled(false);
        try (TestEnsemble ensemble = new TestEnsemble(directory.toPath(), 3).startAll()) {
            assertEquals(2, ensemble.client(2).exists("/gr\u00fc\u00df", false).getDataLength());
            ensemble.client(1).setData("/gr\u00fc\u00df", new byte[3], -1);
            ensemble.awaitEqualPositions();
            long digest = ensemble.server(1).getZKDatabase().getDataTree().getTreeDigest();
            assertEquals(
                    digest, ensemble.server(3).getZKDatabase().getDataTree().getTreeDigest());
            ensemble.server(2).takeSnapshot(false, false);
            ensemble.stop(2);
            ensemble.start(2);
            ensemble.awaitServing(2);
            EnsembleChecks.assertReplicasEqual(ensemble, 3);
        }
    }
}
