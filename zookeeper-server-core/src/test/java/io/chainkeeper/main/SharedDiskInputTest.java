package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.config.KnownDisks;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.shareddisk.LoopDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What may be wrong with the disks of a zoo.cfg: one line, no start, nothing written. One lost disk is no mistake. */
public final class SharedDiskInputTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private DiskFiles files;

    @Before
    public void format() throws IOException {
        files = new DiskFiles(folder.getRoot().toPath());
        assertEquals(files.err(), 0, files.run("format", "--yes"));
    }

    private Path disk(int number) {
        return files.disks.get(number - 1);
    }

    private void assertRefused(int exitCode, String... expected) throws IOException {
        BadInputTest.assertRefused(files.server, DiskFiles.PROTOCOLS, exitCode, expected);
    }

    private void assertStarts() {
        List<String> started = new ArrayList<>();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        ServerLauncher launcher = new ServerLauncher(
                DiskFiles.PROTOCOLS,
                config -> {
                    started.add(config.ordering().protocol());
                    throw new IOException("far enough");
                },
                args -> {
                    throw new AssertionError("the stock server was started");
                },
                new PrintStream(err, true, StandardCharsets.UTF_8));
        launcher.run(new String[] {files.server.zooCfg.toString()});
        assertEquals(err.toString(StandardCharsets.UTF_8), List.of("disk"), started);
    }

    @Test
    public void threeFormattedDisks_areRight_andTwoOfThemAreEnough() throws Exception {
        assertStarts();
        Files.delete(disk(2));
        assertStarts();
        DiskFiles.make(disk(2), DiskFiles.LAYOUT.diskBytes());
        assertStarts();
        DiskFiles.damage(disk(1), 20);
        assertRefused(1, "of 3 disks 1 can be used, a majority is needed.", disk(1) + " has a damaged first block");
    }

    /** The order went on without what this server now has: after a loss, or a switch of protocols and back. */
    @Test
    public void dataOfAnotherOrder_isRefusedWhereTheDisksKnowTheServer() throws Exception {
        Path version2 = files.server.dataDirectory.resolve("version-2");
        Files.writeString(version2.resolve("log.1"), "not looked at");
        assertStarts();
        ServerHeader header = new ServerHeader(0, 1, 1, 7, Ballot.NONE, 1, 0, 0, 0, 0);
        ByteSlice block = header.encode(null);
        DiskFiles.write(disk(1), DiskFiles.LAYOUT.headerOffset(0), block.toByteArray());
        assertRefused(
                3,
                files.server.dataDirectory.resolve("ordering") + ": the order on the shared disks knows server 1, but"
                        + " not what dataDir holds; nothing was changed. Put the directory back");
        Files.delete(version2.resolve("log.1"));
        assertStarts();
        Files.writeString(version2.resolve("log.1"), "not looked at");
        new KnownDisks(4).write(files.server.dataDirectory.resolve("ordering"));
        assertStarts();
    }

    @Test
    public void forceNewCluster_isOfNoUse_andSaysWhy() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream toErr = new PrintStream(err, true, StandardCharsets.UTF_8);
        ForceNewCluster command = new ForceNewCluster(DiskFiles.PROTOCOLS, Clock.systemUTC(), toErr, toErr);
        assertEquals(2, command.run(files.server.zooCfg.toString(), "--yes"));
        assertEquals(
                "servers that share disks (ordering.protocol=disk) need no quorum of servers: any one goes on alone."
                        + " Start it as always, and remove the others with reconfig",
                err.toString(StandardCharsets.UTF_8).strip());
    }

    @Test
    public void tooManyLost_isRefused() throws Exception {
        Files.delete(disk(1));
        Files.delete(disk(3));
        assertRefused(1, "zoo.cfg:11: disk.paths=", "First problem: " + disk(1) + " does not exist");
    }

    @Test
    public void emptyDisks_areToBeFormatted() throws Exception {
        for (Path disk : files.disks) {
            Files.delete(disk);
            DiskFiles.make(disk, DiskFiles.LAYOUT.diskBytes());
        }
        assertRefused(1, "zoo.cfg:11: disk.paths=", "these disks are empty; format them for this cluster: zkDisk.sh");
    }

    @Test
    public void diskThatBearsSomethingElse_isRefused() throws Exception {
        Files.delete(disk(2));
        DiskFiles.make(disk(2), DiskFiles.LAYOUT.diskBytes());
        DiskFiles.write(disk(2), 1080, new byte[] {0x53, (byte) 0xef});
        assertRefused(1, disk(2) + " is no disk of this cluster: it bears no superblock; nothing was changed on it");
    }

    @Test
    public void otherOrder_isRefused() throws Exception {
        files.list(List.of(disk(2), disk(1), disk(3)));
        assertRefused(1, disk(2) + " is disk 2 of its cluster and listed as disk 1; list the disks in the order");
    }

    @Test
    public void evenNumber_isRefused() throws Exception {
        files.list(List.of(disk(1), disk(2)));
        assertRefused(2, "zoo.cfg:11: disk.paths=", " are 2 disks: a majority of an even number", "list an odd number");
        files.list(List.of(disk(1)));
        assertRefused(1, disk(1) + " is one of 3 disks, and 1 are listed");
    }

    @Test
    public void oneDiskTwice_isRefusedThroughLinksToo() throws Exception {
        Path link = Files.createSymbolicLink(folder.getRoot().toPath().resolve("link"), disk(1));
        files.list(List.of(disk(1), disk(2), link));
        assertRefused(2, link + " is the same disk as " + disk(1) + "; list each disk once");
    }

    @Test
    public void otherClustersDisk_isRefused() throws Exception {
        byte[] other = Files.readAllBytes(disk(3));
        for (Path disk : files.disks) {
            Files.delete(disk);
        }
        assertEquals(files.err(), 0, files.run("format", "--yes"));
        Files.write(disk(3), other);
        assertRefused(1, disk(3) + " bears cluster 0000000000000004, and others bear 0000000000000008");
    }

    @Test
    public void disksThatTheDirectoryDoesNotBelongTo_areRefused() throws Exception {
        Path ordering = files.server.dataDirectory.resolve("ordering");
        new KnownDisks(4).write(ordering);
        assertStarts();
        new KnownDisks(17).write(ordering);
        assertRefused(1, "this server's directory belongs to the disks of cluster 0000000000000011");
        Files.writeString(ordering.resolve(KnownDisks.FILE_NAME), "formatVersion=1\nrelease=0.2.0\nclusterId=x\n");
        assertRefused(3, KnownDisks.FILE_NAME + " is damaged (no line clusterId=)");
    }

    @Test
    public void diskThatShrank_isRefused() throws Exception {
        byte[] all = Files.readAllBytes(disk(3));
        Files.write(disk(3), Arrays.copyOf(all, all.length - 4096));
        assertRefused(1, disk(3) + " has " + (all.length - 4096) + " bytes, and needs " + all.length);
    }

    @Test
    public void otherNumbersThanFormattedWith_areRefused() throws Exception {
        files.list(files.disks, "disk.slots=2");
        assertRefused(2, "disk.slots=2 leaves no place for server 3");
        files.list(files.disks, "disk.regionBytes=270336");
        assertRefused(1, "has 806912 bytes, and needs");
        files.list(files.disks, "disk.regionBytes=262145");
        assertRefused(2, "disk.regionBytes=262145 is no multiple of 4096; give 266240");
        files.list(files.disks, "disk.maxBatchBytes=1048576");
        assertRefused(2, "disk.regionBytes=262144 is too small for batches of", "give at least ");
    }

    @Test
    public void replacedDisk_doesNotComeBack() throws Exception {
        byte[] old = Files.readAllBytes(disk(1));
        Files.delete(disk(1));
        assertEquals(files.err(), 0, files.run("replace", "1", "--yes"));
        assertStarts();
        Files.write(disk(1), old);
        Files.delete(disk(2));
        assertRefused(1, "of 3 disks 1 can be used", disk(1) + " was replaced by another disk");
    }

    @Test
    public void diskThatIsBeingFilled_doesNotCount() throws Exception {
        Superblock label = Superblock.decode(ByteSlice.of(DiskFiles.block(disk(2), 0)));
        Superblock filling =
                new Superblock(label.clusterId(), 1, label.diskIds(), label.slots(), label.regionBytes(), 0, false);
        DiskFiles.write(disk(2), 0, filling.encode().toByteArray());
        DiskFiles.write(
                disk(2),
                DiskFiles.LAYOUT.secondSuperblockOffset(),
                filling.encode().toByteArray());
        assertStarts();
        Files.delete(disk(3));
        assertRefused(1, disk(2) + " was not filled to the end; do that: zkDisk.sh replace");
    }

    @Test
    public void keysWithoutThatProtocol_areRefused() throws Exception {
        files.list(files.disks, "ordering.protocol=chain");
        assertRefused(2, "zoo.cfg:11: disk.paths=", " has no effect with ordering.protocol=chain; remove it");
        List<String> lines = files.server.rightLines();
        lines.add("ordering.protocol=disk");
        files.server.writeCfg(lines);
        assertRefused(2, "zoo.cfg: the key disk.paths is missing; list the disks");
    }

    @Test
    public void fileSystemWithoutDirectWrites_isRefused() throws Exception {
        Path mount = folder.newFolder().toPath();
        LoopDevice.run("mount", "-t", "ramfs", "ramfs", mount.toString());
        try {
            Path moved = mount.resolve("disk3");
            Files.copy(disk(3), moved);
            files.list(List.of(disk(1), disk(2), moved), "disk.oneMachine=false");
            assertRefused(1, moved + ": past the system's cache (O_DIRECT) it cannot be used", "disk.oneMachine=true");
        } finally {
            LoopDevice.run("umount", mount.toString());
        }
    }
}
