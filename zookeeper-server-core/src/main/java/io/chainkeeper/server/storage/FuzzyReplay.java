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
import org.apache.zookeeper.ZooDefs.OpCode;
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
 * snapshot is written while the tree changes, so it may hold what later transactions have made. If it holds a node that
 * was deleted and created anew, with children, the replayed deletion takes the node away and leaves its children in the
 * tree without a parent; the replayed creation of such a child (since ZOOKEEPER-4846) finds it there and does not enter
 * it among the children of the new node. Nobody would see it in a list of children, and the next snapshot would not
 * hold it. Stateless.
 */
public final class FuzzyReplay {
    private FuzzyReplay() {}

    /**
     * Before a transaction is replayed: takes away what lies below the nodes that it deletes. A node is deleted only
     * when it has no children, so all of that is of later transactions, which are replayed, too.
     *
     * @param tree the tree
     * @param header of the transaction
     * @param transaction null if there is only the header
     */
    public static void forgetLaterChildren(DataTree tree, TxnHeader header, Record transaction) {
        if (header.getType() == OpCode.closeSession) {
            tree.getEphemerals(header.getClientId()).forEach(path -> forgetBelow(tree, path, header.getZxid()));
        }
        if (transaction instanceof DeleteTxn delete) {
            forgetBelow(tree, delete.getPath(), header.getZxid());
        } else if (transaction instanceof CloseSessionTxn end) {
            end.getPaths2Delete().forEach(path -> forgetBelow(tree, path, header.getZxid()));
        } else if (transaction instanceof MultiTxn multi) {
            for (Txn part : multi.getTxns()) {
                if (part.getType() == OpCode.delete || part.getType() == OpCode.deleteContainer) {
                    DeleteTxn delete = decode(part, new DeleteTxn(), header);
                    forgetBelow(tree, delete.getPath(), header.getZxid());
                }
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
            try {
                tree.deleteNode(below.get(i), zxid);
            } catch (NoNodeException e) {
                throw new InvariantViolated("node " + below.get(i) + " is a child of its parent, and is not there");
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
        if (transaction instanceof MultiTxn multi) {
            for (Txn part : multi.getTxns()) {
                Record created = created(part.getType());
                if (created != null) {
                    checkLinked(tree, header, path(decode(part, created, header)));
                }
            }
        } else {
            checkLinked(tree, header, path(transaction));
        }
    }

    private static Record created(int type) {
        return switch (type) {
            case OpCode.create, OpCode.create2 -> new CreateTxn();
            case OpCode.createTTL -> new CreateTTLTxn();
            case OpCode.createContainer -> new CreateContainerTxn();
            default -> null;
        };
    }

    private static String path(Record transaction) {
        if (transaction instanceof CreateTxn create) {
            return create.getPath();
        } else if (transaction instanceof CreateTTLTxn create) {
            return create.getPath();
        }
        return transaction instanceof CreateContainerTxn create ? create.getPath() : null;
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

    private static <T extends Record> T decode(Txn part, T record, TxnHeader header) {
        try {
            record.deserialize(BinaryInputArchive.getArchive(new ByteArrayInputStream(part.getData())), "txn");
            return record;
        } catch (IOException e) {
            throw new UncheckedIOException("a part of transaction " + Zxids.text(header.getZxid()) + " is damaged", e);
        }
    }
}
