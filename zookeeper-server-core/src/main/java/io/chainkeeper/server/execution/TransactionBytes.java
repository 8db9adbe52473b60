package io.chainkeeper.server.execution;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestRecord;

/**
 * What goes into ZooKeeper's transaction log, encoded with the same buffers again and again. ZooKeeper makes two
 * kilobytes of new ones for each transaction. Used by the executor thread only.
 */
final class TransactionBytes {
    /** Buffers that a large transaction has made larger than this are given up. */
    private static final int MAX_KEPT_BYTES = 64 << 10;

    private ByteArrayOutputStream buffer;
    private OutputArchive archive;

    TransactionBytes() {
        renew();
    }

    private void renew() {
        buffer = new ByteArrayOutputStream(1 << 10);
        archive = BinaryOutputArchive.getArchive(buffer);
    }

    /**
     * A request that is encoded here, and has no connection.
     *
     * @param sessionId its session
     * @param cxid its number in the session
     * @param opcode its operation
     * @param record what it asks for; null if nothing
     * @param ids identities of the client; null if there are none
     * @return the request
     */
    Request request(long sessionId, int cxid, int opcode, RequestRecord record, List<Id> ids) {
        return new Request(null, sessionId, cxid, opcode, record, ids) {
            @Override
            public byte[] getSerializeData() {
                return getHdr() == null ? null : bytes(this);
            }
        };
    }

    /** Header, transaction and digest, as {@link Request#getSerializeData} encodes them. */
    private byte[] bytes(Request request) {
        buffer.reset();
        try {
            request.getHdr().serialize(archive, "hdr");
            Record transaction = request.getTxn();
            if (transaction != null) {
                transaction.serialize(archive, "txn");
            }
            if (request.getTxnDigest() != null) {
                request.getTxnDigest().serialize(archive, "digest");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a transaction in memory could not be encoded: " + e.getMessage(), e);
        }
        byte[] bytes = buffer.toByteArray();
        if (bytes.length > MAX_KEPT_BYTES) {
            renew();
        }
        return bytes;
    }
}
