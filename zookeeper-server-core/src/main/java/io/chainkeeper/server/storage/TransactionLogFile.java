package io.chainkeeper.server.storage;

import com.sun.nio.file.ExtendedOpenOption;
import io.chainkeeper.file.DirectWrites;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * One file of the transaction log, written from its beginning to its end. What is little goes through the system's
 * cache; what is much goes past it where the file system offers that, which spares a copy and new pages for it. Then
 * the last block is filled up with zeroes, which ZooKeeper's readers take for the end of the file, until more follows
 * or the file is closed. Used by one thread at a time.
 */
final class TransactionLogFile implements Closeable {
    private static final int BLOCK_BYTES = DirectWrites.BLOCK_BYTES;

    private final FileChannel cached;

    /** Null if the file system does not offer that. */
    private final FileChannel direct;

    /** The last block as it was written past the cache, zeroes included. */
    private final byte[] tail = new byte[BLOCK_BYTES];

    private boolean tailIsKnown;
    private long end;

    /**
     * Creates a file, in the place of one that is there.
     *
     * @throws IOException if it cannot be created
     */
    TransactionLogFile(Path path) throws IOException {
        cached = FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        direct = DirectWrites.offered(path)
                ? FileChannel.open(path, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)
                : null;
    }

    /** Whether {@link #writePastCache} may be called. */
    boolean offersDirectWrites() {
        return direct != null;
    }

    private int bytesInTail() {
        return (int) (end % BLOCK_BYTES);
    }

    /**
     * Appends through the system's cache.
     *
     * @param all what is appended; nothing of it has been drained
     * @param buffer a direct one; what is in it does not matter
     * @throws IOException if it cannot be written; nothing may be appended any more then
     */
    void write(ArrayOutputArchive all, ByteBuffer buffer) throws IOException {
        long at = end;
        long newEnd = end + all.length();
        if (tailIsKnown) {
            // A block that is not in the cache is written whole, so that it need not be read.
            int before = bytesInTail();
            ByteBuffer rest = ByteBuffer.wrap(tail, before, BLOCK_BYTES - before);
            all.drainTo(rest);
            writeAll(cached, ByteBuffer.wrap(tail), at - before);
            at += rest.position() - before;
            tailIsKnown = false;
        }
        while (at < newEnd) {
            all.drainTo(buffer.clear());
            int part = buffer.flip().limit();
            writeAll(cached, buffer, at);
            at += part;
        }
        end = newEnd;
    }

    /**
     * Appends past the system's cache, and waits for the device.
     *
     * @param all what is appended; nothing of it has been drained
     * @param buffer of {@link DirectWrites#buffer}, some blocks long; what is in it does not matter
     * @throws IOException if it cannot be written; nothing may be appended any more then
     */
    void writePastCache(ArrayOutputArchive all, ByteBuffer buffer) throws IOException {
        int before = bytesInTail();
        if (before > 0 && !tailIsKnown) {
            readTail(before);
        }
        buffer.clear().put(tail, 0, before);
        long at = end - before;
        long newEnd = end + all.length();
        while (at < newEnd) {
            all.drainTo(buffer);
            fillLastBlock(buffer);
            buffer.flip();
            int blocks = buffer.limit();
            writeAll(direct, buffer, at);
            at += blocks;
            buffer.clear();
        }
        end = newEnd;
        tailIsKnown = bytesInTail() > 0;
    }

    private void fillLastBlock(ByteBuffer buffer) {
        int inLast = buffer.position() % BLOCK_BYTES;
        if (inLast > 0) {
            buffer.get(buffer.position() - inLast, tail, 0, inLast);
            Arrays.fill(tail, inLast, BLOCK_BYTES, (byte) 0);
            buffer.put(tail, inLast, BLOCK_BYTES - inLast);
        }
    }

    private void readTail(int bytes) throws IOException {
        ByteBuffer target = ByteBuffer.wrap(tail, 0, bytes);
        while (target.hasRemaining()) {
            if (cached.read(target, end - target.remaining()) < 0) {
                throw new IOException("it became shorter while it was written");
            }
        }
    }

    private static void writeAll(FileChannel channel, ByteBuffer source, long offset) throws IOException {
        long at = offset;
        while (source.hasRemaining()) {
            int written = channel.write(source, at);
            if (written <= 0) {
                throw new IOException("the system took none of " + source.remaining() + " bytes");
            }
            at += written;
        }
    }

    /**
     * Cuts off the zeroes behind the end, and closes the file.
     *
     * @throws IOException if that failed
     */
    @Override
    public void close() throws IOException {
        try (FileChannel first = direct;
                FileChannel second = cached) {
            if (second.size() > end) {
                second.truncate(end);
            }
        }
    }
}
