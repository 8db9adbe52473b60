package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.EphemeralType;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateTTLTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetACLTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * A tree that executes what is drawn, as ZooKeeper's log would hold it, on few paths, so that nodes are often created
 * anew. It goes on while a snapshot of it is written: between any two nodes, and between the parts of a multi.
 */
final class DrawnTransactions {
    /** Whatever is created or deleted is one of these, or of {@link #QUOTA}. */
    static final List<String> PATHS = paths();

    /** In the order in which they are created. */
    static final List<String> QUOTA =
            List.of(Quotas.quotaZookeeper + "/a", Quotas.statPath("/a"), Quotas.limitPath("/a"));

    private static final int MAX_STEPS_BETWEEN_NODES = 20;
    private static final int LISTS = 5;

    private final DataTree tree = OrderedDatabase.newTree();
    private final List<byte[]> log = new ArrayList<>();
    private final List<Long> sessions = new ArrayList<>(List.of(1L, 2L, 3L));

    /** What is left of a transaction that has been begun, or of several that belong together. */
    private final Queue<Step> begun = new ArrayDeque<>();

    private final SplittableRandom random;
    private final boolean quotas;
    private final int stepsBetweenNodes;
    private long lastSession = sessions.size();
    private long zxid = 0x100;

    /** What is done at once. */
    @FunctionalInterface
    private interface Step {
        void execute() throws IOException, KeeperException;
    }

    /** Of a transaction. */
    private record Operation(int type, Record record) {}

    /**
     * @param random what is drawn from
     * @param quotas whether a quota is set and removed
     */
    DrawnTransactions(SplittableRandom random, boolean quotas) {
        this.random = random;
        this.quotas = quotas;
        this.stepsBetweenNodes = 1 + random.nextInt(MAX_STEPS_BETWEEN_NODES);
    }

    private static List<String> paths() {
        List<String> paths = new ArrayList<>(List.of(""));
        for (int i = 0; i < 1 + 2 + 4; i++) {
            paths.add(paths.get(i) + "/a");
            paths.add(paths.get(i) + "/b");
        }
        return List.copyOf(paths.subList(1, paths.size()));
    }

    DataTree tree() {
        return tree;
    }

    /** Entries of the log. */
    List<byte[]> log() {
        return log;
    }

    /** Sessions have the numbers from 1 to this one. */
    long lastSession() {
        return lastSession;
    }

    /** Executes so many transactions or parts of one. */
    void steps(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            step();
        }
    }

    /** Ends what has been begun. */
    void finish() throws IOException {
        while (!begun.isEmpty()) {
            step();
        }
    }

    private void step() throws IOException {
        try {
            if (begun.isEmpty()) {
                begin();
            } else {
                begun.remove().execute();
            }
        } catch (KeeperException e) {
            throw new AssertionError("what is drawn can be executed", e);
        }
    }

    private void begin() throws IOException {
        int kind = random.nextInt(24);
        if (kind < 4) {
            beginMulti();
        } else if (kind == 4) {
            failMulti();
        } else if (kind < 7) {
            closeSession();
        } else if (kind == 7 && quotas) {
            setOrRemoveQuota();
        } else {
            Operation operation = draw(false);
            log(operation.type, operation.record, operation.record);
        }
    }

    private TxnHeader header(long session, int type) {
        return new TxnHeader(session, 1, zxid + 1, 1000 + zxid, type);
    }

    private void log(int type, Record logged, Record executed) throws IOException {
        log(header(sessions.get(0), type), logged, executed);
    }

    private void log(TxnHeader header, Record logged, Record executed) throws IOException {
        assertEquals(logged.toString(), 0, tree.processTxn(header, executed).err);
        zxid = header.getZxid();
        int version = tree.getLastProcessedZxidDigest().getDigestVersion();
        log.add(Util.marshallTxnEntry(header, logged, new TxnDigest(version, tree.getTreeDigest())));
    }

    private void beginMulti() {
        List<Txn> parts = new ArrayList<>();
        for (int count = 2 + random.nextInt(3); count > 0; count--) {
            begun.add(() -> {
                Operation part = draw(true);
                parts.add(part(part.type, part.record));
                TxnHeader header = header(sessions.get(0), part.type);
                assertEquals(0, tree.processTxn(header, part.record, true).err);
            });
        }
        begun.add(() -> log(OpCode.multi, new MultiTxn(parts), new MultiTxn(List.of())));
    }

    /** The log holds what it would have done before the operation that has failed. */
    private void failMulti() throws IOException {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        List<Txn> parts = new ArrayList<>();
        for (String other : new TreeSet<>(PATHS).descendingSet()) {
            if ((other + "/").startsWith(path + "/") && tree.getNode(other) != null) {
                parts.add(part(OpCode.delete, new DeleteTxn(other)));
            }
        }
        parts.add(part(OpCode.error, new ErrorTxn(Code.BADVERSION.intValue())));
        log(OpCode.multi, new MultiTxn(parts), new MultiTxn(List.of()));
    }

    private void closeSession() {
        int index = random.nextInt(sessions.size());
        long session = sessions.get(index);
        sessions.set(index, ++lastSession);
        List<String> paths = new ArrayList<>(new TreeSet<>(tree.getEphemerals(session)));
        TxnHeader header = header(session, OpCode.closeSession);
        for (String path : paths) {
            begun.add(() -> tree.deleteNode(path, header.getZxid()));
        }
        CloseSessionTxn end = new CloseSessionTxn(paths);
        begun.add(() -> log(header, end, end));
    }

    private void setOrRemoveQuota() {
        boolean set = tree.getNode(QUOTA.get(0)) == null;
        for (int i = 0; i < QUOTA.size(); i++) {
            String path = QUOTA.get(set ? i : QUOTA.size() - 1 - i);
            byte[] data = path.equals(QUOTA.get(0)) ? null : "count=1,bytes=1".getBytes();
            begun.add(() -> {
                Record record = set
                        ? new CreateTxn(path, data, Ids.OPEN_ACL_UNSAFE, false, parentCVersion(path))
                        : new DeleteTxn(path);
                log(set ? OpCode.create : OpCode.delete, record, record);
            });
        }
    }

    private Operation draw(boolean forMulti) {
        while (true) {
            int number = random.nextInt(PATHS.size() + 1);
            String path = number == PATHS.size() ? "/" : PATHS.get(number);
            DataNode node = tree.getNode(path);
            int kind = random.nextInt(3);
            if (node == null) {
                DataNode parent = tree.getNode(parent(path));
                if (parent != null && EphemeralType.get(owner(parent)) != EphemeralType.NORMAL) {
                    return create(path);
                }
            } else if (kind == 0 && !path.equals("/")) { // whose bytes ZooKeeper counts twice in a snapshot
                return new Operation(OpCode.setData, new SetDataTxn(path, data(), node.stat.getVersion() + 1));
            } else if (kind == 1 && !forMulti) {
                return new Operation(OpCode.setACL, new SetACLTxn(path, list(), node.stat.getAversion() + 1));
            } else if (node.getChildren().isEmpty()) {
                boolean ends = owner(node) != 0 && EphemeralType.get(owner(node)) != EphemeralType.NORMAL;
                return new Operation(ends ? OpCode.deleteContainer : OpCode.delete, new DeleteTxn(path));
            }
        }
    }

    private Operation create(String path) {
        int cVersion = parentCVersion(path);
        int kind = random.nextInt(8);
        return switch (kind) {
            case 0 -> new Operation(OpCode.createContainer, new CreateContainerTxn(path, data(), list(), cVersion));
            case 1 -> new Operation(OpCode.createTTL, new CreateTTLTxn(path, data(), list(), cVersion, 1000));
            default -> {
                int type = kind < 5 ? OpCode.create : OpCode.create2;
                yield new Operation(type, new CreateTxn(path, data(), list(), kind % 2 == 0, cVersion));
            }
        };
    }

    private static long owner(DataNode node) {
        return node.stat.getEphemeralOwner();
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    private int parentCVersion(String path) {
        return tree.getNode(parent(path)).stat.getCversion() + 1;
    }

    private byte[] data() {
        int length = random.nextInt(-1, 4);
        byte[] data = length < 0 ? null : new byte[length];
        if (data != null) {
            random.nextBytes(data);
        }
        return data;
    }

    private List<ACL> list() {
        return list(random.nextInt(LISTS));
    }

    /** One of a few access lists. */
    static List<ACL> list(int number) {
        return number == 0 ? Ids.OPEN_ACL_UNSAFE : List.of(new ACL(Perms.ALL, new Id("ip", "10.0.0." + number)));
    }

    /** What a multi consists of. */
    static Txn part(int type, Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        record.serialize(BinaryOutputArchive.getArchive(bytes), "txn");
        return new Txn(type, bytes.toByteArray());
    }

    /**
     * What ZooKeeper's FileSnap writes behind its header, without seals.
     *
     * @return as it is in a file
     */
    byte[] snapshot() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryOutputArchive archive = new BinaryOutputArchive(new DataOutputStream(bytes)) {
            @Override
            public void writeRecord(Record record, String tag) throws IOException {
                super.writeRecord(record, tag);
                if (record instanceof DataNode) {
                    steps(random.nextInt(stepsBetweenNodes));
                }
            }
        };
        archive.writeInt(0, "count"); // no sessions
        tree.serializeAcls(archive);
        steps(random.nextInt(stepsBetweenNodes));
        tree.serializeNodes(archive);
        finish(); // else ZooKeeper's snapshot has the digest of the transaction before
        tree.serializeZxidDigest(archive);
        tree.serializeLastProcessedZxid(archive);
        return bytes.toByteArray();
    }
}
