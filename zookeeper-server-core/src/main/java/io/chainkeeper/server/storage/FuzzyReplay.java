package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.state.Zxids;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateTTLTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * What ZooKeeper's {@link DataTree} does not do when transactions are replayed on what a snapshot has brought back. A
 * snapshot is written while the tree changes, so it may hold what later transactions have made:
 *
 * <ul>
 *   <li>a node that was deleted and created anew, with children. The replayed deletion takes the node away and leaves
 *       its children in the tree without a parent; the replayed creation of such a child (since ZOOKEEPER-4846) finds
 *       it there and does not enter it among the children of the new node. Nobody would see it in a list of children,
 *       and the next snapshot would not hold it;
 *   <li>a node whose creation is replayed. Its ACL is counted twice, and never forgotten;
 *   <li>a node with an ACL that came after the ACLs had been written (ZOOKEEPER-4689). A replayed transaction
 *       that looks at it ends with an exception, at every start; or the number of the ACL is given to another one,
 *       which is forgotten although nodes have it.
 * </ul>
 *
 * <p>Stateless.
 */
public final class FuzzyReplay {
    /** Of nodes whose ACL a later transaction brings: allows nobody anything. */
    private static final List<ACL> NOBODY = List.of(new ACL(0, Ids.ANYONE_ID_UNSAFE));

    private FuzzyReplay() {}

    /** A tree that notes what a snapshot lacks. */
    public interface Loaded {
        /**
         * A snapshot begins with the ACLs. A node that was given a new one after they had been written refers
         * to what the snapshot does not hold.
         *
         * @return the paths of such nodes in the snapshot that the tree was read from last
         */
        List<String> withoutAcl();
    }

    /**
     * Before the first transaction is replayed: gives an ACL to the nodes whose ACLs the snapshot does not hold. It
     * is a later transaction that has given them theirs.
     *
     * @param tree read from a snapshot
     */
    public static void begin(DataTree tree) {
        if (tree instanceof Loaded loaded) {
            // First the ACL that has no number: a new one would get the number that another such node refers to.
            setAcl(tree, loaded.withoutAcl(), null);
            setAcl(tree, loaded.withoutAcl(), NOBODY);
        }
    }

    private static void setAcl(DataTree tree, List<String> paths, List<ACL> acl) {
        for (String path : paths) {
            try {
                tree.setACL(path, acl, tree.statNode(path, null).getAversion());
            } catch (NoNodeException e) {
                throw new InvariantViolated("node " + path + " was in the snapshot, and is not in the tree");
            }
        }
    }

    /**
     * Before a transaction is replayed: takes away what it has not found when it was executed. What it creates was not
     * there, and what it deletes had no children. So all of that is of later transactions, which are replayed, too.
     *
     * @param tree the tree
     * @param header of the transaction
     * @param transaction null if there is only the header
     */
    public static void forgetLater(DataTree tree, TxnHeader header, Record transaction) {
        if (header.getType() == OpCode.closeSession) {
            tree.getEphemerals(header.getClientId()).forEach(path -> forgetBelow(tree, path, header.getZxid()));
        }
        if (transaction instanceof CloseSessionTxn end) {
            end.getPaths2Delete().forEach(path -> forgetBelow(tree, path, header.getZxid()));
        }
        for (Record part : parts(header, transaction)) {
            if (part instanceof DeleteTxn delete) {
                forgetBelow(tree, delete.getPath(), header.getZxid());
            } else if (created(part) != null) {
                forgetBelow(tree, created(part), header.getZxid());
                forget(tree, created(part), header.getZxid());
            }
        }
    }

    private static void forgetBelow(DataTree tree, String path, long zxid) {
        List<String> below = new ArrayList<>(List.of(path));
        for (int i = 0; i < below.size(); i++) {
            DataNode node = tree.getNode(below.get(i));
            if (node != null) {
                for (String child : new TreeSet<>(node.getChildren())) {
                    below.add(below.get(i) + "/" + child);
                }
            }
        }
        for (int i = below.size() - 1; i > 0; i--) {
            InvariantViolated.check(
                    tree.getNode(below.get(i)) != null,
                    "node %s is a child of its parent, and is not there",
                    below.get(i));
            forget(tree, below.get(i), zxid);
        }
    }

    private static void forget(DataTree tree, String path, long zxid) {
        if (tree.getNode(path) != null) {
            try {
                tree.deleteNode(path, zxid);
            } catch (NoNodeException e) {
                throw new InvariantViolated("node " + path + " is there, and its parent is not");
            }
        }
    }

    /**
     * After a transaction was replayed: a node that it creates is a child of its parent.
     *
     * @param tree the tree
     * @param header of the transaction
     * @param transaction null if there is only the header
     * @throws InvariantViolated if it is not
     */
    public static void checkCreated(DataTree tree, TxnHeader header, Record transaction) {
        for (Record part : parts(header, transaction)) {
            checkLinked(tree, header, created(part));
        }
    }

    private static void checkLinked(DataTree tree, TxnHeader header, String path) {
        if (path == null || tree.getNode(path) == null) {
            return; // it needs a parent that a later transaction deletes
        }
        int slash = path.lastIndexOf('/');
        DataNode parent = tree.getNode(path.substring(0, slash));
        InvariantViolated.check(
                parent != null && parent.getChildren().contains(path.substring(slash + 1)),
                "transaction %s creates node %s, which is there and is no child of its parent",
                Zxids.text(header.getZxid()),
                path);
    }

    /** Creations and deletions; of a multi that has failed there are none, although it says what it would have done. */
    private static List<Record> parts(TxnHeader header, Record transaction) {
        if (!(transaction instanceof MultiTxn multi)) {
            return transaction == null ? List.of() : List.of(transaction);
        }
        List<Record> parts = new ArrayList<>();
        for (Txn part : multi.getTxns()) {
            if (part.getType() == OpCode.error) {
                return List.of();
            }
            Record empty = empty(part.getType());
            if (empty != null) {
                parts.add(decode(part, empty, header));
            }
        }
        return parts;
    }

    private static Record empty(int type) {
        return switch (type) {
            case OpCode.create, OpCode.create2 -> new CreateTxn();
            case OpCode.createTTL -> new CreateTTLTxn();
            case OpCode.createContainer -> new CreateContainerTxn();
            case OpCode.delete, OpCode.deleteContainer -> new DeleteTxn();
            default -> null;
        };
    }

    /** The node that is created; null if none is. */
    private static String created(Record transaction) {
        if (transaction instanceof CreateTxn create) {
            return create.getPath();
        } else if (transaction instanceof CreateTTLTxn create) {
            return create.getPath();
        }
        return transaction instanceof CreateContainerTxn create ? create.getPath() : null;
    }

    private static Record decode(Txn part, Record record, TxnHeader header) {
        try {
            record.deserialize(BinaryInputArchive.getArchive(new ByteArrayInputStream(part.getData())), "txn");
            return record;
        } catch (IOException e) {
            throw new UncheckedIOException("a part of transaction " + Zxids.text(header.getZxid()) + " is damaged", e);
        }
    }
}
