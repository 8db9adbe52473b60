package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * What may be wrong with shared disks, as {@code zkServer.sh start} tells it: the exit code is not 0, one line says
 * why, and nothing has been written. {@code SharedDiskInputTest} has every case; these are those of the start itself.
 */
public class DiskInputTest {
    /** So small that the bytes of all disks can be compared. */
    private static final Map<String, String> SMALL = Map.of("disk.slots", "2", "disk.regionBytes", "34603008");

    private static final int BLOCK = 4096;

    private final EnsembleDisks disks = new EnsembleDisks(3);
    private final Ensemble ensemble = Ensemble.named("disk-input")
            .set("ordering.protocol", "disk")
            .set("disk.slots", SMALL.get("disk.slots"))
            .set("disk.regionBytes", SMALL.get("disk.regionBytes"))
            .set("standaloneEnabled", "false")
            .servers(1)
            .disks(disks)
            .build();
    private final ServerProcess server = ensemble.server(1);

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Before
    public void format() throws Exception {
        ensemble.writeConfigurations();
    }

    private static String list(Path... paths) {
        return Stream.of(paths).map(Path::toString).collect(Collectors.joining(","));
    }

    private void assertRefused(Map<String, String> changes, String... reason) throws Exception {
        server.configure(changes);
        SortedMap<String, String> before = contents();
        Scripts.Result result = server.script("start");
        assertEquals(result.toString(), 1, result.exitCode());
        String all = result.output() + result.errors();
        for (String part : reason) {
            assertEquals(
                    part + " in one line: " + result,
                    1,
                    all.lines().filter(line -> line.contains(part)).count());
        }
        assertTrue("no stack trace: " + result, all.lines().noneMatch(line -> line.startsWith("\tat ")));
        assertEquals("what was changed", before, contents());
    }

    /** Of the data directory and the disks. */
    private SortedMap<String, String> contents() throws IOException {
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(server.directory().resolve("data"))) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                contents.put(path.toString(), HexFormat.of().formatHex(Files.readAllBytes(path)));
            }
        }
        for (int disk : disks.numbers()) {
            if (Files.exists(disks.file(disk))) {
                CRC32 checksum = new CRC32();
                checksum.update(Files.readAllBytes(disks.file(disk)));
                contents.put("disk " + disk, Long.toHexString(checksum.getValue()));
            }
        }
        return contents;
    }

    private static void write(Path path, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }

    private static void damageSuperblock(Path path) throws IOException {
        write(path, 16, new byte[] {1, 2, 3, 4});
    }

    @Test
    public void disksThatAreNotThoseOfThisCluster_areRefused() throws Exception {
        Path first = disks.file(1);
        Path second = disks.file(2);
        Path third = disks.file(3);
        assertRefused(Map.of("disk.paths", list(second, first, third)), second + " is disk 2 of its cluster");
        assertRefused(Map.of("disk.paths", list(first, second)), "list an odd number");
        assertRefused(Map.of("disk.paths", list(first, second, first)), "list each disk once");
        assertRefused(
                Map.of("disk.paths", list(first, second, third), "ordering.protocol", "chain"),
                "has no effect with ordering.protocol=chain");
        Map<String, String> right = Map.of("ordering.protocol", "disk");
        server.configure(right);
        byte[] other = Files.readAllBytes(third);
        for (int disk : disks.numbers()) {
            Files.delete(disks.file(disk));
        }
        assertEquals(0, disks.tool(server, "format", "--yes").exitCode());
        Files.write(third, other);
        assertRefused(right, third + " bears cluster ");
        Files.write(third, new byte[other.length]);
        write(third, 1080, new byte[] {0x53, (byte) 0xef});
        assertRefused(right, third + " is no disk of this cluster");
    }

    @Test
    public void disksThatAreTooSmall_areRefused() throws Exception {
        Path third = disks.file(3);
        assertRefused(Map.of("disk.regionBytes", "1048576"), "disk.regionBytes=1048576 is too small for batches of");
        try (RandomAccessFile file = new RandomAccessFile(third.toFile(), "rw")) {
            file.setLength(file.length() - BLOCK);
        }
        assertRefused(SMALL, third + " has ");
    }

    /** The copy of a torn superblock tells what the disk is, and the others carry on until it is mended. */
    @Test
    public void tornSuperblocks_keepTheirDisksOutUntilTheyAreMended() throws Exception {
        damageSuperblock(disks.file(1));
        ensemble.startAll();
        ensemble.killAll();
        damageSuperblock(disks.file(2));
        assertRefused(Map.of(), "of 3 disks 1 can be used, a majority is needed");
        assertEquals(0, disks.tool(server, "inspect", "--mend").exitCode());
        ensemble.startAll();
        assertEquals(server, ensemble.leader());
        List<String> problems = server.lastLogLines(Integer.MAX_VALUE).stream()
                .filter(line -> line.contains("A shared disk is not used"))
                .toList();
        assertEquals("told once, before it was mended: " + problems, 1, problems.size());
    }
}
