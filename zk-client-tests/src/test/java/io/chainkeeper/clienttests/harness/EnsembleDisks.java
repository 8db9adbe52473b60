package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The disks that the servers of an ensemble share with {@code ordering.protocol=disk}: files in its directory, under
 * the same paths for all servers.
 */
public class EnsembleDisks implements AutoCloseable {
    /** Of a disk: more than the product's default lengths need. */
    private static final long DISK_BYTES = (8 * 64 + 1) << 20;

    private static final long FORMAT_LIMIT_SECONDS = 60;

    private final int count;
    private Path directory;

    /** @param count how many, an odd number */
    public EnsembleDisks(int count) {
        this.count = count;
    }

    final void setDirectory(Path ensemble) {
        directory = ensemble.resolve("disks");
    }

    /** Returns lines of every zoo.cfg, where a test does not say anything else. */
    Map<String, String> settings() {
        return Map.of("disk.oneMachine", "true");
    }

    /** Returns the numbers of the disks, from 1. */
    public final List<Integer> numbers() {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    /** Returns the file that holds what is on a disk. */
    public final Path file(int disk) {
        return directory.resolve("disk-" + disk);
    }

    /** Returns where a server finds a disk. */
    public Path path(int server, int disk) {
        return file(disk);
    }

    /** Returns what {@code disk.paths} says at a server. */
    public final String list(int server) {
        return numbers().stream().map(disk -> path(server, disk).toString()).collect(Collectors.joining(","));
    }

    /** Returns what {@link #cut} can make wrong with these disks; of files nothing. */
    public Set<DiskFault> faults() {
        return Set.of();
    }

    /**
     * From now on this is wrong with a disk for a server, in place of what was; its open channel does not help it.
     *
     * @throws IllegalArgumentException if the fault is none of {@link #faults}
     */
    public void cut(int server, int disk, DiskFault fault) throws Exception {
        throw new IllegalArgumentException("these disks cannot be made to " + fault);
    }

    /** Ends {@link #cut} of one disk for one server. */
    public void heal(int server, int disk) throws Exception {}

    /** Ends all cuts; also without any, and before the disks are made. */
    public void healAll() throws Exception {}

    /** Makes the directory, and what {@code zkDisk.sh} does not make itself. */
    void create(List<Integer> servers) throws Exception {
        Files.createDirectories(directory);
    }

    /** Makes the file that holds what will be on a disk. */
    final void makeFile(int disk) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(file(disk).toFile(), "rw")) {
            file.setLength(DISK_BYTES);
        }
    }

    /** Formats the disks as the first server lists them. */
    final void format(ServerProcess first) throws IOException, InterruptedException {
        Scripts.Result result = tool(first, "format", "--yes");
        if (result.exitCode() != 0) {
            throw new AssertionError("zkDisk.sh format: " + result);
        }
    }

    /** Runs {@code zkDisk.sh} with the zoo.cfg of a server, to its end. */
    public final Scripts.Result tool(ServerProcess server, String... arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(server.configFile().toString());
        return Scripts.run(FORMAT_LIMIT_SECONDS, server.directory(), "zkDisk.sh", all.toArray(String[]::new));
    }

    @Override
    public void close() throws Exception {}
}
