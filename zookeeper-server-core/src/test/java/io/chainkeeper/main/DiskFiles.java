package io.chainkeeper.main;

import io.chainkeeper.disk.DiskPaxosFactory;
import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server whose zoo.cfg lists three files as disks, and the command for them. */
final class DiskFiles {
    static final List<OrderingProtocolFactory> PROTOCOLS = List.of(new DiskPaxosFactory(), new NamedProtocol("chain"));
    static final DiskLayout LAYOUT = new DiskLayout(3, DiskLayout.MIN_REGION_BYTES);

    final ServerFiles server;
    final List<Path> disks = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long lastId;

    DiskFiles(Path root) throws IOException {
        server = new ServerFiles(root);
        for (int number = 1; number <= 3; number++) {
            disks.add(root.resolve("disk" + number));
        }
        list(disks);
    }

    /** Writes a zoo.cfg with further lines behind those of the disks, which stand from line 11 on. */
    void list(List<Path> paths, String... lines) throws IOException {
        List<String> all = server.rightLines();
        all.add("disk.paths="
                + String.join(",", paths.stream().map(Path::toString).toList()));
        all.addAll(List.of("ordering.protocol=disk", "disk.oneMachine=true", "disk.maxBatchBytes=1024"));
        all.addAll(List.of("disk.slots=3", "disk.regionBytes=" + LAYOUT.regionBytes()));
        for (String line : lines) {
            String key = line.substring(0, line.indexOf('=') + 1);
            all.removeIf(each -> each.startsWith(key));
            all.add(line);
        }
        server.writeCfg(all);
    }

    /** Runs zkDisk.sh; returns its exit code. */
    int run(String... args) {
        out.reset();
        err.reset();
        List<String> all = new ArrayList<>(List.of(server.zooCfg.toString()));
        all.addAll(List.of(args));
        PrintStream toErr = new PrintStream(err, true, StandardCharsets.UTF_8);
        PrintStream toOut = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new DiskCommand(PROTOCOLS, toOut, toErr, () -> ++lastId).run(all.toArray(String[]::new));
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8).strip();
    }

    /** Makes a file that holds zeros. */
    static void make(Path path, long bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    static void write(Path path, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }

    /** Turns a bit of a disk. */
    static void damage(Path path, long at) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            int value = file.read();
            file.seek(at);
            file.write(value ^ 1);
        }
    }

    static byte[] block(Path path, long at) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[SharedDisk.BLOCK_BYTES];
            file.seek(at);
            file.readFully(bytes);
            return bytes;
        }
    }
}
