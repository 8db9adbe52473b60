package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.SharedDisks;

/**
 * Where things are on each of the shared disks: the superblock and the headers of all servers, which one read fetches;
 * the rings of all servers; a second copy of the superblock. Pure.
 *
 * @param slots how many servers may ever take part; the slot of server N is N - 1
 * @param regionBytes bytes of the ring of each server on each disk, whole blocks
 */
public record DiskLayout(int slots, int regionBytes) {
    /** Most servers that may take part. */
    public static final int MAX_SLOTS = 64;

    /** The smallest ring. */
    public static final int MIN_REGION_BYTES = 64 * SharedDisks.BLOCK_BYTES;

    /** The largest ring; servers keep what is in their own in memory. */
    public static final int MAX_REGION_BYTES = 1 << 30;

    /** A ring holds so many of the longest entries at least: a start refuses settings with which it does not. */
    public static final int ENTRIES_PER_RING = 16;

    private static final int BLOCK = SharedDisks.BLOCK_BYTES;

    /** Checks the ranges. */
    public DiskLayout {
        InvariantViolated.check(slots >= 1 && slots <= MAX_SLOTS, "%d slots are out of range", slots);
        InvariantViolated.check(
                regionBytes >= MIN_REGION_BYTES && regionBytes <= MAX_REGION_BYTES && regionBytes % BLOCK == 0,
                "a ring of %d bytes is out of range",
                regionBytes);
    }

    /**
     * @param replicaId a replica, 1 to {@link #slots}
     * @return its slot, from 0
     */
    public static int slotOf(int replicaId) {
        return replicaId - 1;
    }

    /** @return how many bytes from the beginning of a disk hold the superblock and the headers of all servers */
    public int headersBytes() {
        return (1 + slots) * BLOCK;
    }

    /**
     * @param slot of a server
     * @return where the block of its header begins
     */
    public long headerOffset(int slot) {
        return (1L + checked(slot)) * BLOCK;
    }

    /**
     * @param slot of a server
     * @return where its ring begins
     */
    public long ringOffset(int slot) {
        return headersBytes() + (long) checked(slot) * regionBytes;
    }

    private int checked(int slot) {
        InvariantViolated.check(slot >= 0 && slot < slots, "slot %d of %d", slot, slots);
        return slot;
    }

    /** @return where the second copy of the superblock is */
    public long secondSuperblockOffset() {
        return headersBytes() + (long) slots * regionBytes;
    }

    /** @return bytes of a disk that are used */
    public long diskBytes() {
        return secondSuperblockOffset() + BLOCK;
    }
}
