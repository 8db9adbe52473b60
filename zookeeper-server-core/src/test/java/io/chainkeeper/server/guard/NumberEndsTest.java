package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.DataTree;
import org.junit.Test;

/** Numbers that end are seen where a tree changes, and where it is read from a snapshot. */
public class NumberEndsTest {
    private static final int NEARLY = NumberEnds.NEAR;

    private static long gauge(DataTree tree, String name) {
        return OrderedDatabase.gauges(tree).get(name).getAsLong();
    }

    private static void create(DataTree tree, String path, int created, long zxid) throws Exception {
        tree.createNode(path, new byte[0], Ids.OPEN_ACL_UNSAFE, 0, created, zxid, 1);
    }

    private static DataTree readBack(DataTree tree) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        tree.serialize(BinaryOutputArchive.getArchive(bytes), "tree");
        DataTree read = OrderedDatabase.newTree();
        read.deserialize(BinaryInputArchive.getArchive(new ByteArrayInputStream(bytes.toByteArray())), "tree");
        return read;
    }

    @Test
    public void manyChildren_areSeenUntilTheirParentIsGone() throws Exception {
        DataTree tree = OrderedDatabase.newTree();
        create(tree, "/a", 1, 1);
        create(tree, "/a/x", NEARLY - 1, 2);
        assertEquals(0, gauge(tree, "sequences_near_end"));
        create(tree, "/a/y", NEARLY, 3);
        create(tree, "/z", NEARLY, 4);
        assertEquals(2, gauge(tree, "sequences_near_end"));
        assertEquals(NEARLY, gauge(tree, "children_created_max"));
        DataTree read = readBack(tree);
        assertEquals(2, gauge(read, "sequences_near_end"));
        assertEquals(NEARLY, gauge(read, "children_created_max"));
        for (String path : List.of("/a/x", "/a/y", "/a")) {
            tree.deleteNode(path, 5);
        }
        assertEquals("that of / is left", 1, gauge(tree, "sequences_near_end"));
    }

    @Test
    public void dataSetOften_isSeenUntilItsVersionBeginsAnew() throws Exception {
        DataTree tree = OrderedDatabase.newTree();
        create(tree, "/a", 1, 1);
        tree.setData("/a", new byte[1], NEARLY, 2, 2);
        assertEquals(1, gauge(tree, "versions_near_end"));
        assertEquals(1, gauge(readBack(tree), "versions_near_end"));
        tree.setData("/a", new byte[1], Integer.MIN_VALUE, 3, 3);
        assertEquals(0, gauge(tree, "versions_near_end"));
    }

    @Test
    public void epochOfZxids_isSeen() throws Exception {
        DataTree tree = OrderedDatabase.newTree();
        create(tree, "/a", 1, (long) (NEARLY - 1) << 32);
        assertEquals(0, gauge(tree, "zxid_epochs_near_end"));
        create(tree, "/b", 2, (long) NEARLY << 32);
        assertEquals(1, gauge(tree, "zxid_epochs_near_end"));
        assertTrue(gauge(tree, "children_created_max") >= 2);
    }
}
