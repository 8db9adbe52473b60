package io.chainkeeper.simulation.disk;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Whatever is done below a directory of the operating system has the same outcome on a simulated disk. */
public class DiskOperationsTest {
    private static final int RUNS = 60;
    private static final int OPERATIONS = 60;

    /** In the first of them files are in memory; something special makes them real ones. */
    private static final int SHORT_RUNS = 600;

    private static final int FEW_OPERATIONS = 8;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final RunDirectory run = new RunDirectory();
    private final SimulatedDisk disk = run.newDisk(new SplittableRandom(1));

    @After
    public void filesAreRemoved() {
        run.close();
    }

    @Test
    public void anyOperations_sameOutcomeAsOnADirectory() throws IOException {
        long done = 0;
        for (int i = 0; i < RUNS; i++) {
            done += assertSame(i, disk, OPERATIONS);
        }
        assertTrue("only " + done + " operations succeeded", done > RUNS * OPERATIONS / 4);
    }

    @Test
    public void fewOperationsInMemory_sameOutcomeAsOnADirectory() throws IOException {
        long done = 0;
        for (int i = 0; i < SHORT_RUNS; i++) {
            done += assertSame(i, run.newDisk(new SplittableRandom(i)), FEW_OPERATIONS);
        }
        assertTrue("only " + done + " operations succeeded", done > SHORT_RUNS * FEW_OPERATIONS / 4);
    }

    private long assertSame(int number, SimulatedDisk ofRun, int operations) throws IOException {
        Path ofSystem = folder.newFolder("run" + number).toPath();
        Path ofDisk = Files.createDirectory(ofRun.root().resolve("run" + number));
        List<String> expected = new Operations(ofSystem, new SplittableRandom(number)).run(operations);
        assertEquals("run " + number, expected, new Operations(ofDisk, new SplittableRandom(number)).run(operations));
        return expected.stream().filter(line -> !line.contains("Exception")).count();
    }

    /** Draws operations, the same for the same random. */
    private static final class Operations {
        private static final List<String> NAMES = List.of("a", "b", "c", "d", "d/a", "d/b", "d/e", "d/e/a");

        private final Path directory;
        private final SplittableRandom random;
        private final List<String> outcomes = new ArrayList<>();

        Operations(Path directory, SplittableRandom random) {
            this.directory = directory;
            this.random = random;
        }

        List<String> run(int operations) throws IOException {
            for (int i = 0; i < operations; i++) {
                int operation = random.nextInt(18);
                Path path = path();
                Path other = path();
                byte[] bytes = new byte[random.nextInt(2000)];
                for (int j = 0; j < bytes.length; j++) {
                    bytes[j] = (byte) random.nextInt();
                }
                int offset = random.nextInt(3000);
                String outcome;
                try {
                    outcome = operate(operation, path, other, bytes, offset);
                } catch (IOException | RuntimeException e) {
                    outcome = e.getClass().getSimpleName();
                }
                outcomes.add(operation + " " + outcome);
            }
            list(directory, "");
            return outcomes;
        }

        private Path path() {
            return directory.resolve(NAMES.get(random.nextInt(NAMES.size())));
        }

        private String operate(int operation, Path path, Path other, byte[] bytes, int offset) throws IOException {
            return switch (operation) {
                case 0 -> String.valueOf(Files.createDirectory(path).getFileName());
                case 1 -> String.valueOf(Files.createDirectories(path).getFileName());
                case 2 -> {
                    Files.delete(path);
                    yield "deleted";
                }
                case 3 -> String.valueOf(Files.deleteIfExists(path));
                case 4 -> {
                    Files.move(path, other, StandardCopyOption.ATOMIC_MOVE);
                    yield "moved";
                }
                case 5 -> {
                    Files.move(path, other, StandardCopyOption.REPLACE_EXISTING);
                    yield "moved";
                }
                case 6 -> {
                    Files.copy(path, other);
                    yield "copied";
                }
                case 7 -> Arrays.hashCode(Files.readAllBytes(path)) + " of " + Files.size(path);
                case 8 -> {
                    Files.write(path, bytes);
                    yield "written";
                }
                case 9 -> {
                    try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.APPEND)) {
                        out.write(bytes);
                    }
                    yield "appended";
                }
                case 10 ->
                    Files.exists(path) + " " + Files.notExists(path) + " " + Files.isDirectory(path) + " "
                            + Files.isReadable(path) + " " + Files.isWritable(path) + " " + Files.isRegularFile(path);
                case 11 -> {
                    Files.setLastModifiedTime(path, FileTime.fromMillis(offset * 1000L));
                    yield Files.getLastModifiedTime(path).toString();
                }
                case 12 -> String.valueOf(Files.isSameFile(path, other));
                default -> channel(operation, path, bytes, offset);
            };
        }

        private String channel(int operation, Path path, byte[] bytes, int offset) throws IOException {
            if (Files.isDirectory(path)) {
                return "directory"; // whose size depends on the system
            }
            StandardOpenOption[] options = switch (operation) {
                case 13 -> new StandardOpenOption[] {StandardOpenOption.READ};
                case 14 -> new StandardOpenOption[] {StandardOpenOption.WRITE};
                case 15 ->
                    new StandardOpenOption[] {
                        StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE
                    };
                case 16 -> new StandardOpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW};
                default -> new StandardOpenOption[] {StandardOpenOption.CREATE, StandardOpenOption.APPEND};
            };
            StringBuilder outcome = new StringBuilder();
            try (FileChannel channel = FileChannel.open(path, options)) {
                for (int i = 0; i < 4; i++) {
                    try {
                        outcome.append(change(channel, random.nextInt(7), bytes, offset))
                                .append(' ');
                    } catch (IOException | RuntimeException e) {
                        outcome.append(e.getClass().getSimpleName()).append(' ');
                    }
                }
            }
            return outcome.toString();
        }

        private static String change(FileChannel channel, int kind, byte[] bytes, int offset) throws IOException {
            switch (kind) {
                case 0 -> channel.write(ByteBuffer.wrap(bytes), offset);
                case 1 -> channel.write(ByteBuffer.wrap(bytes));
                case 2 -> channel.truncate(offset);
                case 3 -> {
                    ByteBuffer read = ByteBuffer.allocate(100);
                    return channel.read(read, offset) + ":" + Arrays.hashCode(read.array());
                }
                case 4 -> {
                    ByteBuffer read = ByteBuffer.allocate(100);
                    return channel.read(read) + ":" + Arrays.hashCode(read.array());
                }
                case 5 -> channel.position(offset);
                default -> channel.force(true);
            }
            return channel.position() + "/" + channel.size();
        }

        private void list(Path path, String prefix) throws IOException {
            List<Path> entries = new ArrayList<>();
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
                stream.forEach(entries::add);
            }
            entries.sort(null);
            for (Path entry : entries) {
                String name = prefix + entry.getFileName();
                if (Files.isDirectory(entry)) {
                    outcomes.add(name + "/");
                    list(entry, name + "/");
                } else {
                    outcomes.add(name + " " + Arrays.hashCode(Files.readAllBytes(entry)));
                }
            }
        }
    }

    @Test
    public void entries_areListedInOrder() throws IOException {
        List<String> names = new ArrayList<>();
        for (String name : List.of("c", "a", "d", "b")) {
            Files.createFile(disk.root().resolve(name));
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(disk.root(), "[a-c]")) {
            entries.forEach(entry -> names.add(entry.toString()));
        }
        assertEquals(List.of("/a", "/b", "/c"), names);
    }

    @Test
    public void lockedFile_isNotLockedAgainUntilTheProcessIsGone() throws IOException {
        Path file = disk.root().resolve("lock");
        FileChannel first = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = first.tryLock();
        assertTrue(lock.isValid());
        try (FileChannel second = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThrows(OverlappingFileLockException.class, second::tryLock);
            disk.kill();
        }
        assertEquals(false, first.isOpen() || lock.isValid());
        try (FileChannel next = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertTrue(next.tryLock().isValid());
        }
    }

    @Test
    public void realFile_isTheSameFile() throws IOException {
        Path file = disk.root().resolve("file");
        Files.write(file.toFile().toPath(), new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
        Files.write(file, new byte[] {4});
        assertArrayEquals(new byte[] {4}, Files.readAllBytes(file.toFile().toPath()));
    }

    @Test
    public void fullDisk_takesNothingNewAndSaysSo() throws IOException {
        Path file = Files.write(disk.root().resolve("file"), new byte[10]);
        assertTrue(Files.getFileStore(file).getUsableSpace() > 0);
        disk.setFull(true);
        assertEquals(0, Files.getFileStore(file).getUsableSpace());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertEquals(10, channel.write(ByteBuffer.allocate(10), 0));
            IOException refused = assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(10), 1));
            assertEquals("No space left on device", refused.getMessage());
        }
        assertThrows(IOException.class, () -> Files.createFile(disk.root().resolve("other")));
        assertThrows(IOException.class, () -> Files.createDirectory(disk.root().resolve("other")));
        assertEquals(false, Files.exists(disk.root().resolve("other")));
        disk.setFull(false);
        Files.createFile(disk.root().resolve("other"));
    }

    @Test
    public void stoppedProcess_canDoNothingMore() throws IOException {
        Path file = Files.write(disk.root().resolve("file"), new byte[10]);
        disk.stopAfter(1);
        Files.createFile(disk.root().resolve("one"));
        assertThrows(IOException.class, () -> Files.createFile(disk.root().resolve("two")));
        assertThrows(IOException.class, () -> Files.readAllBytes(file));
        disk.kill();
        assertEquals(10, Files.size(file));
        assertEquals(false, Files.exists(disk.root().resolve("two")));
    }
}
