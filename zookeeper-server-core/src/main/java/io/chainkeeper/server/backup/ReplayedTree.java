package io.chainkeeper.server.backup;

import io.chainkeeper.server.backup.BackupManifest.Piece;
import io.chainkeeper.server.backup.BackupManifest.Snapshot;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.FuzzyReplay;
import io.chainkeeper.server.storage.TxnLogScanner;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CheckedInputStream;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.TxnLogEntry;
import org.apache.zookeeper.server.persistence.SnapStream;
import org.apache.zookeeper.server.util.SerializeUtils;
import org.apache.zookeeper.txn.CreateSessionTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * A tree and its sessions in the memory of a tool: a snapshot, and transactions that are executed on it. Whatever the
 * files say of its digest is compared. Used by one thread.
 */
final class ReplayedTree {
    private final DataTree tree = OrderedDatabase.newTree();
    private final Map<Long, Integer> sessions = new ConcurrentHashMap<>();
    private final long snapshotZxid;
    private final long covered;
    private long lastMillis;
    private long compared;
    private long mismatch;

    private ReplayedTree(Snapshot snapshot) {
        this.snapshotZxid = snapshot.zxid();
        this.covered = snapshot.covered();
        tree.addDigestWatcher(zxid -> {
            // A snapshot that holds a part of a transaction has the digest of the one before.
            if (zxid >= covered) {
                mismatch = zxid;
            }
        });
    }

    /**
     * Loads a snapshot.
     *
     * @param directory holds the backup
     * @param snapshot which
     * @return its tree, which stands for a state only from {@link Snapshot#covered} on
     * @throws IOException if it is damaged; the message names it
     */
    static ReplayedTree load(Path directory, Snapshot snapshot) throws IOException {
        Path file = directory.resolve(snapshot.fileName());
        ReplayedTree loaded = new ReplayedTree(snapshot);
        loaded.lastMillis = snapshot.timeMillis();
        DataTree tree = loaded.tree;
        try (CheckedInputStream in = SnapStream.getInputStream(file.toFile())) {
            LoadedSnapshot.read(in, snapshot.zxid(), tree, loaded.sessions);
        } catch (IOException e) {
            throw new IOException(file + " cannot be loaded: " + e.getMessage(), e);
        }
        FuzzyReplay.begin(tree);
        tree.lastProcessedZxid = snapshot.zxid();
        if (tree.getDigestFromLoadedSnapshot() != null) {
            // Of one that is not fuzzy; what another one says is compared when that transaction is executed.
            tree.compareSnapshotDigests(snapshot.zxid());
        }
        if (loaded.mismatch != 0) {
            throw differs(file, loaded.mismatch);
        }
        return loaded;
    }

    /**
     * Executes what a piece of the log holds.
     *
     * @param directory holds the backup
     * @param piece which; begins at or before the transaction that comes next
     * @param upTo no later transaction is executed
     * @throws IOException if it is damaged, or does not fit; the message names it
     */
    void replay(Path directory, Piece piece, long upTo) throws IOException {
        Path file = directory.resolve(piece.fileName());
        try (TxnLogScanner scanner = new TxnLogScanner(file)) {
            long previous = piece.after();
            for (long zxid = scanner.next(); zxid != 0; zxid = scanner.next()) {
                if (Zxids.epoch(zxid) == Zxids.epoch(previous) && zxid != Zxids.next(previous)) {
                    throw new IOException(
                            file + " goes on with " + Zxids.text(zxid) + " after " + Zxids.text(previous));
                }
                previous = zxid;
                if (zxid > upTo) {
                    return;
                }
                if (zxid > tree.lastProcessedZxid) {
                    execute(file, scanner.entry());
                }
            }
            if (scanner.torn() || previous != piece.last().zxid()) {
                throw new IOException(
                        file + " is damaged at byte " + scanner.goodBytes() + ": it ends at " + Zxids.text(previous)
                                + " instead of " + Zxids.text(piece.last().zxid()));
            }
        }
    }

    private void execute(Path file, ByteBuffer bytes) throws IOException {
        byte[] content = new byte[bytes.remaining()];
        bytes.get(content);
        TxnLogEntry entry = SerializeUtils.deserializeTxn(content);
        TxnHeader header = entry.getHeader();
        if (header.getType() == OpCode.createSession) {
            sessions.put(header.getClientId(), ((CreateSessionTxn) entry.getTxn()).getTimeOut());
        } else if (header.getType() == OpCode.closeSession) {
            sessions.remove(header.getClientId());
        }
        FuzzyReplay.forgetLater(tree, header, entry.getTxn());
        tree.processTxn(header, entry.getTxn());
        FuzzyReplay.checkCreated(tree, header, entry.getTxn());
        tree.lastProcessedZxid = header.getZxid();
        lastMillis = header.getTime();
        compare(file, header.getZxid(), entry.getDigest());
    }

    /** What a fuzzy snapshot holds of later transactions changes the digest, until they have all been executed. */
    private void compare(Path file, long zxid, TxnDigest digest) throws IOException {
        if (mismatch != 0) {
            throw differs(file, mismatch);
        }
        DataTree.ZxidDigest own = tree.getLastProcessedZxidDigest();
        if (digest == null || zxid < covered || own == null || own.getDigestVersion() != digest.getVersion()) {
            return;
        }
        if (tree.getTreeDigest() != digest.getTreeDigest()) {
            throw differs(file, zxid);
        }
        compared++;
    }

    private static IOException differs(Path file, long zxid) {
        return new IOException(file + ": at " + Zxids.text(zxid)
                + " the tree has another digest than the member had: this backup cannot be relied on");
    }

    /**
     * Empties the configuration that the tree holds: servers that begin with it go by their own files.
     */
    void forgetConfiguration() {
        DataNode node = tree.getNode(ZooDefs.CONFIG_NODE);
        if (node != null) {
            long zxid = tree.lastProcessedZxid;
            TxnHeader header = new TxnHeader(0, 0, zxid, node.stat.getMtime(), OpCode.setData);
            tree.processTxn(header, new SetDataTxn(ZooDefs.CONFIG_NODE, new byte[0], -1));
        }
    }

    /** Zxid that names the snapshot. */
    long snapshotZxid() {
        return snapshotZxid;
    }

    long zxid() {
        return tree.lastProcessedZxid;
    }

    long lastMillis() {
        return lastMillis;
    }

    /** How many states have been found to have the digest that the member had. */
    long comparedStates() {
        return compared;
    }

    DataTree tree() {
        return tree;
    }

    Map<Long, Integer> sessions() {
        return sessions;
    }
}
