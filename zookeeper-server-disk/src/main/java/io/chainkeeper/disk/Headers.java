package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DamagedBlockException;
import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;

/**
 * What one read of a disk's first blocks shows.
 *
 * @param superblock of the disk
 * @param bySlot the header of each server
 */
record Headers(Superblock superblock, List<ServerHeader> bySlot) {
    /**
     * @param bytes the first blocks of a disk
     * @param layout of the disk
     * @return what they say
     * @throws DamagedBlockException if one of them says nothing
     */
    static Headers decode(ByteSlice bytes, DiskLayout layout) throws DamagedBlockException {
        Superblock superblock = Superblock.decode(bytes.slice(0, SharedDisks.BLOCK_BYTES));
        if (superblock.slots() != layout.slots() || superblock.regionBytes() != layout.regionBytes()) {
            throw new DamagedBlockException(
                    "it was formatted for " + superblock.layout() + ", this server is told of " + layout);
        }
        List<ServerHeader> bySlot = new ArrayList<>();
        for (int slot = 0; slot < layout.slots(); slot++) {
            ByteSlice block = bytes.slice((int) layout.headerOffset(slot), SharedDisks.BLOCK_BYTES);
            bySlot.add(ServerHeader.decode(block, slot, superblock.diskId()));
        }
        return new Headers(superblock, bySlot);
    }

    /** The highest ballot that any server has tried to lead with. */
    Ballot highestBallot() {
        return bySlot.stream().map(ServerHeader::ballot).max(Ballot::compareTo).orElse(Ballot.NONE);
    }

    /** Positions up to here are decided. */
    long decided() {
        return bySlot.stream().mapToLong(ServerHeader::decided).max().orElse(0);
    }

    /** Positions up to here may be gone from rings. */
    long freed() {
        return bySlot.stream().mapToLong(ServerHeader::freed).max().orElse(0);
    }
}
