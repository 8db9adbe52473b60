package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.ByteSlice;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Shared disks in memory, formatted. */
final class SimulatedDisks {
    private static final int SECTOR = 512;
    private static final long CLUSTER = 4711;

    private final DiskLayout layout;
    private final byte[][] bytes;
    private final boolean[] alive;

    SimulatedDisks(int count, DiskLayout layout) {
        this.layout = layout;
        this.bytes = new byte[count][];
        this.alive = new boolean[count];
        List<Long> ids = LongStream.range(0, count).map(i -> 100 + i).boxed().toList();
        Arrays.fill(alive, true);
        for (int i = 0; i < count; i++) {
            Superblock superblock = new Superblock(CLUSTER, i, ids, layout.slots(), layout.regionBytes(), 0, true);
            bytes[i] = new byte[(int) layout.diskBytes()];
            write(i, 0, superblock.encode());
            write(i, layout.secondSuperblockOffset(), superblock.encode());
            for (int slot = 0; slot < layout.slots(); slot++) {
                write(
                        i,
                        layout.headerOffset(slot),
                        ServerHeader.blank(slot, superblock.diskId()).encode(null));
            }
        }
    }

    int count() {
        return bytes.length;
    }

    boolean isAlive(int disk) {
        return alive[disk];
    }

    void setAlive(int disk, boolean isAlive) {
        alive[disk] = isAlive;
    }

    /** The disk comes back with nothing on it. */
    void empty(int disk) {
        Arrays.fill(bytes[disk], (byte) 0);
    }

    DiskLayout layout() {
        return layout;
    }

    void write(int disk, long offset, ByteSlice what) {
        System.arraycopy(what.array(), what.offset(), bytes[disk], (int) offset, what.length());
    }

    ByteSlice read(int disk, long offset, int length) {
        return ByteSlice.of(Arrays.copyOfRange(bytes[disk], (int) offset, (int) offset + length));
    }

    /** Some of the sectors are written, and one of those that were to change becomes anything. */
    void tear(int disk, long offset, ByteSlice what, SplittableRandom random) {
        int torn = random.nextInt(what.length() / SECTOR);
        for (int sector = 0; sector < what.length() / SECTOR; sector++) {
            int at = sector * SECTOR;
            ByteSlice part = what.slice(at, SECTOR);
            boolean isSame = part.equals(read(disk, offset + at, SECTOR));
            if (sector == torn && !isSame) {
                byte[] garbage = new byte[SECTOR];
                Arrays.fill(garbage, (byte) random.nextInt());
                write(disk, offset + at, ByteSlice.of(garbage));
            } else if (random.nextBoolean()) {
                write(disk, offset + at, part);
            }
        }
    }
}
