package io.chainkeeper.simulation.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The real directory below which the disks of one run have theirs, if they need one: in memory where the system has a
 * file system for that. It is gone when the run ends, whatever happens; only what a killed process leaves, the next one
 * removes.
 */
public final class RunDirectory implements AutoCloseable {
    private static final String PREFIX = "chainkeeper-simulation-";
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final Path OF_PROCESS = ofProcess();

    private static int runs;
    private static volatile boolean processEnds;

    private final Path directory;
    private final List<SimulatedDisk> disks = new ArrayList<>();

    /** Creates an empty directory. */
    public RunDirectory() {
        try {
            directory = Files.createDirectories(OF_PROCESS.resolve(Integer.toString(nextRun())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static synchronized int nextRun() {
        return ++runs;
    }

    private static Path ofProcess() {
        Path parent = Files.isWritable(IN_MEMORY) ? IN_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        try {
            removeLeftovers(parent);
            Path created = Files.createDirectories(
                    parent.resolve(PREFIX + ProcessHandle.current().pid()));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(created), "delete-simulated-disks"));
            return created;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(Path created) {
        processEnds = true;
        delete(created);
    }

    /**
     * To be called with the failure of a run. A process that is told to end takes the files from under its runs, and
     * what fails for lack of them says nothing about a seed: then this does not return.
     */
    public static void holdIfProcessEnds() {
        while (processEnds) {
            LockSupport.park();
        }
    }

    private static void removeLeftovers(Path parent) throws IOException {
        List<Path> left = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path entry : entries) {
                String pid = entry.getFileName().toString().substring(PREFIX.length());
                if (pid.matches("[0-9]{1,18}")
                        && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
                    left.add(entry);
                }
            }
        }
        left.forEach(RunDirectory::delete);
    }

    private static void delete(Path directory) {
        try {
            if (Files.isDirectory(directory)) {
                try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                    entries.forEach(RunDirectory::delete);
                }
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A new disk, with nothing on it.
     *
     * @param random what it draws
     */
    public SimulatedDisk newDisk(SplittableRandom random) {
        SimulatedDisk disk = new SimulatedDisk(directory.resolve(Integer.toString(disks.size() + 1)), random);
        disks.add(disk);
        return disk;
    }

    /** Ends all processes that work on the disks, and removes the files. */
    @Override
    public void close() {
        disks.forEach(SimulatedDisk::kill);
        delete(directory);
    }
}
