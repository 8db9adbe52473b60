package io.chainkeeper.server.backup;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.backup.BackupManifest.Content;
import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.backup.BackupManifest.Snapshot;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Snapshots that were written while the member executed transaction 3: they hold a part of it, and the digest of
 * transaction 2.
 */
public class ReplayedTreeTest {
    private static final Content NOT_READ = new Content(0, "");
    private static final int LAST = 5;
    private static final int HALF_EXECUTED = 3;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;
    private Piece piece;

    @Before
    public void executeAll() throws Exception {
        directory = folder.getRoot().toPath();
        DataTree member = OrderedDatabase.newTree();
        try (FileTxnLog log = new FileTxnLog(directory.toFile())) {
            for (int zxid = 1; zxid <= LAST; zxid++) {
                execute(member, zxid);
                Request request = new Request(7, zxid, OpCode.create, header(zxid), transaction(zxid), zxid);
                request.setTxnDigest(
                        new TxnDigest(member.getLastProcessedZxidDigest().getDigestVersion(), member.getTreeDigest()));
                log.append(request);
            }
            log.commit();
        }
        piece = new Piece(0, 1, new Transaction(LAST, LAST, 7, LAST), 1, NOT_READ);
    }

    private static TxnHeader header(int zxid) {
        return new TxnHeader(7, zxid, zxid, zxid, OpCode.create);
    }

    private static CreateTxn transaction(int zxid) {
        return new CreateTxn("/n" + zxid, new byte[zxid], Ids.OPEN_ACL_UNSAFE, false, zxid);
    }

    private static void execute(DataTree tree, int zxid) {
        tree.processTxn(header(zxid), transaction(zxid));
    }

    /** Of a tree in the middle of a transaction. */
    private Snapshot snapshot(int begunAt, long covered, String createdMeanwhile) throws Exception {
        DataTree tree = OrderedDatabase.newTree();
        for (int zxid = 1; zxid < HALF_EXECUTED; zxid++) {
            execute(tree, zxid);
        }
        tree.createNode(
                createdMeanwhile,
                new byte[HALF_EXECUTED],
                Ids.OPEN_ACL_UNSAFE,
                0,
                HALF_EXECUTED,
                HALF_EXECUTED,
                HALF_EXECUTED);
        String name = "snapshot." + begunAt;
        new FileSnap(directory.toFile())
                .serialize(tree, new HashMap<>(), directory.resolve(name).toFile(), false);
        return new Snapshot(name, begunAt, covered, covered, NOT_READ);
    }

    private ReplayedTree replayed(Snapshot snapshot) throws IOException {
        ReplayedTree tree = ReplayedTree.load(directory, snapshot);
        tree.replay(directory, piece, LAST);
        return tree;
    }

    @Test
    public void snapshotHoldsAPartOfATransaction_isRightFromThatOneOn() throws Exception {
        for (int begunAt = 1; begunAt < HALF_EXECUTED; begunAt++) {
            ReplayedTree tree = replayed(snapshot(begunAt, HALF_EXECUTED, "/n" + HALF_EXECUTED));
            assertEquals(LAST, tree.zxid());
            assertEquals("3 to 5", 3, tree.comparedStates());
            assertNotNull(tree.tree().getNode("/n" + HALF_EXECUTED));
        }
    }

    @Test
    public void snapshotHoldsWhatNoTransactionHasMade_isRefused() throws Exception {
        for (int begunAt = 1; begunAt < HALF_EXECUTED; begunAt++) {
            Snapshot wrong = snapshot(begunAt, HALF_EXECUTED, "/wrong");
            String refusal =
                    assertThrows(IOException.class, () -> replayed(wrong)).getMessage();
            assertTrue(refusal, refusal.contains("at 0x3 the tree has another digest"));
        }
    }

    @Test
    public void snapshotOfOneState_hasItsDigest() throws Exception {
        Snapshot wrong = snapshot(2, 2, "/wrong");
        String refusal = assertThrows(IOException.class, () -> ReplayedTree.load(directory, wrong))
                .getMessage();
        assertTrue(refusal, refusal.contains("snapshot.2: at 0x2 the tree has another digest"));
    }
}
