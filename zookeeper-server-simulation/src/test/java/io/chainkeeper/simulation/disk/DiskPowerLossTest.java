package io.chainkeeper.simulation.disk;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Test;

/** What a power loss may take, and what it never does. */
public class DiskPowerLossTest {
    private static final int RUNS = 400;
    private static final int SECTORS = 8;

    private final RunDirectory run = new RunDirectory();
    private SimulatedDisk disk;

    @After
    public void filesAreRemoved() {
        run.close();
    }

    private interface Story {
        String tell(SplittableRandom random) throws IOException;
    }

    /** Tells a story many times; it says how it ended, and these are all the ends that there are. */
    private void assertEnds(Set<String> ends, Story story) throws IOException {
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < RUNS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            disk = run.newDisk(random.split());
            if (i % 2 == 1) {
                disk.makeReal(Path.of("/"));
            }
            seen.add(story.tell(random));
        }
        assertEquals(new TreeSet<>(ends), seen);
    }

    private Path path(String name) {
        return disk.root().resolve(name);
    }

    private static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private String names() throws IOException {
        StringBuilder names = new StringBuilder();
        try (java.nio.file.DirectoryStream<Path> entries = Files.newDirectoryStream(disk.root())) {
            entries.forEach(entry -> names.append(entry.getFileName()).append(' '));
        }
        return names.toString().trim();
    }

    // ---------------------------------------------------------------- entries

    @Test
    public void newFile_isThereOnlyIfItsDirectoryWasForced() throws IOException {
        assertEnds(Set.of("", "a"), random -> {
            Files.write(path("a"), new byte[] {1});
            force(path("a"));
            disk.losePower();
            return names();
        });
        assertEnds(Set.of("a"), random -> {
            Files.write(path("a"), new byte[] {1});
            force(path("a"));
            force(disk.root());
            disk.losePower();
            assertArrayEquals(new byte[] {1}, Files.readAllBytes(path("a")));
            return names();
        });
    }

    @Test
    public void deletedFile_mayBeBackWithWhatWasForced() throws IOException {
        assertEnds(Set.of("", "a"), random -> {
            Files.write(path("a"), new byte[] {1});
            force(path("a"));
            force(disk.root());
            Files.delete(path("a"));
            disk.losePower();
            if (Files.exists(path("a"))) {
                assertArrayEquals(new byte[] {1}, Files.readAllBytes(path("a")));
            }
            return names();
        });
        assertEnds(Set.of(""), random -> {
            Files.createFile(path("a"));
            force(disk.root());
            Files.delete(path("a"));
            force(disk.root());
            disk.losePower();
            return names();
        });
    }

    @Test
    public void renamedFile_hasOneOfItsNames() throws IOException {
        assertEnds(Set.of("a b:2", "b:1"), random -> {
            Files.write(path("a"), new byte[] {1});
            Files.write(path("b"), new byte[] {2});
            force(path("a"));
            force(path("b"));
            force(disk.root());
            Files.move(path("a"), path("b"), StandardCopyOption.ATOMIC_MOVE);
            disk.losePower();
            return names() + ":" + Files.readAllBytes(path("b"))[0];
        });
    }

    @Test
    public void fileMovedElsewhere_isInOneOfTheDirectories() throws IOException {
        for (boolean forcesSource : new boolean[] {false, true}) {
            assertEnds(Set.of("one", "other"), random -> {
                Files.createDirectory(path("one"));
                Files.createDirectory(path("other"));
                Files.createFile(path("one/a"));
                force(path("one"));
                force(disk.root());
                Files.move(path("one/a"), path("other/a"));
                if (forcesSource) {
                    force(path("one"));
                }
                disk.losePower();
                assertTrue(Files.exists(path("one/a")) != Files.exists(path("other/a")));
                return Files.exists(path("one/a")) ? "one" : "other";
            });
        }
        assertEnds(Set.of("other"), random -> {
            Files.createDirectory(path("one"));
            Files.createDirectory(path("other"));
            Files.createFile(path("one/a"));
            force(path("one"));
            force(disk.root());
            Files.move(path("one/a"), path("other/a"));
            force(path("other"));
            disk.losePower();
            return (Files.exists(path("one/a")) ? "one" : "") + (Files.exists(path("other/a")) ? "other" : "");
        });
    }

    @Test
    public void directoryThatIsGone_takesWhatItHeldWithIt() throws IOException {
        assertEnds(Set.of("", "d"), random -> {
            Files.createDirectory(path("d"));
            Files.write(path("d/a"), new byte[] {1});
            force(path("d/a"));
            force(path("d"));
            disk.losePower();
            assertEquals(Files.exists(path("d")), Files.exists(path("d/a")));
            return names();
        });
    }

    // ---------------------------------------------------------------- contents

    private static byte[] sectors(int version) {
        byte[] bytes = new byte[SECTORS * DiskFile.SECTOR_BYTES];
        Arrays.fill(bytes, (byte) version);
        return bytes;
    }

    private byte[] afterLoss(Consumer<FileChannel> changes) throws IOException {
        Path file = path("a");
        Files.write(file, sectors(1));
        force(file);
        force(disk.root());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        changes.accept(channel);
        disk.losePower();
        byte[] left = Files.readAllBytes(file);
        disk.losePower();
        assertArrayEquals("what is there now is on the disk", left, Files.readAllBytes(file));
        return left;
    }

    private static void write(FileChannel channel, byte[] bytes, long position) {
        try {
            channel.write(ByteBuffer.wrap(bytes), position);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void overwritten_eachSectorIsOldOrNew() throws IOException {
        assertEnds(Set.of("old", "new", "first ones new", "any"), random -> {
            byte[] left = afterLoss(channel -> write(channel, sectors(2), 0));
            assertEquals(SECTORS * DiskFile.SECTOR_BYTES, left.length);
            StringBuilder kinds = new StringBuilder();
            for (int sector = 0; sector < SECTORS; sector++) {
                byte first = left[sector * DiskFile.SECTOR_BYTES];
                for (int i = 0; i < DiskFile.SECTOR_BYTES; i++) {
                    assertEquals("a sector is written whole", first, left[sector * DiskFile.SECTOR_BYTES + i]);
                }
                kinds.append(first);
            }
            String all = kinds.toString();
            assertTrue(all, all.matches("[12]*"));
            return all.matches("1*")
                    ? "old"
                    : all.matches("2*") ? "new" : all.matches("2*1*") ? "first ones new" : "any";
        });
    }

    @Test
    public void appended_isThereInPartOrAsZeros() throws IOException {
        assertEnds(Set.of("nothing", "all", "shorter", "zeros"), random -> {
            byte[] left = afterLoss(channel -> write(channel, sectors(2), SECTORS * DiskFile.SECTOR_BYTES));
            int before = SECTORS * DiskFile.SECTOR_BYTES;
            assertArrayEquals(sectors(1), Arrays.copyOf(left, before));
            boolean hasZeros = false;
            for (int i = before; i < left.length; i++) {
                assertTrue(left[i] == 0 || left[i] == 2);
                hasZeros |= left[i] == 0;
            }
            if (hasZeros) {
                return "zeros";
            }
            return left.length == before ? "nothing" : left.length == 2 * before ? "all" : "shorter";
        });
    }

    @Test
    public void cut_isCutOrNotOrInPart() throws IOException {
        assertEnds(Set.of("cut", "not cut", "in part"), random -> {
            byte[] left = afterLoss(channel -> {
                try {
                    channel.truncate(600);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertTrue(left.length >= 600);
            assertArrayEquals(Arrays.copyOf(sectors(1), 600), Arrays.copyOf(left, 600));
            return left.length == 600 ? "cut" : left.length == SECTORS * DiskFile.SECTOR_BYTES ? "not cut" : "in part";
        });
    }

    @Test
    public void anyWritesAndForces_whatWasForcedLastSurvives() throws IOException {
        assertEnds(Set.of("survives"), random -> {
            Path file = Files.createFile(path("a"));
            force(disk.root());
            byte[] forced = new byte[0];
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                int changes = random.nextInt(20);
                for (int i = 0; i < changes; i++) {
                    byte[] bytes = new byte[1 + random.nextInt(2000)];
                    Arrays.fill(bytes, (byte) random.nextInt(1, 100));
                    if (random.nextInt(4) == 0) {
                        channel.truncate(random.nextInt(3000));
                    } else {
                        channel.write(ByteBuffer.wrap(bytes), random.nextInt(3000));
                    }
                    if (random.nextInt(8) == 0) {
                        disk.kill();
                        return "survives"; // the process only
                    }
                }
                channel.force(false);
                forced = Files.readAllBytes(file);
            }
            disk.losePower();
            assertArrayEquals(forced, Files.readAllBytes(file));
            return "survives";
        });
    }

    // ---------------------------------------------------------------- other ways, failures

    @Test
    public void writtenByAnotherWay_isThereForCertainOnlyIfForcedByThis() throws IOException {
        assertEnds(Set.of("gone", "torn", "there"), random -> {
            Files.createDirectory(path("d"));
            force(disk.root());
            try (FileOutputStream out = new FileOutputStream(path("d/a").toFile())) {
                out.write(sectors(1));
                out.getFD().sync();
            }
            disk.losePower();
            return !Files.exists(path("d/a"))
                    ? "gone"
                    : Arrays.equals(sectors(1), Files.readAllBytes(path("d/a"))) ? "there" : "torn";
        });
        assertEnds(Set.of("there"), random -> {
            Files.createDirectory(path("d"));
            force(disk.root());
            Files.write(path("d/a").toFile().toPath(), sectors(1));
            force(path("d/a"));
            force(path("d"));
            disk.losePower();
            assertArrayEquals(sectors(1), Files.readAllBytes(path("d/a")));
            return "there";
        });
    }

    @Test
    public void fileWrittenAnewByAnotherWay_withTheSameLength_isForced() throws IOException {
        assertEnds(Set.of("there"), random -> {
            Files.createDirectory(path("d"));
            force(disk.root());
            Files.write(path("d/a").toFile().toPath(), sectors(1));
            force(path("d/a"));
            force(path("d"));
            Files.write(path("d/a").toFile().toPath(), sectors(2));
            force(path("d/a"));
            disk.losePower();
            assertArrayEquals(sectors(2), Files.readAllBytes(path("d/a")));
            return "there";
        });
    }

    @Test
    public void failedForce_isNotMadeGoodByTheNext() throws IOException {
        assertEnds(Set.of("old", "new"), random -> {
            byte[] left = afterLoss(channel -> {
                write(channel, new byte[] {2}, 0);
                disk.failForces(1);
                IOException failed = assertThrows(IOException.class, () -> channel.force(false));
                assertEquals("Input/output error", failed.getMessage());
                try {
                    channel.force(false);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            return left[0] == 1 ? "old" : "new";
        });
    }

    @Test
    public void killedProcess_losesNothingThatItHasWritten() throws IOException {
        disk = run.newDisk(new SplittableRandom(1));
        Files.createDirectory(path("d"));
        Files.write(path("d/a"), sectors(1));
        FileChannel channel = FileChannel.open(path("d/a"), StandardOpenOption.WRITE);
        disk.kill();
        assertFalse(channel.isOpen());
        assertArrayEquals(sectors(1), Files.readAllBytes(path("d/a")));
    }

    @Test
    public void bitsThatRot_areFoundChangedAfterAPowerLossToo() throws IOException {
        disk = run.newDisk(new SplittableRandom(1));
        Files.write(path("a"), new byte[] {1, 2, 3});
        force(path("a"));
        force(disk.root());
        disk.rot(path("a"), 1, 4);
        assertArrayEquals(new byte[] {1, 6, 3}, Files.readAllBytes(path("a")));
        disk.losePower();
        assertArrayEquals(new byte[] {1, 6, 3}, Files.readAllBytes(path("a")));
    }
}
