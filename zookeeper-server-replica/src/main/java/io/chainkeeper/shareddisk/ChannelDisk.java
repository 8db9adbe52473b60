package io.chainkeeper.shareddisk;

import com.sun.nio.file.ExtendedOpenOption;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A block device or a file. Each write goes to the device, past the system's cache ({@code O_DIRECT}), and returns when
 * the device has it on stable storage ({@code O_DSYNC}); each reading comes from the device.
 */
public final class ChannelDisk implements SharedDisk {
    /** Bytes that go to or come from the device at once: larger requests take several. The one buffer of a disk. */
    static final int BUFFER_BYTES = 1 << 20;

    private static final Set<OpenOption> DURABLE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
    private static final Set<OpenOption> DURABLE_AND_DIRECT = Set.of(
            StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DSYNC, ExtendedOpenOption.DIRECT);

    private static final Set<OpenOption> TO_READ = Set.of(StandardOpenOption.READ);
    private static final Set<OpenOption> TO_READ_DIRECT = Set.of(StandardOpenOption.READ, ExtendedOpenOption.DIRECT);

    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer buffer = aligned();

    private ChannelDisk(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    private static ByteBuffer aligned() {
        return ByteBuffer.allocateDirect(BUFFER_BYTES + BLOCK_BYTES)
                .alignedSlice(BLOCK_BYTES)
                .limit(BUFFER_BYTES);
    }

    /**
     * Opens a disk.
     *
     * @param path of an existing block device or file
     * @param oneMachine whether all servers run on this machine, so that the system's cache may lie between them and
     *     the device where the file system offers nothing else
     * @return the disk
     * @throws IOException if it cannot be used; one line that names it, what is wrong and what to do
     */
    public static ChannelDisk open(Path path, boolean oneMachine) throws IOException {
        return open(path, oneMachine, DURABLE_AND_DIRECT, DURABLE);
    }

    /**
     * Opens a disk that is not written to.
     *
     * @param path of an existing block device or file
     * @param oneMachine see {@link #open}
     * @return the disk; to write to it is a defect ({@link java.nio.channels.NonWritableChannelException})
     * @throws IOException if it cannot be read; one line that names it, what is wrong and what to do
     */
    public static ChannelDisk openToRead(Path path, boolean oneMachine) throws IOException {
        return open(path, oneMachine, TO_READ_DIRECT, TO_READ);
    }

    private static ChannelDisk open(Path path, boolean oneMachine, Set<OpenOption> direct, Set<OpenOption> cached)
            throws IOException {
        DiskPaths.checkKind(path);
        return new ChannelDisk(path, channel(path, oneMachine, direct, cached));
    }

    private static FileChannel channel(Path path, boolean oneMachine, Set<OpenOption> direct, Set<OpenOption> cached)
            throws IOException {
        try {
            return FileChannel.open(path, direct);
        } catch (NoSuchFileException | AccessDeniedException e) {
            throw unusable(path, e);
        } catch (UnsupportedOperationException | IOException e) {
            if (!oneMachine) {
                throw new NotDirectException(
                        path + ": past the system's cache (O_DIRECT) it cannot be used (" + reason(e)
                                + "), and other machines would not see what is written: give a block device or a file"
                                + " system that offers it, or, to try things out on one machine, disk.oneMachine=true",
                        e);
            }
        }
        try {
            return FileChannel.open(path, cached);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static IOException unusable(Path path, IOException cause) {
        return new IOException(
                path + " cannot be opened (" + reason(cause) + "): give user " + System.getProperty("user.name")
                        + " access to it, or correct disk.paths",
                cause);
    }

    private static String reason(Exception cause) {
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof NoSuchFileException) {
            return "it does not exist";
        }
        if (cause instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    @Override
    public void write(long offset, ByteSlice bytes) throws IOException {
        check(offset, bytes.length());
        if (offset + bytes.length() > length()) {
            throw new IOException(path + " has shrunk to " + length() + " bytes: byte " + (offset + bytes.length())
                    + " cannot be written; give it the size that it was formatted with");
        }
        try {
            for (int done = 0; done < bytes.length(); ) {
                int part = Math.min(BUFFER_BYTES, bytes.length() - done);
                buffer.clear().limit(part);
                buffer.put(bytes.array(), bytes.offset() + done, part).flip();
                while (buffer.hasRemaining()) {
                    channel.write(buffer, offset + done + buffer.position());
                }
                done += part;
            }
        } catch (IOException e) {
            throw failed("written", offset, e);
        }
    }

    /** Each write was durable when it returned. */
    @Override
    public void force() {}

    @Override
    public ByteSlice read(long offset, int length) throws IOException {
        check(offset, length);
        byte[] bytes = new byte[length];
        try {
            for (int done = 0; done < length; ) {
                buffer.clear().limit(Math.min(BUFFER_BYTES, length - done));
                int count = channel.read(buffer, offset + done);
                if (count <= 0) {
                    throw new IOException("it ends at byte " + channel.size());
                }
                buffer.flip().get(bytes, done, count);
                done += count;
            }
        } catch (IOException e) {
            throw failed("read", offset, e);
        }
        return ByteSlice.of(bytes);
    }

    private static void check(long offset, int length) {
        InvariantViolated.check(
                offset >= 0 && offset % BLOCK_BYTES == 0 && length > 0 && length % BLOCK_BYTES == 0,
                "%d bytes from byte %d are no blocks of %d",
                length,
                offset,
                BLOCK_BYTES);
    }

    private IOException failed(String what, long offset, IOException cause) {
        return new IOException(path + " cannot be " + what + " at byte " + offset + " (" + reason(cause) + ")", cause);
    }

    @Override
    public long length() throws IOException {
        try {
            return channel.size();
        } catch (IOException e) {
            throw new IOException(path + " does not say how large it is (" + reason(e) + ")", e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
