package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDisks;
import java.io.Closeable;
import java.io.IOException;

/**
 * A disk that several servers write to and read from. Offsets and lengths are multiples of {@link #BLOCK_BYTES}. Used
 * by one thread at a time, but for {@link #close}.
 *
 * <p>What has been written may be on stable storage at any time, each sector of 512 bytes by itself; it is there for
 * certain, and whoever reads sees it, when {@link #force} has returned. After an {@link IOException} nothing is certain
 * of what was written since the last {@code force}.
 */
public interface SharedDisk extends Closeable {
    /** Bytes of a block: what is read or written at once at least, and at what it begins. */
    int BLOCK_BYTES = SharedDisks.BLOCK_BYTES;

    /**
     * Writes.
     *
     * @param offset of the first byte
     * @param bytes whole blocks, at least one, all within {@link #length}
     * @throws IOException if the disk does not take them, or any of them; names it
     */
    void write(long offset, ByteSlice bytes) throws IOException;

    /**
     * Makes durable what was written.
     *
     * @throws IOException if it cannot; names the disk
     */
    void force() throws IOException;

    /**
     * Reads what is on the disk, from the disk.
     *
     * @param offset of the first byte
     * @param length of whole blocks, at least one, all within {@link #length}
     * @return so many bytes
     * @throws IOException if they cannot be read; names the disk
     */
    ByteSlice read(long offset, int length) throws IOException;

    /**
     * How large the disk is now.
     *
     * @return bytes
     * @throws IOException if it cannot say; names it
     */
    long length() throws IOException;

    /** May be called by any thread: whoever is in the middle of something gets an {@link IOException}. */
    @Override
    void close() throws IOException;
}
