package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Where the kernel's control groups are mounted, and in which of them this process is. */
final class CgroupMounts {
    private final List<Mount> mounts;
    private final List<Membership> memberships;

    private record Mount(String type, Path directory, List<String> options) {}

    private record Membership(List<String> controllers, String path) {}

    private CgroupMounts(List<Mount> mounts, List<Membership> memberships) {
        this.mounts = mounts;
        this.memberships = memberships;
    }

    /**
     * Reads {@code /proc/mounts} and {@code /proc/self/cgroup}.
     *
     * @param proc {@code /proc}, or a directory of the same form
     * @return what they say; nothing if there are no control groups
     * @throws IOException if they cannot be read
     */
    static CgroupMounts read(Path proc) throws IOException {
        List<Mount> mounts = new ArrayList<>();
        for (String line : Files.readAllLines(proc.resolve("mounts"), StandardCharsets.UTF_8)) {
            String[] fields = line.split(" ");
            if (fields.length >= 4 && (fields[2].equals("cgroup") || fields[2].equals("cgroup2"))) {
                mounts.add(new Mount(fields[2], Path.of(fields[1]), Arrays.asList(fields[3].split(","))));
            }
        }
        List<Membership> memberships = new ArrayList<>();
        Path self = proc.resolve("self/cgroup");
        if (Files.exists(self)) {
            for (String line : Files.readAllLines(self, StandardCharsets.UTF_8)) {
                String[] fields = line.split(":", 3);
                if (fields.length == 3) {
                    memberships.add(new Membership(Arrays.asList(fields[1].split(",")), fields[2]));
                }
            }
        }
        return new CgroupMounts(mounts, memberships);
    }

    /**
     * The directory of this process in a controller's hierarchy of version 1.
     *
     * @param controller such as {@code cpu}
     * @return its directory, or empty if the controller is not mounted
     */
    Optional<Path> versionOne(String controller) {
        return mounts.stream()
                .filter(m -> m.type().equals("cgroup") && m.options().contains(controller))
                .findFirst()
                .map(m -> ownDirectory(m.directory(), controller));
    }

    /** @return the root of the hierarchy of version 2, or empty if it is not mounted */
    Optional<Path> versionTwo() {
        return mounts.stream()
                .filter(m -> m.type().equals("cgroup2"))
                .findFirst()
                .map(Mount::directory);
    }

    /** In a container the path may be one of the host's, which the mount does not show; its root is ours then. */
    private Path ownDirectory(Path mount, String controller) {
        return memberships.stream()
                .filter(m -> m.controllers().contains(controller))
                .findFirst()
                .map(m -> mount.resolve(m.path().replaceFirst("^/+", "")))
                .filter(Files::isDirectory)
                .orElse(mount);
    }
}
