package io.chainkeeper.clienttests.harness;

import io.chainkeeper.shareddisk.LoopDevice;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.AssumptionViolatedException;

/**
 * Block devices as shared disks. Each server has a device of its own over each file, so that one server's writes to a
 * disk can be made to fail while it runs and the others go on. Needs the rights to make loop devices.
 */
public final class EnsembleDevices extends EnsembleDisks {
    private static final int MAX_DISKS = 100;

    /** By server and disk. */
    private final Map<Integer, LoopDevice> devices = new TreeMap<>();

    private EnsembleDevices(int count) {
        super(count);
    }

    /** Returns devices where this user may make them, and files elsewhere. */
    public static EnsembleDisks orFiles(int count) {
        try {
            Path file = Files.createTempFile("device", "");
            try {
                Files.write(file, new byte[1 << 20]);
                new LoopDevice(file).close();
                return new EnsembleDevices(count);
            } finally {
                Files.delete(file);
            }
        } catch (AssumptionViolatedException e) {
            System.out.println("shared disks are files, not block devices: " + e.getMessage());
            return new EnsembleDisks(count);
        } catch (Exception e) {
            throw new IllegalStateException("a loop device was not tried out", e);
        }
    }

    @Override
    Map<String, String> settings() {
        return Map.of();
    }

    private static int key(int server, int disk) {
        return server * MAX_DISKS + disk;
    }

    @Override
    public Path path(int server, int disk) {
        return devices.get(key(server, disk)).path();
    }

    @Override
    void create(List<Integer> servers) throws Exception {
        super.create(servers);
        for (int disk : numbers()) {
            try (RandomAccessFile file = new RandomAccessFile(file(disk).toFile(), "rw")) {
                file.setLength(DISK_BYTES);
            }
            for (int server : servers) {
                devices.put(key(server, disk), new LoopDevice(file(disk)));
            }
        }
    }

    /** From now on what this server writes to this disk fails; its open channel does not help it. */
    public void cut(int server, int disk) throws IOException, InterruptedException {
        LoopDevice.run("blockdev", "--setro", path(server, disk).toString());
    }

    /** Ends {@link #cut}. */
    public void heal(int server, int disk) throws IOException, InterruptedException {
        LoopDevice.run("blockdev", "--setrw", path(server, disk).toString());
    }

    /** Ends all cuts. */
    public void healAll() throws IOException, InterruptedException {
        for (LoopDevice device : devices.values()) {
            LoopDevice.run("blockdev", "--setrw", device.path().toString());
        }
    }

    @Override
    public void close() throws Exception {
        for (LoopDevice device : devices.values()) {
            device.close();
        }
        devices.clear();
    }
}
