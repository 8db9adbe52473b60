package io.chainkeeper.server.admin;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.EphemeralType;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Nodes that have become others since, which no request can make of those that there are. */
public class TreeDifferenceTest {
    private static final String EXTENDED_TYPES = "zookeeper.extendedTypesEnabled";
    private static final int MAX_ROUNDS = 4;
    private static final long SESSION = 7;

    private final DataTree present = OrderedDatabase.newTree();
    private final DataTree wanted = OrderedDatabase.newTree();

    @Before
    public void offerTimeToLive() {
        System.setProperty(EXTENDED_TYPES, "true");
    }

    @After
    public void withdrawTimeToLive() {
        System.clearProperty(EXTENDED_TYPES);
    }

    private static void create(DataTree tree, String path, long owner) throws KeeperException {
        tree.createNode(path, path.getBytes(), Ids.OPEN_ACL_UNSAFE, owner, -1, 1, 1);
    }

    private static long owner(DataTree tree, String path) {
        return tree.getNode(path).stat.getEphemeralOwner();
    }

    /** As the order does it: a deletion of what has children, or a creation of what is there, fails. */
    private void execute(Op operation) throws Exception {
        Record record = operation.toRequestRecord();
        if (record instanceof DeleteRequest delete) {
            assertTrue(
                    delete.getPath(),
                    present.getNode(delete.getPath()).getChildren().isEmpty());
            present.deleteNode(delete.getPath(), 1);
        } else if (record instanceof CreateTTLRequest lasting) {
            long owner = EphemeralType.TTL.toEphemeralOwner(lasting.getTtl());
            present.createNode(lasting.getPath(), lasting.getData(), lasting.getAcl(), owner, -1, 1, 1);
        } else {
            CreateRequest request = (CreateRequest) record;
            long owner = CreateMode.fromFlag(request.getFlags()) == CreateMode.CONTAINER
                    ? EphemeralType.CONTAINER_EPHEMERAL_OWNER
                    : 0;
            present.createNode(request.getPath(), request.getData(), request.getAcl(), owner, -1, 1, 1);
        }
    }

    private void restore() throws Exception {
        for (int round = 1; round <= MAX_ROUNDS; round++) {
            TreeDifference difference = TreeDifference.between(present, wanted);
            if (difference.isEmpty()) {
                return;
            }
            for (Op operation : difference.operations()) {
                execute(operation);
            }
        }
        throw new AssertionError("not done after " + MAX_ROUNDS + " rounds");
    }

    @Test
    public void nodeOfAnotherKind_isReplacedWithAllBelow() throws Exception {
        long container = EphemeralType.CONTAINER_EPHEMERAL_OWNER;
        long minute = EphemeralType.TTL.toEphemeralOwner(60_000);
        long hour = EphemeralType.TTL.toEphemeralOwner(3_600_000);
        List<Long> wantedOwners = List.of(0L, container, minute);
        List<Long> presentOwners = List.of(0L, container, minute, hour, SESSION);
        for (long then : wantedOwners) {
            for (long now : presentOwners) {
                String path = "/" + Long.toHexString(then) + "-" + Long.toHexString(now);
                create(wanted, path, then);
                create(wanted, path + "/child", then);
                create(present, path, now);
                if (now != SESSION) {
                    create(present, path + "/child", 0);
                    create(present, path + "/child/surplus", 0);
                }
            }
        }
        restore();
        for (long then : wantedOwners) {
            for (long now : presentOwners) {
                String path = "/" + Long.toHexString(then) + "-" + Long.toHexString(now);
                assertEquals(path, then, owner(present, path));
                assertEquals(path, then, owner(present, path + "/child"));
                assertEquals(
                        path, 0, present.getNode(path + "/child").getChildren().size());
                assertArrayEquals(path, path.getBytes(), present.getNode(path).getData());
            }
        }
    }

    /** Its creation counts, too: nodes in passing would be one too many. */
    @Test
    public void childIsToBeReplaced_itsParentIsCountedWhenItIsThere() throws Exception {
        create(present, "/parent", 0);
        create(present, "/parent/child", EphemeralType.CONTAINER_EPHEMERAL_OWNER);
        create(wanted, "/parent", 0);
        create(wanted, "/parent/child", 0);
        wanted.getNode("/parent")
                .stat
                .setCversion(present.getNode("/parent").stat.getCversion() + 2);
        assertEquals(List.of(), TreeDifference.between(present, wanted).passing());
        present.deleteNode("/parent/child", 1);
        create(present, "/parent/child", 0);
        assertEquals(
                List.of(new TreeDifference.Passing("/parent/restored-in-passing", 1)),
                TreeDifference.between(present, wanted).passing());
    }
}
