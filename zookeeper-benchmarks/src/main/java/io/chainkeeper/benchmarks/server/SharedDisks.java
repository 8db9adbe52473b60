package io.chainkeeper.benchmarks.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The disks that servers share if they order on disks: files in the ensemble's directory.
 *
 * @param count how many, an odd number
 * @param delayMillis how much longer each request to a disk takes, in the order of the disks; empty for no longer
 */
public record SharedDisks(int count, List<Integer> delayMillis) {
    /** The value of {@code ordering.protocol} that needs them. */
    public static final String PROTOCOL = "disk";

    /** What the lines of zoo.cfg begin with that others refuse. */
    static final String KEYS = "disk.";

    /**
     * @param directory of the ensemble
     * @return the lines of every zoo.cfg
     */
    Map<String, String> lines(Path directory) {
        String paths = IntStream.rangeClosed(1, count)
                .mapToObj(number ->
                        directory.resolve("disk" + number).toAbsolutePath().toString())
                .collect(Collectors.joining(","));
        return Map.of("disk.paths", paths, "disk.oneMachine", "true");
    }
}
