package io.chainkeeper.server.storage;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.Adler32;
import org.apache.zookeeper.server.persistence.FileTxnLog;

/**
 * Reads the entries of one file of ZooKeeper's transaction log just far enough to find where it stops being good: a
 * header of 16 bytes, then per entry an Adler32 checksum (long), a length (int), that many bytes, and the letter B;
 * zeroes behind the last entry. Used by one thread.
 */
public final class TxnLogScanner implements Closeable {
    /** Bytes before the first entry. */
    public static final int HEADER_BYTES = 16;

    private static final int ENTRY_OVERHEAD_BYTES = Long.BYTES + Integer.BYTES + 1;
    private static final int ZXID_OFFSET = 12;
    private static final int MINIMUM_ENTRY_BYTES = ZXID_OFFSET + Long.BYTES;
    private static final byte END_OF_ENTRY = 'B';
    private static final int BUFFER_BYTES = 1 << 16;

    private final DataInputStream in;
    private final Adler32 actual = new Adler32();
    private final long fileBytes;
    /** Kept, because a new one for each entry would be garbage as large as the log while a server loads its tree. */
    private byte[] entry = new byte[BUFFER_BYTES];

    private int entryBytes;
    private long goodBytes;
    private long lastZxid;
    private boolean torn;

    /**
     * @param file a file of the transaction log
     * @throws IOException if it cannot be read or is something else
     */
    public TxnLogScanner(Path file) throws IOException {
        fileBytes = Files.size(file);
        in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
        if (fileBytes < HEADER_BYTES) {
            torn = true;
            return;
        }
        int magic = in.readInt();
        if (magic == 0) {
            // Space was reserved for the file, but its header did not reach the disk.
            torn = true;
            return;
        }
        if (magic != FileTxnLog.TXNLOG_MAGIC) {
            in.close();
            throw new IOException(file + " is no transaction log: its first bytes are wrong");
        }
        in.skipNBytes(HEADER_BYTES - Integer.BYTES);
        goodBytes = HEADER_BYTES;
    }

    /**
     * Finds how far a transaction log reaches, however long its entries are: ZooKeeper's own class gives up, with a
     * lower zxid, at one that is longer than this process's {@code jute.maxbuffer} allows.
     *
     * @param directory holds the log; need not exist
     * @return zxid of the last whole transaction, 0 if there is none; the last file may be without one
     * @throws IOException if a file cannot be read or is something else
     */
    public static long lastZxid(Path directory) throws IOException {
        List<Path> logs = DataFiles.logs(directory, 0);
        for (int i = logs.size() - 1; i >= 0; i--) {
            try (TxnLogScanner scanner = new TxnLogScanner(logs.get(i))) {
                while (scanner.next() != 0) {
                    continue;
                }
                if (scanner.lastZxid() != 0) {
                    return scanner.lastZxid();
                }
            }
        }
        return 0;
    }

    /**
     * Reads the next entry.
     *
     * @return its zxid, or 0 at the end of what is good
     * @throws IOException if the file cannot be read
     */
    public long next() throws IOException {
        if (torn || goodBytes == fileBytes) {
            return 0;
        }
        try {
            long checksum = in.readLong();
            int length = in.readInt();
            if (checksum == 0 && length == 0) {
                return 0;
            }
            torn = true;
            if (length < MINIMUM_ENTRY_BYTES || length > fileBytes - goodBytes - ENTRY_OVERHEAD_BYTES) {
                return 0;
            }
            if (length > entry.length) {
                entry = new byte[length];
            }
            in.readFully(entry, 0, length);
            actual.reset();
            actual.update(entry, 0, length);
            if (actual.getValue() != checksum || in.readByte() != END_OF_ENTRY) {
                return 0;
            }
            torn = false;
            goodBytes += length + ENTRY_OVERHEAD_BYTES;
            entryBytes = length;
            lastZxid = ByteBuffer.wrap(entry).getLong(ZXID_OFFSET);
            return lastZxid;
        } catch (EOFException e) {
            torn = true;
            return 0;
        }
    }

    /** @return bytes up to the end of the last good entry */
    public long goodBytes() {
        return goodBytes;
    }

    /** @return zxid of the last good entry, 0 if there is none */
    public long lastZxid() {
        return lastZxid;
    }

    /** @return the last good entry, from its header on; overwritten by {@link #next} */
    public ByteBuffer entry() {
        return ByteBuffer.wrap(entry, 0, entryBytes);
    }

    /** @return whether something other than zeroes follows the last good entry */
    public boolean torn() {
        return torn;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
