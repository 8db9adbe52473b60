package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.state.Zxids;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Adler32;
import org.apache.jute.Record;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * Appends to ZooKeeper's transaction log, in the format that {@link TxnLogScanner} describes and ZooKeeper's classes
 * read. What a batch has executed is encoded into one array and written at once. Nothing is reserved in a file, and
 * nothing forced: durability rests on the order's own log, and checkpoints force this one. Safe for use by any thread.
 */
final class TransactionLog implements Closeable {
    /** As much is written without waiting for {@link #commit}. */
    private static final int MAX_BUFFERED_BYTES = 1 << 16;

    private static final int CHECKSUM_AND_LENGTH_BYTES = Long.BYTES + Integer.BYTES;
    private static final byte END_OF_ENTRY = 'B';

    private final Path directory;
    private final ArrayOutputArchive buffer = new ArrayOutputArchive();
    private final Adler32 checksum = new Adler32();
    private OutputStream file;
    private long lastZxid;
    private long appendedBytes;
    private IOException failure;

    /** @param directory where the files lie; exists */
    TransactionLog(Path directory) {
        this.directory = directory;
    }

    /**
     * Appends a transaction; it reaches the operating system by {@link #commit}.
     *
     * @param header its zxid is larger than that of the one before
     * @param transaction null if there is only the header
     * @param digest null if there is none
     * @throws IOException if the file cannot be written, now or before
     */
    synchronized void append(TxnHeader header, Record transaction, TxnDigest digest) throws IOException {
        long zxid = header.getZxid();
        InvariantViolated.check(
                zxid > lastZxid, "transaction %s comes after %s", Zxids.text(zxid), Zxids.text(lastZxid));
        if (file == null) {
            begin(zxid);
        }
        int start = buffer.size();
        buffer.writeLong(0, null);
        buffer.writeInt(0, null);
        header.serialize(buffer, null);
        if (transaction != null) {
            transaction.serialize(buffer, null);
        }
        if (digest != null) {
            digest.serialize(buffer, null);
        }
        int content = start + CHECKSUM_AND_LENGTH_BYTES;
        int length = buffer.size() - content;
        checksum.reset();
        checksum.update(buffer.array(), content, length);
        buffer.putLong(start, checksum.getValue());
        buffer.putInt(start + Long.BYTES, length);
        buffer.writeByte(END_OF_ENTRY, null);
        lastZxid = zxid;
        appendedBytes += length;
        if (buffer.size() >= MAX_BUFFERED_BYTES) {
            commit();
        }
    }

    private void begin(long zxid) throws IOException {
        requireWhole();
        file = Files.newOutputStream(directory.resolve(Util.makeLogName(zxid)));
        buffer.writeInt(FileTxnLog.TXNLOG_MAGIC, null);
        buffer.writeInt(FileTxnLog.VERSION, null);
        buffer.writeLong(0, null); // the id of a database, which ZooKeeper does not use
    }

    private void requireWhole() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    /**
     * Hands what was appended to the operating system.
     *
     * @throws IOException if it cannot be written; a part of it may have been, so nothing is written any more
     */
    synchronized void commit() throws IOException {
        requireWhole();
        if (buffer.size() == 0) {
            return;
        }
        try {
            file.write(buffer.array(), 0, buffer.size());
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        buffer.truncate(0);
    }

    /**
     * The next transaction begins a new file.
     *
     * @throws IOException if what was appended cannot be written
     */
    synchronized void roll() throws IOException {
        commit();
        if (file != null) {
            file.close();
            file = null;
        }
    }

    /** Bytes of all transactions that have been appended. */
    synchronized long appendedBytes() {
        return appendedBytes;
    }

    @Override
    public synchronized void close() throws IOException {
        if (failure == null) {
            roll();
        } else if (file != null) {
            file.close();
        }
    }
}
