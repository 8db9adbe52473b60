package io.chainkeeper.server.guard;

import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.txn.CloseSessionTxn;

/**
 * How long an entry of the transaction log may be, so that ZooKeeper's reader takes it: with a longer one no replica
 * would start any more. Writes are refused before they are ordered, where their proposer knows the length; the end of a
 * session cannot be.
 */
public final class TransactionLimit {
    /** ZooKeeper lets no server read less. */
    public static final int LEAST_EXTRA_BYTES = 1024;

    /** The most that {@link BinaryInputArchive} reads at once: two properties of ZooKeeper together. */
    public static final long BYTES = (long) BinaryInputArchive.maxBuffer
            + Math.max(
                    LEAST_EXTRA_BYTES,
                    Integer.getInteger("zookeeper.jute.maxbuffer.extrasize", BinaryInputArchive.maxBuffer));

    private static final int ENTRY_BYTES = 128;
    private static final int MAX_BYTES_OF_CHAR = 3;

    private TransactionLimit() {}

    /**
     * Leaves the list of nodes out of the end of a session that has too many. ZooKeeper's tree, and its reader of the
     * log, then delete those that the tree knows to be the session's, which are the same: so did all of ZooKeeper
     * before 3.6.
     *
     * @param request prepared, not yet applied
     */
    public static void shorten(Request request) {
        if (!(request.getTxn() instanceof CloseSessionTxn end)) {
            return;
        }
        long bytes = ENTRY_BYTES;
        List<String> paths = end.getPaths2Delete();
        for (String path : paths) {
            bytes += Integer.BYTES + (long) MAX_BYTES_OF_CHAR * path.length();
        }
        if (bytes > BYTES) {
            request.setTxn(null);
            request.setTxnDigest(null);
        }
    }
}
