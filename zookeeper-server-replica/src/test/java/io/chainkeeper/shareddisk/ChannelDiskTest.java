package io.chainkeeper.shareddisk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A file or block device as a disk: what is written is there for everybody, and what is not one says so. */
public final class ChannelDiskTest {
    private static final int BLOCK = SharedDisk.BLOCK_BYTES;

    /** More than goes to the device at once. */
    private static final int MANY_BYTES = 2 * ChannelDisk.BUFFER_BYTES + 3 * BLOCK;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path file(long bytes) throws IOException {
        Path path = folder.newFile().toPath();
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
        }
        return path;
    }

    private static ByteSlice drawn(int bytes, long seed) {
        byte[] drawn = new byte[bytes];
        new Random(seed).nextBytes(drawn);
        return ByteSlice.of(drawn);
    }

    private static void checkWritesAndReads(Path path, int bytes) throws IOException {
        try (ChannelDisk writer = ChannelDisk.open(path, true);
                ChannelDisk reader = ChannelDisk.openToRead(path, true)) {
            assertEquals(bytes, writer.length());
            ByteSlice all = drawn(bytes, 1);
            writer.write(0, all);
            writer.force();
            assertEquals(all, reader.read(0, bytes));
            ByteSlice part = drawn(2 * BLOCK, 2);
            writer.write(bytes - 2 * BLOCK, part);
            assertEquals(part, reader.read(bytes - 2 * BLOCK, 2 * BLOCK));
            assertEquals(all.slice(0, BLOCK), reader.read(0, BLOCK));
            assertThrows(NonWritableChannelException.class, () -> reader.write(0, part));
        }
    }

    @Test
    public void file_holdsWhatWasWritten() throws Exception {
        checkWritesAndReads(file(MANY_BYTES), MANY_BYTES);
    }

    @Test
    public void blockDevice_holdsWhatWasWritten() throws Exception {
        try (LoopDevice device = new LoopDevice(file(MANY_BYTES))) {
            checkWritesAndReads(device.path(), MANY_BYTES);
        }
    }

    @Test
    public void partOfABlock_isADefect() throws Exception {
        try (ChannelDisk disk = ChannelDisk.open(file(2 * BLOCK), true)) {
            assertThrows(InvariantViolated.class, () -> disk.write(512, drawn(BLOCK, 1)));
            assertThrows(InvariantViolated.class, () -> disk.write(0, drawn(512, 1)));
            assertThrows(InvariantViolated.class, () -> disk.read(0, 0));
        }
    }

    @Test
    public void diskThatShrank_isNotWrittenBeyondItsEnd() throws Exception {
        Path path = file(4 * BLOCK);
        try (ChannelDisk disk = ChannelDisk.open(path, true)) {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.setLength(BLOCK);
            }
            String written = assertThrows(IOException.class, () -> disk.write(2 * BLOCK, drawn(BLOCK, 1)))
                    .getMessage();
            assertTrue(written, written.startsWith(path + " has shrunk to 4096 bytes"));
            String read = assertThrows(IOException.class, () -> disk.read(0, 2 * BLOCK))
                    .getMessage();
            assertEquals(path + " cannot be read at byte 0 (it ends at byte 4096)", read);
            assertEquals(BLOCK, Files.size(path));
        }
    }

    @Test
    public void whatIsNoDisk_saysSoInOneLine() throws Exception {
        Path absent = folder.getRoot().toPath().resolve("absent");
        checkRefused(absent, absent + " does not exist: attach that disk, or correct disk.paths");
        checkRefused(
                folder.getRoot().toPath(),
                folder.getRoot() + " is neither a block device nor a file; correct disk.paths");
        checkRefused(Path.of("/dev/null"), "/dev/null is neither a block device nor a file; correct disk.paths");
    }

    private static void checkRefused(Path path, String message) {
        assertEquals(
                message,
                assertThrows(IOException.class, () -> ChannelDisk.open(path, false))
                        .getMessage());
    }

    /** The memory file system {@code ramfs} is all cache: nothing lies beneath. */
    @Test
    public void fileSystemWithoutDirectWrites_isForOneMachineOnly() throws Exception {
        Path mount = folder.newFolder().toPath();
        LoopDevice.run("mount", "-t", "ramfs", "ramfs", mount.toString());
        try {
            Path path = mount.resolve("disk");
            Files.write(path, new byte[MANY_BYTES]);
            String message = assertThrows(IOException.class, () -> ChannelDisk.open(path, false))
                    .getMessage();
            assertTrue(message, message.startsWith(path + ": past the system's cache (O_DIRECT) it cannot be used ("));
            assertTrue(message, message.endsWith("disk.oneMachine=true"));
            assertEquals(1, message.lines().count());
            checkWritesAndReads(path, MANY_BYTES);
        } finally {
            LoopDevice.run("umount", mount.toString());
        }
    }
}
