package io.chainkeeper.server.execution;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;

import java.io.IOException;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.TxnLogEntry;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.server.util.SerializeUtils;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Test;

/** The transaction log holds the bytes that ZooKeeper would write, whatever was encoded before. */
public final class TransactionBytesTest {
    private static final int LARGE_BYTES = 300_000;

    private final TransactionBytes transactions = new TransactionBytes();
    private int zxid;

    private void assertAsInZooKeeper(int opcode, Record transaction, TxnDigest digest) throws IOException {
        Request request = new Request(null, 17, 4, opcode, null, null);
        assertNull("not prepared yet", transactions.loggable(request).getSerializeData());
        TxnHeader header = new TxnHeader(17, 4, ++zxid, 1_000L + zxid, opcode);
        request.setHdr(header);
        request.setTxn(transaction);
        request.setTxnDigest(digest);
        Request loggable = transactions.loggable(request);
        assertSame(header, loggable.getHdr());
        byte[] bytes = loggable.getSerializeData();
        assertArrayEquals(Util.marshallTxnEntry(header, transaction, digest), bytes);
        TxnLogEntry read = SerializeUtils.deserializeTxn(bytes);
        assertArrayEquals(
                Util.marshallTxnEntry(header, transaction, digest),
                Util.marshallTxnEntry(read.getHeader(), read.getTxn(), read.getDigest()));
    }

    @Test
    public void transactionsOfAllSizes_areEncodedAsZooKeeperDoes() throws IOException {
        assertAsInZooKeeper(OpCode.setData, new SetDataTxn("/a", new byte[] {1, 2}, 3), new TxnDigest(1, 2));
        assertAsInZooKeeper(OpCode.setData, new SetDataTxn("/a", null, 3), null);
        assertAsInZooKeeper(OpCode.setData, new SetDataTxn("/large", new byte[LARGE_BYTES], 4), new TxnDigest(1, 3));
        assertAsInZooKeeper(
                OpCode.create,
                new CreateTxn("/é/中", new byte[128], List.copyOf(Ids.OPEN_ACL_UNSAFE), true, 1),
                new TxnDigest(1, 4));
        assertAsInZooKeeper(OpCode.closeSession, null, null);
    }
}
