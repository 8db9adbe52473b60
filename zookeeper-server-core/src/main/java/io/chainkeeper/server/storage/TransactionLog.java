package io.chainkeeper.server.storage;

import io.chainkeeper.file.DirectWrites;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.server.state.Zxids;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.Adler32;
import org.apache.jute.Record;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * Appends to ZooKeeper's transaction log, in the format that {@link TxnLogScanner} describes and ZooKeeper's classes
 * read. What a batch has executed is collected and written at once; long values are not copied for that, their arrays
 * are referred to until they are written. What is long is written past the system's cache, by a thread of its own that
 * waits for the device, while the next is collected. Nothing is reserved in a file, and nothing forced: durability
 * rests on the order's own log, and checkpoints force this one. Safe for use by any thread.
 */
final class TransactionLog implements Closeable {
    /** From how many bytes on a write goes past the cache. */
    static final int LARGE_WRITE_BYTES = 1 << 16;

    /** As much is collected before whoever appends waits for the device; one transaction may go beyond it. */
    private static final int MAX_COLLECTED_BYTES = 1 << 20;

    private static final int STAGING_BYTES = 1 << 18;
    private static final int CHECKSUM_AND_LENGTH_BYTES = Long.BYTES + Integer.BYTES;
    private static final byte END_OF_ENTRY = 'B';

    private final Path directory;
    private final Scheduler scheduler;
    private final TaskQueue writer;
    private final int largeWriteBytes;
    private final Adler32 checksum = new Adler32();

    /** What is appended. */
    private ArrayOutputArchive buffer = new ArrayOutputArchive();

    /** What the writer has, while {@link #writing}; else empty. */
    private ArrayOutputArchive taken = new ArrayOutputArchive();

    /** What is written passes through it. As {@link #file}; null before the first write. */
    private ByteBuffer staging;

    /** The writer's while {@link #writing}, else of whoever has the lock. */
    private TransactionLogFile file;

    private boolean writing;

    /** How often the writer has written what it had. */
    private long pieces;

    /** Whether the writer takes what is appended when it has done what it has. */
    private boolean takesMore;

    private long lastZxid;
    private long appendedBytes;
    private IOException failure;

    /**
     * @param directory where the files lie; exists
     * @param scheduler gives the writer
     * @param name of the writer; a thread's name
     * @param largeWriteBytes from how many bytes on a write goes past the cache
     */
    TransactionLog(Path directory, Scheduler scheduler, String name, int largeWriteBytes) {
        this.directory = directory;
        this.scheduler = scheduler;
        this.writer = scheduler.taskQueue(name);
        this.largeWriteBytes = largeWriteBytes;
    }

    /**
     * Appends a transaction; it reaches the operating system by {@link #handOver} or {@link #commit}.
     *
     * @param header its zxid is larger than that of the one before
     * @param transaction null if there is only the header; nobody changes arrays in it any more, as ZooKeeper's tree
     *     keeps them, too
     * @param digest null if there is none
     * @throws IOException if the file cannot be written, now or before
     */
    synchronized void append(TxnHeader header, Record transaction, TxnDigest digest) throws IOException {
        requireWhole();
        long zxid = header.getZxid();
        InvariantViolated.check(
                zxid > lastZxid, "transaction %s comes after %s", Zxids.text(zxid), Zxids.text(lastZxid));
        if (file == null) {
            begin(zxid);
        }
        int start = buffer.place();
        int firstValue = buffer.values();
        buffer.writeLong(0, null);
        buffer.writeInt(0, null);
        int before = buffer.length();
        header.serialize(buffer, null);
        if (transaction != null) {
            transaction.serialize(buffer, null);
        }
        if (digest != null) {
            digest.serialize(buffer, null);
        }
        int length = buffer.length() - before;
        checksum.reset();
        buffer.update(checksum, start + CHECKSUM_AND_LENGTH_BYTES, firstValue);
        buffer.putLong(start, checksum.getValue());
        buffer.putInt(start + Long.BYTES, length);
        buffer.writeByte(END_OF_ENTRY, null);
        lastZxid = zxid;
        appendedBytes += length;
        if (buffer.length() >= largeWriteBytes) {
            handOver();
        }
    }

    private void begin(long zxid) throws IOException {
        file = new TransactionLogFile(directory.resolve(Util.makeLogName(zxid)));
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
     * Sees to it that what was appended reaches the operating system soon. Waits only where the device is too slow for
     * what is appended.
     *
     * @throws IOException if something cannot be written, now or before; a part of it may have been, so nothing is
     *     written any more
     */
    synchronized void handOver() throws IOException {
        requireWhole();
        if (buffer.length() == 0) {
            return;
        }
        if (writing) {
            takesMore = true;
            if (buffer.length() >= MAX_COLLECTED_BYTES) {
                scheduler.await(this, "the writer of the transaction log", () -> !writing || buffer.length() == 0);
                requireWhole();
            }
        } else if (buffer.length() >= largeWriteBytes && file.offersDirectWrites()) {
            startWriter();
        } else {
            writeThroughCache();
        }
    }

    private void writeThroughCache() throws IOException {
        try {
            file.write(buffer, stagingBuffer());
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        buffer.clear();
    }

    private ByteBuffer stagingBuffer() {
        if (staging == null) {
            staging = DirectWrites.buffer(STAGING_BYTES, DirectWrites.BLOCK_BYTES);
        }
        return staging;
    }

    private void startWriter() {
        take();
        writing = true;
        try {
            writer.execute(this::writeTaken);
        } catch (RuntimeException | Error e) {
            // Otherwise whoever closes this log would wait for a writer that never runs.
            written(new IOException("its writer cannot be started: " + e, e));
            throw e;
        }
    }

    private void take() {
        ArrayOutputArchive empty = taken;
        taken = buffer;
        buffer = empty;
        takesMore = false;
    }

    /** The writer's task: writes what was taken, and what has come meanwhile. */
    private void writeTaken() {
        boolean more = true;
        while (more) {
            IOException failed = null;
            try {
                if (taken.length() >= largeWriteBytes) {
                    file.writePastCache(taken, stagingBuffer());
                } else {
                    file.write(taken, stagingBuffer());
                }
            } catch (IOException e) {
                failed = e;
            } catch (RuntimeException | Error e) {
                failed = new IOException("its writer failed: " + e, e);
            }
            more = written(failed);
        }
    }

    private synchronized boolean written(IOException failed) {
        failure = failed;
        taken.clear();
        pieces++;
        writing = failed == null && takesMore && buffer.length() > 0;
        if (writing) {
            take();
        }
        notifyAll();
        return writing;
    }

    /**
     * Hands all that was appended before to the operating system. What is appended meanwhile holds nobody up.
     *
     * @throws IOException as {@link #handOver}
     */
    synchronized void commit() throws IOException {
        handOver();
        // What the writer has, and then what it takes next.
        long whole = pieces + (buffer.length() > 0 ? 2 : 1);
        scheduler.await(this, "the writer of the transaction log", () -> !writing || pieces >= whole);
        requireWhole();
    }

    /**
     * The next transaction begins a new file. Nobody appends meanwhile.
     *
     * @throws IOException if what was appended cannot be written
     */
    synchronized void roll() throws IOException {
        handOver();
        scheduler.await(this, "the writer of the transaction log", () -> !writing);
        requireWhole();
        closeFile();
    }

    private void closeFile() throws IOException {
        if (file != null) {
            TransactionLogFile last = file;
            file = null;
            last.close();
        }
    }

    /** The last transaction that was appended; 0 if none was. */
    synchronized long lastZxid() {
        return lastZxid;
    }

    /** Bytes of all transactions that have been appended. */
    synchronized long appendedBytes() {
        return appendedBytes;
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (failure == null) {
                roll();
            } else {
                closeFile();
            }
        }
        try {
            writer.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the transaction log was closed");
        }
    }
}
