package io.chainkeeper.server.storage;

import io.chainkeeper.server.state.Zxids;
import java.io.Closeable;
import java.io.IOException;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.persistence.TxnLog.TxnIterator;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * The transactions that snapshot and transaction log brought back although their commands come after the checkpoint
 * and will be delivered again. Each such command is compared with its transaction: if order and files do not belong
 * together, this replica must not go on. Used by the apply thread only.
 */
public final class RecoveredTransactions implements Closeable {
    private final long comparedZxid;
    private volatile long verifiedZxid;
    private final long lastZxid;
    private final TxnIterator transactions;

    /**
     * @param files the files of this replica
     * @param comparedZxid transactions up to here are in the snapshot, after which the log may begin, or their commands
     *     come before the checkpoint
     * @param lastZxid last zxid of the recovered tree
     * @throws IOException if the log cannot be read
     */
    public RecoveredTransactions(FileTxnSnapLog files, long comparedZxid, long lastZxid) throws IOException {
        this.comparedZxid = comparedZxid;
        this.lastZxid = lastZxid;
        this.transactions = comparedZxid < lastZxid ? files.readTxnLog(comparedZxid + 1) : null;
    }

    /**
     * @param zxid of a command
     * @return whether the recovered tree holds its transaction
     */
    public boolean covers(long zxid) {
        return zxid <= lastZxid;
    }

    /** @return whether all of them have been verified, so that their files are not read again; safe for any thread */
    public boolean areVerified() {
        return transactions == null || verifiedZxid >= lastZxid;
    }

    /**
     * Checks that a command is the one whose transaction was recovered.
     *
     * @param zxid that the command takes
     * @param sessionId its session
     * @param cxid its number in the session
     * @param timeMillis its agreed time
     * @throws IllegalStateException if the log holds another transaction under that zxid
     */
    public void verify(long zxid, long sessionId, int cxid, long timeMillis) {
        if (zxid <= comparedZxid) {
            return;
        }
        try {
            while (transactions.getHeader() != null && transactions.getHeader().getZxid() < zxid) {
                if (!transactions.next()) {
                    break;
                }
            }
            TxnHeader header = transactions.getHeader();
            if (header == null
                    || header.getZxid() != zxid
                    || header.getClientId() != sessionId
                    || header.getCxid() != cxid
                    || header.getTime() != timeMillis) {
                throw new IllegalStateException("the order and this replica's transaction log disagree at zxid "
                        + Zxids.text(zxid) + ": order has session 0x" + Long.toHexString(sessionId) + " cxid " + cxid
                        + ", log has " + describe(header)
                        + ". Either the data directory was used outside this cluster, or acknowledged commands were"
                        + " lost with ordering.durability other than sync. Replace this replica's data directory by"
                        + " that of a healthy member; if Apache ZooKeeper has gone on from the data of all members,"
                        + " delete the ordering directory of every member to form a new order from it");
            }
            verifiedZxid = zxid;
        } catch (IOException e) {
            throw new IllegalStateException("transaction log cannot be read again: " + e.getMessage(), e);
        }
    }

    private static String describe(TxnHeader header) {
        return header == null
                ? "no transaction"
                : "session 0x" + Long.toHexString(header.getClientId()) + " cxid " + header.getCxid();
    }

    @Override
    public void close() throws IOException {
        if (transactions != null) {
            transactions.close();
        }
    }
}
