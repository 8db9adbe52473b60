package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.SharedDisks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a disk says it is: the first block, and the last one once more. Changed only by the tools, one copy after the
 * other, so that a change that a crash tears leaves one of them whole. Immutable.
 *
 * @param clusterId drawn when the disks were formatted; the same on all disks of a cluster
 * @param number which of the disks this is, from 0
 * @param diskIds of all disks, each drawn when that disk was formatted: a disk that replaces another has another id
 * @param slots see {@link DiskLayout}
 * @param regionBytes see {@link DiskLayout}
 * @param generation how often a disk has been replaced; of two superblocks the one with the higher generation says
 *     which disks count
 * @param isWhole false while the disk is being filled in the place of another: nobody may count it, or read from it
 */
public record Superblock(
        long clusterId, int number, List<Long> diskIds, int slots, int regionBytes, long generation, boolean isWhole) {
    /** Most disks. */
    public static final int MAX_DISKS = 31;

    private static final long MAGIC = 0x434b4449534b5031L;
    private static final int VERSION = 1;

    /** Checks the ranges. */
    public Superblock {
        diskIds = List.copyOf(diskIds);
        int disks = diskIds.size();
        InvariantViolated.check(disks >= 1 && disks <= MAX_DISKS, "%d disks are out of range", disks);
        InvariantViolated.check(number >= 0 && number < disks, "disk %d of %d", number, disks);
        InvariantViolated.check(generation >= 0, "generation %d", generation);
    }

    /** @return where things are on the disk */
    public DiskLayout layout() {
        return new DiskLayout(slots, regionBytes);
    }

    /** @return id of this disk */
    public long diskId() {
        return diskIds.get(number);
    }

    /**
     * @param whichNumber which of the disks
     * @return the superblock of that disk: this one but for the number
     */
    public Superblock ofDisk(int whichNumber) {
        return new Superblock(clusterId, whichNumber, diskIds, slots, regionBytes, generation, isWhole);
    }

    /** @return the block */
    public ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(SharedDisks.BLOCK_BYTES);
        out.putLong(MAGIC).putInt(VERSION).putLong(clusterId).putInt(number).putInt(slots);
        out.putInt(regionBytes).putLong(generation).put((byte) (isWhole ? 1 : 0));
        out.putInt(diskIds.size());
        diskIds.forEach(out::putLong);
        int length = out.position();
        out.putLong(PrefixHash.of(ByteSlice.of(out.array(), 0, length)));
        return ByteSlice.of(out.array());
    }

    /**
     * @param block the first {@link SharedDisks#BLOCK_BYTES} bytes of a disk, or the second copy
     * @return what it says
     * @throws DamagedBlockException if it is no superblock, or one that this release does not know
     */
    public static Superblock decode(ByteSlice block) throws DamagedBlockException {
        ByteBuffer in = block.asByteBuffer();
        if (block.length() < SharedDisks.BLOCK_BYTES || in.getLong() != MAGIC) {
            throw new DamagedBlockException("it bears no superblock");
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw new DamagedBlockException(
                    "its superblock has version " + version + ", this release knows " + VERSION);
        }
        long clusterId = in.getLong();
        int number = in.getInt();
        int slots = in.getInt();
        int regionBytes = in.getInt();
        long generation = in.getLong();
        boolean isWhole = in.get() != 0;
        int disks = in.getInt();
        if (disks < 1 || disks > MAX_DISKS) {
            throw new DamagedBlockException("its superblock is damaged: it claims " + disks + " disks");
        }
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < disks; i++) {
            ids.add(in.getLong());
        }
        long hash = PrefixHash.of(block.slice(0, in.position()));
        if (in.getLong() != hash) {
            throw new DamagedBlockException("its superblock is damaged: its checksum does not fit");
        }
        return new Superblock(clusterId, number, ids, slots, regionBytes, generation, isWhole);
    }
}
