package io.chainkeeper.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One open file of a {@link LogFiles}. */
interface LogFile extends Closeable {
    /**
     * Writes at an offset, as much as the system takes.
     *
     * @param source what to write; its position moves by what was written
     * @param offset where in the file
     * @return bytes written, possibly fewer than asked
     * @throws IOException if it could not be written
     */
    int write(ByteBuffer source, long offset) throws IOException;

    /**
     * Reads at an offset.
     *
     * @param target where to; its position moves by what was read
     * @param offset where in the file
     * @return bytes read, -1 at the end of the file
     * @throws IOException if it could not be read
     */
    int read(ByteBuffer target, long offset) throws IOException;

    /**
     * Waits until the file's bytes and length are on stable storage.
     *
     * @throws IOException if they may not be; what is there is then unknown
     */
    void force() throws IOException;

    /**
     * Cuts the file.
     *
     * @param bytes the new length, not above the present one
     * @throws IOException if it could not be cut
     */
    void truncate(long bytes) throws IOException;

    /**
     * @return length in bytes
     * @throws IOException if it cannot be told
     */
    long size() throws IOException;
}
