package io.chainkeeper.main;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeNoException;
import static org.junit.Assume.assumeTrue;

import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.LoopDevice;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** zkDisk.sh: formats what is empty and nothing else, says what is there, replaces what is lost. */
public final class DiskCommandTest {
    private static final int BLOCK = 4096;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private DiskFiles files;

    @Before
    public void list() throws IOException {
        files = new DiskFiles(folder.getRoot().toPath());
    }

    private Path disk(int number) {
        return files.disks.get(number - 1);
    }

    private void format() {
        assertEquals(files.err(), 0, files.run("format", "--yes"));
    }

    private void assertRefused(int code, String message, String... args) {
        assertEquals(files.err() + files.out(), code, files.run(args));
        assertTrue(files.err(), files.err().contains(message));
        assertEquals(files.err(), 1, files.err().lines().count());
    }

    @Test
    public void format_saysWhatItWouldDo_andDoesItWithConsent() throws Exception {
        assertEquals(1, files.run("format"));
        assertTrue(files.out(), files.out().startsWith("To be formatted: 3 empty disks for cluster 0000000000000004"));
        assertTrue(files.out(), files.out().contains("Nothing has been changed. To do it, add --yes."));
        assertFalse(Files.exists(disk(1)));
        format();
        assertEquals(DiskFiles.LAYOUT.diskBytes(), Files.size(disk(1)));
        assertEquals(0, files.run("inspect"));
        assertTrue(files.out(), files.out().contains("disk 2 of 3 of cluster 0000000000000008, id 0000000000000006"));
        assertTrue(files.out(), files.out().contains("server 3: never here"));
        byte[] before = Files.readAllBytes(disk(1));
        assertRefused(1, disk(1) + " is disk 1 of cluster 0000000000000008; nothing was changed.", "format", "--yes");
        assertArrayEquals(before, Files.readAllBytes(disk(1)));
    }

    /** Forcing a file does not force its name: with that a loss of power could take all that lies on the disk. */
    @Test
    public void fileIsMade_itsNameIsForced() throws Exception {
        Path calls = folder.getRoot().toPath().resolve("calls");
        Path said = folder.getRoot().toPath().resolve("said");
        Process process;
        try {
            process = new ProcessBuilder(List.of(
                            "strace",
                            "-f",
                            "-y",
                            "-o",
                            calls.toString(),
                            "-e",
                            "trace=fsync",
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            DiskCommand.class.getName(),
                            files.server.zooCfg.toString(),
                            "format",
                            "--yes"))
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
        } catch (IOException e) {
            assumeNoException("there is no strace here", e);
            return;
        }
        assumeTrue("strace may not look at processes here", process.waitFor() == 0 || Files.exists(disk(1)));
        assertEquals(Files.readString(said), 0, process.exitValue());
        String directory = "<" + disk(1).getParent().toRealPath() + ">)";
        assertTrue(Files.readString(calls), Files.readString(calls).contains(directory));
    }

    @Test
    public void diskThatBearsAnything_isNotFormatted() throws Exception {
        for (long at : new long[] {1080, 65536 + 64, DiskFiles.LAYOUT.diskBytes() + 100_000 - 4096 - 1}) {
            for (int number = 1; number <= 3; number++) {
                Files.deleteIfExists(disk(number));
                DiskFiles.make(disk(number), DiskFiles.LAYOUT.diskBytes() + 100_000 - 100_000 % BLOCK);
            }
            DiskFiles.write(disk(2), at, new byte[] {0x53});
            assertEquals(1, files.run("format", "--yes"));
            assertTrue(files.err(), files.err().contains(disk(2) + " is not empty: byte "));
            assertArrayEquals(new byte[BLOCK], DiskFiles.block(disk(1), 0));
        }
    }

    @Test
    public void fileSystem_isNotFormatted() throws Exception {
        for (int number = 1; number <= 3; number++) {
            DiskFiles.make(disk(number), 4 << 20);
        }
        LoopDevice.run("mkfs.ext4", "-q", disk(3).toString());
        byte[] before = Files.readAllBytes(disk(3));
        assertRefused(1, disk(3) + " is not empty", "format", "--yes");
        assertArrayEquals(before, Files.readAllBytes(disk(3)));
    }

    @Test
    public void oneDeviceByTwoPaths_isNoticedByWhatIsOnIt() throws Exception {
        Path file = folder.newFile().toPath();
        DiskFiles.make(file, DiskFiles.LAYOUT.diskBytes());
        DiskFiles.make(disk(1), DiskFiles.LAYOUT.diskBytes());
        try (LoopDevice one = new LoopDevice(file);
                LoopDevice other = new LoopDevice(file)) {
            files.list(List.of(disk(1), one.path(), other.path()));
            assertRefused(1, one.path() + " does not hold what was written to it", "format", "--yes");
        }
    }

    @Test
    public void blockDevices_areFormattedAndReplaced() throws Exception {
        Path[] backing = new Path[3];
        for (int i = 0; i < 3; i++) {
            backing[i] = folder.newFile().toPath();
            DiskFiles.make(backing[i], DiskFiles.LAYOUT.diskBytes());
        }
        try (LoopDevice one = new LoopDevice(backing[0]);
                LoopDevice two = new LoopDevice(backing[1]);
                LoopDevice three = new LoopDevice(backing[2])) {
            files.list(List.of(one.path(), two.path(), three.path()), "disk.oneMachine=false");
            format();
            assertEquals(files.out(), 0, files.run("inspect"));
            ByteSlice zeros = ByteSlice.of(new byte[(int) DiskFiles.LAYOUT.diskBytes()]);
            try (SharedDisk disk = ChannelDisk.open(two.path(), false)) {
                disk.write(0, zeros);
            }
            assertEquals(files.err(), 0, files.run("replace", "2", "--yes"));
            assertEquals(files.out(), 0, files.run("inspect"));
        }
    }

    @Test
    public void damage_isSaidWithItsPlace_andASuperblockIsMendedByItsCopy() throws Exception {
        format();
        DiskFiles.damage(disk(1), 20);
        DiskFiles.damage(disk(2), DiskFiles.LAYOUT.secondSuperblockOffset() + 20);
        DiskFiles.damage(disk(3), DiskFiles.LAYOUT.headerOffset(1) + 9);
        assertEquals(1, files.run("inspect"));
        assertTrue(files.out(), files.out().contains("DAMAGE at byte 0: first copy of the superblock damaged"));
        assertTrue(files.out(), files.out().contains("second copy of the superblock damaged"));
        assertTrue(files.out(), files.out().contains("DAMAGE at byte 8192: the header of server 2 is damaged"));
        assertEquals(1, files.run("inspect", "--mend"));
        assertTrue(files.out(), files.out().contains("superblock mended by its other copy"));
        assertEquals(1, files.run("inspect"));
        assertEquals(
                1, files.out().lines().filter(line -> line.contains("DAMAGE")).count());
    }

    /** Its label is older; what it holds is its own. */
    @Test
    public void diskWasAwayWhenAnotherWasReplaced_isSaid_andMended() throws Exception {
        List<Path> five = IntStream.rangeClosed(1, 5)
                .mapToObj(number -> folder.getRoot().toPath().resolve("of5-" + number))
                .toList();
        files.list(five);
        format();
        Path away = folder.getRoot().toPath().resolve("away");
        Files.move(five.get(3), away);
        Files.delete(five.get(4));
        assertEquals(files.err(), 0, files.run("replace", "5", "--yes"));
        Files.move(away, five.get(3));
        String doesNotCount = five.get(3) + ": does not count, it was away when another disk was replaced";
        assertEquals(1, files.run("inspect"));
        assertTrue(files.out(), files.out().contains(doesNotCount));
        assertEquals(files.out(), 0, files.run("inspect", "--mend"));
        assertTrue(files.out(), files.out().contains(five.get(3) + ": counts again, of generation 1"));
        assertEquals(files.out(), 0, files.run("inspect"));
        Superblock first = Superblock.decode(ByteSlice.of(DiskFiles.block(five.get(0), 0)));
        assertEquals(first.ofDisk(3), Superblock.decode(ByteSlice.of(DiskFiles.block(five.get(3), 0))));
    }

    @Test
    public void lostDisk_isFilledFromTheOthers() throws Exception {
        format();
        Superblock label = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(1), 0)));
        RingEntry first = entry(label, 0, 0, 1, new Ballot(1, 1), "one");
        RingEntry second = entry(label, 0, first.end(), 2, new Ballot(1, 1), "two");
        RingEntry givenUp = entry(label, 0, second.end(), 3, new Ballot(1, 1), "given up");
        RingEntry third = entry(label, 0, second.end(), 3, new Ballot(5, 1), "three");
        write(1, first, second, givenUp);
        write(2, first, second, third);
        write(3, first);
        header(label, 1, new Ballot(1, 1));
        header(label, 2, new Ballot(5, 1));
        header(label, 3, new Ballot(1, 1));
        Files.delete(disk(3));
        assertEquals(1, files.run("replace", "3"));
        assertTrue(files.out(), files.out().contains("To be filled: " + disk(3) + ", as disk 3 of cluster"));
        assertFalse(Files.exists(disk(3)));
        assertEquals(files.err(), 0, files.run("replace", "3", "--yes"));
        assertTrue(files.out(), files.out().contains("Copied 12288 bytes"));
        assertArrayEquals(ring(2, 3 * BLOCK), ring(3, 3 * BLOCK));
        Superblock replaced = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(3), 0)));
        assertEquals(1, replaced.generation());
        assertTrue(replaced.isWhole());
        for (int other = 1; other <= 2; other++) {
            assertEquals(
                    replaced,
                    Superblock.decode(ByteSlice.of(DiskFiles.block(disk(other), 0)))
                            .ofDisk(2));
        }
        assertFalse(label.diskIds().get(2).equals(replaced.diskId()));
        ServerHeader header = ServerHeader.decode(
                ByteSlice.of(DiskFiles.block(disk(3), DiskFiles.LAYOUT.headerOffset(0))), 0, replaced.diskId());
        assertEquals(new Ballot(5, 1), header.ballot());
        assertEquals(0, files.run("inspect"));
        assertTrue(files.out(), files.out().contains("ring: 3 entries, positions 1 to 3"));
        assertRefused(1, disk(3) + " is disk 3 and whole: there is nothing to replace", "replace", "3", "--yes");
    }

    private static RingEntry entry(Superblock label, int slot, long at, long position, Ballot ballot, String value) {
        ByteSlice bytes = ByteSlice.of(value.getBytes(StandardCharsets.UTF_8));
        int length = (int) RingEntry.bytesFor(bytes.length());
        return new RingEntry(label.clusterId(), slot, at, length, position, ballot, 0, PrefixHash.UNKNOWN, bytes);
    }

    private void write(int number, RingEntry... entries) throws IOException {
        for (RingEntry entry : entries) {
            long at = DiskFiles.LAYOUT.ringOffset(0) + entry.ringOffset();
            DiskFiles.write(disk(number), at, entry.encode().toByteArray());
        }
    }

    private void header(Superblock label, int number, Ballot ballot) throws IOException {
        long id = label.diskIds().get(number - 1);
        ServerHeader header = new ServerHeader(0, id, 1, 17, ballot, 3, 0, 0, 1, 0);
        byte[] block = header.encode(ServerHeader.blank(0, id)).toByteArray();
        DiskFiles.write(disk(number), DiskFiles.LAYOUT.headerOffset(0), block);
    }

    private byte[] ring(int number, int length) throws IOException {
        int from = (int) DiskFiles.LAYOUT.ringOffset(0);
        return Arrays.copyOfRange(Files.readAllBytes(disk(number)), from, from + length);
    }

    @Test
    public void replacement_needsAMajorityOfOthers_andAnEmptyDisk() throws Exception {
        format();
        byte[] whole = Files.readAllBytes(disk(2));
        Files.delete(disk(1));
        Files.delete(disk(2));
        assertRefused(1, "to replace disk 1 of 3, 2 others are needed, and 1 can be used (", "replace", "1", "--yes");
        assertFalse(Files.exists(disk(1)));
        Files.write(disk(2), whole);
        DiskFiles.make(disk(1), DiskFiles.LAYOUT.diskBytes());
        DiskFiles.write(disk(1), 1080, new byte[] {0x53});
        assertRefused(1, disk(1) + " is not empty: byte 1080", "replace", "1", "--yes");
        assertArrayEquals(whole, Files.readAllBytes(disk(2)));
    }

    /** As a crash in the middle leaves it. */
    @Test
    public void otherDiskIsDamaged_whatBecomesOfTheNewOneIsSaid() throws Exception {
        format();
        DiskFiles.damage(disk(3), DiskFiles.LAYOUT.headerOffset(1) + 9);
        Files.delete(disk(2));
        String reason = disk(2) + " is not filled, because the header of server 2 is damaged; until it is, it does not"
                + " count. zkDisk.sh inspect says on which disk the damage is";
        assertRefused(1, reason, "replace", "2", "--yes");
        assertEquals(1, files.run("inspect"));
        assertTrue(files.out(), files.out().contains("the header of server 2 is damaged"));
    }

    @Test
    public void diskThatWasNotFilledToTheEnd_isFilledOnceMore() throws Exception {
        format();
        Superblock label = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), 0)));
        Superblock filling =
                new Superblock(label.clusterId(), 1, label.diskIds(), label.slots(), label.regionBytes(), 1, false);
        DiskFiles.write(disk(2), 0, filling.encode().toByteArray());
        DiskFiles.write(
                disk(2),
                DiskFiles.LAYOUT.secondSuperblockOffset(),
                filling.encode().toByteArray());
        assertEquals(0, files.run("inspect"));
        assertTrue(files.out(), files.out().contains("not filled to the end: it does not count"));
        assertEquals(files.err(), 0, files.run("replace", "2", "--yes"));
        assertTrue(Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), 0))).isWhole());
    }

    /** A start refuses such a disk until it is mended; beside an empty one, nobody could replace that one then. */
    @Test
    public void replacementThatEndedBetweenBothCopiesOfALabel_isDoneOnceMore() throws Exception {
        format();
        Superblock label = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), 0)));
        List<Long> ids = new ArrayList<>(label.diskIds());
        ids.set(0, 99L);
        Superblock next =
                new Superblock(label.clusterId(), 1, List.copyOf(ids), label.slots(), label.regionBytes(), 1, true);
        long second = DiskFiles.LAYOUT.secondSuperblockOffset();
        DiskFiles.write(disk(2), second, next.encode().toByteArray());
        Files.delete(disk(1));
        assertEquals(files.err(), 0, files.run("replace", "1", "--yes"));
        Superblock written = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), 0)));
        assertEquals(2, written.generation());
        assertEquals(written, Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), second))));
        assertEquals(0, files.run("inspect"));
    }

    @Test
    public void wrongCommandLine_isSaidInOneLine() throws Exception {
        assertRefused(2, "zkDisk.sh fomat: unknown command; use one of format, inspect, replace", "fomat");
        assertRefused(2, "zkDisk.sh format --ja: unknown option", "format", "--ja");
        assertRefused(2, "zkDisk.sh replace needs the number of a disk", "replace");
        assertRefused(2, "zkDisk.sh replace 4: give the number of a disk, 1 to 3", "replace", "4");
        assertRefused(2, "one argument too many", "inspect", "a", "b");
        assertRefused(2, "no-such.cfg does not exist", "inspect", "no-such.cfg");
        files.server.writeCfg(files.server.rightLines());
        assertRefused(2, "ordering.protocol=chain has no shared disks", "inspect");
    }
}
