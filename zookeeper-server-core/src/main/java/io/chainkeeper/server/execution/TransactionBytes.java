package io.chainkeeper.server.execution;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.server.Request;

/**
 * What goes into ZooKeeper's transaction log, encoded with the same buffers again and again. ZooKeeper makes two
 * kilobytes of new ones for each transaction. Used by the executor thread only.
 */
final class TransactionBytes {
    /** Buffers that a large transaction has made larger than this are given up. */
    private static final int MAX_KEPT_BYTES = 64 << 10;

    private final Request loggable = new Request(null, 0, 0, 0, null, null) {
        @Override
        public byte[] getSerializeData() {
            return getHdr() == null ? null : bytes(this);
        }
    };

    private ByteArrayOutputStream buffer;
    private OutputArchive archive;
    private long total;

    TransactionBytes() {
        renew();
    }

    private void renew() {
        buffer = new ByteArrayOutputStream(1 << 10);
        archive = BinaryOutputArchive.getArchive(buffer);
    }

    /**
     * What the transaction log is to be given in place of a request.
     *
     * @param request a prepared request
     * @return the same transaction, encoded here; good until the next call
     */
    Request loggable(Request request) {
        loggable.setHdr(request.getHdr());
        loggable.setTxn(request.getTxn());
        loggable.setTxnDigest(request.getTxnDigest());
        loggable.zxid = request.zxid;
        return loggable;
    }

    /** How many bytes have been encoded altogether. */
    long total() {
        return total;
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
        total += bytes.length;
        if (bytes.length > MAX_KEPT_BYTES) {
            renew();
        }
        return bytes;
    }
}
