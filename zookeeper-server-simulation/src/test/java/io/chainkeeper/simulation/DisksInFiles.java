package io.chainkeeper.simulation;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The disks that a protocol shares, if it does, as files of one machine. */
final class DisksInFiles {
    private static final int DISKS = 3;
    private static final DiskLayout LAYOUT = new DiskLayout(4, 16 << 20);
    private static final long CLUSTER = 4711;

    private DisksInFiles() {}

    /** The settings of a server with the disks under a directory; none of a protocol without disks. */
    static Map<String, String> settings(OrderingProtocolFactory factory, Path directory) {
        if (factory.sharedDisks() == null) {
            return Map.of();
        }
        return Map.of(
                "disk.paths", paths(directory).stream().map(Path::toString).collect(Collectors.joining(",")),
                "disk.slots", Integer.toString(LAYOUT.slots()),
                "disk.regionBytes", Integer.toString(LAYOUT.regionBytes()));
    }

    private static List<Path> paths(Path directory) {
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < DISKS; i++) {
            paths.add(directory.resolve("disk" + i));
        }
        return paths;
    }

    /** The disks under a directory, formatted if they are not there yet; none for a protocol without disks. */
    static List<DiskSource> disks(OrderingProtocolFactory factory, Path directory) throws IOException {
        List<DiskSource> sources = new ArrayList<>();
        for (Path path : factory.sharedDisks() != null ? paths(directory) : List.<Path>of()) {
            if (!Files.exists(path)) {
                format(path, sources.size());
            }
            sources.add(() -> ChannelDisk.open(path, true));
        }
        return sources;
    }

    private static void format(Path path, int number) throws IOException {
        Superblock superblock =
                new Superblock(CLUSTER, number, List.of(1L, 2L, 3L), LAYOUT.slots(), LAYOUT.regionBytes(), 0, true);
        Files.write(path, new byte[(int) LAYOUT.diskBytes()]);
        try (SharedDisk disk = ChannelDisk.open(path, true)) {
            disk.write(0, superblock.encode());
            disk.write(LAYOUT.secondSuperblockOffset(), superblock.encode());
            for (int slot = 0; slot < LAYOUT.slots(); slot++) {
                ServerHeader blank = ServerHeader.blank(slot, superblock.diskId());
                disk.write(LAYOUT.headerOffset(slot), blank.encode(null));
            }
            disk.force();
        }
    }
}
