package io.chainkeeper.server.zookeeper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.DataTree;
import org.junit.Test;

/** The tree finds the quotas that ZooKeeper's finds. */
public final class OrderedDataTreeTest {
    private static final byte[] LIMITS = "count=10,bytes=1000".getBytes();
    private static final List<String> PATHS = List.of("/", "/a", "/a/b", "/a/b/c", "/foo/x", "/zookeeper/quota");

    private final DataTree plain = new DataTree();
    private final DataTree ours = new OrderedDataTree();
    private long zxid;

    private void create(String path, byte[] data) throws KeeperException {
        zxid++;
        for (DataTree tree : List.of(plain, ours)) {
            tree.createNode(path, data, List.copyOf(Ids.OPEN_ACL_UNSAFE), 0, -1, zxid, zxid, null);
        }
        assertAlike(ours);
    }

    private void delete(String path) throws KeeperException {
        zxid++;
        for (DataTree tree : List.of(plain, ours)) {
            tree.deleteNode(path, zxid);
        }
        assertAlike(ours);
    }

    private void assertAlike(DataTree tree) {
        for (String path : PATHS) {
            assertEquals(path, plain.getMaxPrefixWithQuota(path), tree.getMaxPrefixWithQuota(path));
        }
    }

    /** Writes the tree as a snapshot holds it and reads it into a new one. */
    private DataTree reloaded() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ours.serialize(BinaryOutputArchive.getArchive(bytes), "tree");
        DataTree tree = new OrderedDataTree();
        tree.deserialize(BinaryInputArchive.getArchive(new ByteArrayInputStream(bytes.toByteArray())), "tree");
        assertAlike(tree);
        return tree;
    }

    @Test
    public void quotaSetAndRemoved_isFoundMeanwhile() throws Exception {
        create("/a", null);
        assertNull(ours.getMaxPrefixWithQuota("/a/b"));
        create("/zookeeper/quota/a", null);
        create("/zookeeper/quota/a/zookeeper_stats", LIMITS);
        create("/zookeeper/quota/a/zookeeper_limits", LIMITS);
        assertEquals("/a", ours.getMaxPrefixWithQuota("/a/b"));
        delete("/zookeeper/quota/a/zookeeper_limits");
        assertNull(ours.getMaxPrefixWithQuota("/a/b"));
    }

    @Test
    public void quotaInASnapshot_isFound() throws Exception {
        create("/a", null);
        reloaded();
        create("/zookeeper/quota/a", null);
        create("/zookeeper/quota/a/zookeeper_stats", LIMITS);
        create("/zookeeper/quota/a/zookeeper_limits", LIMITS);
        assertEquals("/a", reloaded().getMaxPrefixWithQuota("/a/b"));
    }

    /** ZooKeeper looks at the beginning of the path only, so it finds a quota in a znode that is named alike. */
    @Test
    public void znodeNamedLikeTheOneOfQuotas_isTreatedAlike() throws Exception {
        create("/zookeeper/quotafoo", null);
        create("/zookeeper/quotafoo/zookeeper_limits", LIMITS);
        delete("/zookeeper/quotafoo/zookeeper_limits");
    }
}
