package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.InputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.TxnLogEntry;
import org.apache.zookeeper.server.util.SerializeUtils;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetACLTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What a fuzzy snapshot and the log behind it bring back is the tree that has been there. */
public class FuzzyReplayTest {
    private static final String EXTENDED_TYPES = "zookeeper.extendedTypesEnabled";
    private static final int SEEDS = 500;
    private static final int MAX_STEPS_BEFORE = 60;
    private static final int MAX_STEPS_BEHIND = 20;
    private static final long SESSION = 7;
    private static final DeleteTxn DELETE_CONTAINER = new DeleteTxn("/container");
    private static final CreateContainerTxn CREATE_CONTAINER =
            new CreateContainerTxn("/container", null, Ids.OPEN_ACL_UNSAFE, 2);

    @Before
    public void offerTimeToLive() {
        System.setProperty(EXTENDED_TYPES, "true");
    }

    @After
    public void clearSetting() {
        System.clearProperty(EXTENDED_TYPES);
    }

    private static TxnHeader header(long zxid, int type) {
        return new TxnHeader(SESSION, 1, zxid, 1000 + zxid, type);
    }

    private static CreateTxn create(String path, int list) {
        return new CreateTxn(path, null, DrawnTransactions.list(list), false, 1);
    }

    private static void replay(DataTree tree, long zxid, int type, Record transaction) {
        FuzzyReplay.forgetLater(tree, header(zxid, type), transaction);
        replayWithoutForgetting(tree, zxid, type, transaction);
    }

    private static void replayWithoutForgetting(DataTree tree, long zxid, int type, Record transaction) {
        tree.processTxn(header(zxid, type), transaction);
        FuzzyReplay.checkCreated(tree, header(zxid, type), transaction);
    }

    /** A tree that holds what is created later than the transaction that is replayed first. */
    private static DataTree withContainer() {
        DataTree tree = OrderedDatabase.newTree();
        tree.processTxn(header(0x157, OpCode.createContainer), CREATE_CONTAINER);
        tree.processTxn(header(0x162, OpCode.create), create("/container/child", 0));
        return tree;
    }

    private static void assertKeepsChild(int type, Record deletion) throws Exception {
        DataTree tree = withContainer();
        replay(tree, 0x140, type, deletion);
        replay(tree, 0x157, OpCode.createContainer, CREATE_CONTAINER);
        assertEquals(List.of(), tree.getChildren("/container", null, null));
        replay(tree, 0x162, OpCode.create, create("/container/child", 0));
        assertEquals(List.of("child"), tree.getChildren("/container", null, null));

        DataTree other = withContainer();
        replayWithoutForgetting(other, 0x140, type, deletion);
        replayWithoutForgetting(other, 0x157, OpCode.createContainer, CREATE_CONTAINER);
        assertThrows(
                InvariantViolated.class,
                () -> replayWithoutForgetting(other, 0x162, OpCode.create, create("/container/child", 0)));
        assertEquals(List.of(), other.getChildren("/container", null, null));
    }

    @Test
    public void containerDeletedAndCreatedAnew_keepsItsChild() throws Exception {
        assertKeepsChild(OpCode.deleteContainer, DELETE_CONTAINER);
    }

    @Test
    public void containerDeletedByAMulti_keepsItsChild() throws Exception {
        assertKeepsChild(
                OpCode.multi,
                new MultiTxn(List.of(
                        DrawnTransactions.part(OpCode.setData, new SetDataTxn("/", null, 1)),
                        DrawnTransactions.part(OpCode.delete, DELETE_CONTAINER))));
    }

    @Test
    public void ephemeralNodeBeforeTheContainer_isDeletedWithItsSessionAndTheChildKept() throws Exception {
        assertKeepsChild(OpCode.closeSession, new CloseSessionTxn(List.of("/container")));
    }

    /** Its log entry says what it would have deleted before it failed. */
    @Test
    public void failedMulti_takesNothingAway() throws Exception {
        DataTree tree = withContainer();
        MultiTxn multi = new MultiTxn(List.of(
                DrawnTransactions.part(OpCode.delete, new DeleteTxn("/container/child")),
                DrawnTransactions.part(OpCode.delete, DELETE_CONTAINER),
                DrawnTransactions.part(OpCode.error, new ErrorTxn(Code.BADVERSION.intValue()))));
        replay(tree, 0x170, OpCode.multi, multi);
        assertEquals(List.of("child"), tree.getChildren("/container", null, null));
    }

    /** Two nodes get a new access list after the lists have been written and before the nodes are. */
    private static DataTree withoutLists() throws IOException {
        DataTree live = OrderedDatabase.newTree();
        live.processTxn(header(1, OpCode.create), create("/a", 0));
        live.processTxn(header(2, OpCode.create), create("/b", 0));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryOutputArchive archive = BinaryOutputArchive.getArchive(bytes);
        live.serializeAcls(archive);
        live.processTxn(header(3, OpCode.setData), new SetDataTxn("/b", new byte[1], 1));
        live.processTxn(header(4, OpCode.setACL), new SetACLTxn("/a", DrawnTransactions.list(1), 1));
        live.processTxn(header(5, OpCode.setACL), new SetACLTxn("/b", DrawnTransactions.list(1), 1));
        live.serializeNodes(archive);
        DataTree tree = OrderedDatabase.newTree();
        tree.deserialize(BinaryInputArchive.getArchive(new ByteArrayInputStream(bytes.toByteArray())), "tree");
        return tree;
    }

    private static void replayLists(DataTree tree) {
        replay(tree, 4, OpCode.setACL, new SetACLTxn("/a", DrawnTransactions.list(1), 1));
        replay(tree, 5, OpCode.setACL, new SetACLTxn("/b", DrawnTransactions.list(1), 1));
    }

    @Test
    public void accessListsThatTheSnapshotLacks_areThoseOfTheLog() throws Exception {
        DataTree tree = withoutLists();
        FuzzyReplay.begin(tree);
        for (String path : List.of("/a", "/b")) {
            assertEquals("nobody may", 0, tree.getACL(path, null).get(0).getPerms());
        }
        replay(tree, 3, OpCode.setData, new SetDataTxn("/b", new byte[1], 1));
        replayLists(tree);
        for (String path : List.of("/a", "/b")) {
            assertEquals(path, DrawnTransactions.list(1), tree.getACL(path, null));
        }
    }

    /** What the rest of this class rests on; if it fails, ZooKeeper has got better. */
    @Test
    public void accessListsThatTheSnapshotLacks_areTooMuchForZooKeepersTree() throws Exception {
        DataTree tree = withoutLists();
        SetDataTxn setData = new SetDataTxn("/b", new byte[1], 1);
        assertThrows(RuntimeException.class, () -> replay(tree, 3, OpCode.setData, setData));
        replayLists(tree);
        assertThrows("the list was taken for one of one node", RuntimeException.class, () -> tree.getACL("/a", null));
    }

    private static Map<String, String> describe(DataTree tree, long lastSession) throws KeeperException {
        Map<String, String> description = new TreeMap<>();
        List<String> reached = new ArrayList<>(List.of(""));
        for (int i = 0; i < reached.size(); i++) {
            for (String child : new TreeSet<>(tree.getNode(reached.get(i)).getChildren())) {
                reached.add(reached.get(i) + "/" + child);
            }
        }
        description.put("reached", reached.toString());
        List<String> paths = new ArrayList<>(reached);
        paths.addAll(DrawnTransactions.PATHS);
        paths.addAll(DrawnTransactions.QUOTA);
        for (String path : paths) {
            DataNode node = tree.getNode(path);
            if (node != null) {
                description.put(path + " stat", node.stat.toString().trim());
                description.put(path + " data", Arrays.toString(node.getData()));
                description.put(path + " list", tree.getACL(path, null).toString());
                description.put(path + " quota", "" + tree.getMaxPrefixWithQuota(path));
            }
        }
        for (long session = 1; session <= lastSession; session++) {
            description.put("ephemerals of " + session, new TreeSet<>(tree.getEphemerals(session)).toString());
        }
        description.put("ephemerals", "" + tree.getEphemeralsCount());
        description.put("containers", new TreeSet<>(tree.getContainers()).toString());
        description.put("ttls", new TreeSet<>(tree.getTtls()).toString());
        description.put("digest", "" + tree.getTreeDigest());
        description.put("nodes", "" + tree.getNodeCount());
        description.put("zxid", "" + tree.lastProcessedZxid);
        description.put("bytes", "" + tree.approximateDataSize());
        description.put("lists", "" + tree.aclCacheSize());
        return description;
    }

    /** So that each access list has as many uses as nodes have it. */
    private static void deleteAll(DataTree tree) throws KeeperException {
        for (String path : new TreeSet<>(DrawnTransactions.PATHS).descendingSet()) {
            if (tree.getNode(path) != null) {
                tree.deleteNode(path, Integer.MAX_VALUE);
            }
        }
    }

    /** As ZooKeeper's FileSnap and FileTxnSnapLog do: it is the name of the file that says where the log goes on. */
    private static DataTree loaded(byte[] snapshot, long zxid, List<Long> mismatches) throws IOException {
        DataTree tree = OrderedDatabase.newTree();
        tree.addDigestWatcher(mismatches::add);
        InputArchive archive = BinaryInputArchive.getArchive(new ByteArrayInputStream(snapshot));
        SerializeUtils.deserializeSnapshot(tree, archive, new HashMap<>());
        tree.deserializeZxidDigest(archive, zxid);
        tree.deserializeLastProcessedZxid(archive);
        tree.lastProcessedZxid = zxid;
        if (tree.getDigestFromLoadedSnapshot() != null) {
            tree.compareSnapshotDigests(zxid);
        }
        FuzzyReplay.begin(tree);
        return tree;
    }

    private static void replayLog(DataTree tree, List<byte[]> log, boolean forgets) throws IOException {
        long zxid = tree.lastProcessedZxid;
        for (byte[] bytes : log) {
            TxnLogEntry entry = SerializeUtils.deserializeTxn(bytes);
            TxnHeader header = entry.getHeader();
            if (header.getZxid() > zxid) {
                if (forgets) {
                    FuzzyReplay.forgetLater(tree, header, entry.getTxn());
                }
                tree.processTxn(header, entry.getTxn());
                FuzzyReplay.checkCreated(tree, header, entry.getTxn());
                if (forgets) {
                    tree.compareDigest(header, entry.getTxn(), entry.getDigest());
                }
            }
        }
    }

    private static void assertBringsBack(long seed, boolean forgets) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        boolean quotas = random.nextBoolean();
        DrawnTransactions drawn = new DrawnTransactions(random, quotas);
        drawn.steps(random.nextInt(MAX_STEPS_BEFORE));
        long zxid = drawn.tree().lastProcessedZxid;
        byte[] snapshot = drawn.snapshot();
        drawn.steps(random.nextInt(MAX_STEPS_BEHIND));
        drawn.finish();

        List<Long> mismatches = new ArrayList<>();
        DataTree tree = loaded(snapshot, zxid, mismatches);
        replayLog(tree, drawn.log(), forgets);
        String which = "seed " + seed;
        assertEquals(which, describe(drawn.tree(), drawn.lastSession()), describe(tree, drawn.lastSession()));
        assertEquals(which, List.of(), mismatches);
        if (!quotas) {
            // ZooKeeper does not count what it writes into the node of a quota by itself.
            assertEquals(which, drawn.tree().cachedApproximateDataSize(), tree.cachedApproximateDataSize());
        }
        deleteAll(drawn.tree());
        deleteAll(tree);
        assertEquals(which, describe(drawn.tree(), drawn.lastSession()), describe(tree, drawn.lastSession()));
    }

    @Test
    public void anySnapshotAndItsLog_bringBackTheTree() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertBringsBack(seed, true);
        }
    }

    /** Else nothing would be drawn of what this class is about. */
    @Test
    public void withoutForgetting_manyTreesDiffer() throws Exception {
        int differing = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                assertBringsBack(seed, false);
            } catch (AssertionError | RuntimeException e) {
                differing++;
            }
        }
        assertTrue(differing + " differ", differing > SEEDS / 4);
    }
}
