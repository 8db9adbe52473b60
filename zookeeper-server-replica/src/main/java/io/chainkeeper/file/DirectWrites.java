package io.chainkeeper.file;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What has to be kept to by those who write files past the system's cache ({@code O_DIRECT}, {@link
 * ExtendedOpenOption#DIRECT}): each write begins and ends at a multiple of {@link #BLOCK_BYTES}, from a buffer whose
 * address is one. Has no state.
 */
public final class DirectWrites {
    /** Blocks of all common file systems and devices are as long, or are parts of it. */
    public static final int BLOCK_BYTES = 4096;

    private DirectWrites() {}

    /**
     * Asks whether a file's file system offers such writes. In a changed root the system may not know on which file
     * system a file is; then it is not asked for more.
     *
     * @param file an existing file that may be written
     * @return whether it does, with blocks that are not longer
     */
    public static boolean offered(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
            return channel.isOpen() && Files.getFileStore(file).getBlockSize() <= BLOCK_BYTES;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Makes a direct buffer whose address is a multiple of a number.
     *
     * @param bytes its capacity
     * @param alignmentBytes a power of two
     * @return the buffer
     */
    public static ByteBuffer buffer(int bytes, int alignmentBytes) {
        ByteBuffer slice = ByteBuffer.allocateDirect(bytes + alignmentBytes).alignedSlice(alignmentBytes);
        return slice.limit(bytes).slice();
    }
}
