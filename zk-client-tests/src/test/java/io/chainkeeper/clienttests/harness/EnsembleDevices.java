package io.chainkeeper.clienttests.harness;

import io.chainkeeper.shareddisk.LoopDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.AssumptionViolatedException;

/**
 * Block devices as shared disks. Each server has a device of its own over each file, so that one server's writes to a
 * disk can be made to fail while it runs and the others go on. Needs the rights to make loop devices.
 */
public final class EnsembleDevices extends EnsembleDisks {
    private static final int MAX_DISKS = 100;

    /** What is left of a disk that fails: not all headers, so neither they nor any ring can be read or written. */
    private static final int LEFT_BYTES = 4096;

    /** By server and disk. */
    private final Map<Integer, LoopDevice> devices = new TreeMap<>();

    private final Set<DiskFault> faults;

    /** Keys of the devices that are cut. */
    private final Set<Integer> cut = new TreeSet<>();

    private EnsembleDevices(int count, Set<DiskFault> faults) {
        super(count);
        this.faults = faults;
    }

    /** Returns devices where this user may make them, and files elsewhere. */
    public static EnsembleDisks orFiles(int count) {
        try {
            Path file = Files.createTempFile("device", "");
            try {
                Files.write(file, new byte[1 << 20]);
                return new EnsembleDevices(count, faultsOf(file));
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

    private static Set<DiskFault> faultsOf(Path file) throws Exception {
        LoopDevice device = new LoopDevice(file);
        try (device) {
            device.limit(LEFT_BYTES);
            return EnumSet.of(DiskFault.WRITES_FAIL, DiskFault.ALL_FAIL);
        } catch (AssumptionViolatedException e) {
            System.out.println("of block devices only writes fail: " + e.getMessage());
            return EnumSet.of(DiskFault.WRITES_FAIL);
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
            makeFile(disk);
            for (int server : servers) {
                devices.put(key(server, disk), new LoopDevice(file(disk)));
            }
        }
    }

    @Override
    public Set<DiskFault> faults() {
        return faults;
    }

    @Override
    public void cut(int server, int disk, DiskFault fault) throws Exception {
        if (!faults.contains(fault)) {
            super.cut(server, disk, fault);
        }
        heal(server, disk);
        cut.add(key(server, disk));
        if (fault == DiskFault.ALL_FAIL) {
            devices.get(key(server, disk)).limit(LEFT_BYTES);
        } else {
            LoopDevice.run("blockdev", "--setro", path(server, disk).toString());
        }
    }

    @Override
    public void heal(int server, int disk) throws IOException, InterruptedException {
        heal(key(server, disk));
    }

    private void heal(int key) throws IOException, InterruptedException {
        if (cut.remove(key)) {
            LoopDevice device = devices.get(key);
            LoopDevice.run("blockdev", "--setrw", device.path().toString());
            if (faults.contains(DiskFault.ALL_FAIL)) {
                device.limit(0);
            }
        }
    }

    @Override
    public void healAll() throws IOException, InterruptedException {
        for (int key : Set.copyOf(cut)) {
            heal(key);
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
