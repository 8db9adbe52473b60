package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.function.Consumer;

/**
 * Reads one ring of one disk, entry by entry, from its tail to where no entry follows, or one of a lower ballot: that
 * one is of a ring that its server has given up since.
 */
final class RingScan {
    private final Blocks disk;
    private final Superblock label;
    private final int slot;
    private final long tail;
    private long offset;
    private boolean endsTorn;

    RingScan(Blocks disk, Superblock label, int slot, long tail) {
        this.disk = disk;
        this.label = label;
        this.slot = slot;
        this.tail = tail;
        this.offset = tail;
    }

    /** Visits the entries, skips included, in order. */
    RingScan run(Consumer<RingEntry> visitor) {
        Ballot last = Ballot.NONE;
        RingEntry entry = next();
        while (entry != null && !entry.ballot().lessThan(last)) {
            visitor.accept(entry);
            last = entry.ballot();
            offset = entry.end();
            entry = next();
        }
        return this;
    }

    private RingEntry next() {
        int region = label.regionBytes();
        if (offset - tail >= region) {
            return null;
        }
        ByteSlice head = disk.read(at(), SharedDisks.BLOCK_BYTES);
        int length = RingEntry.bytesAt(head, label.clusterId(), slot, offset);
        // No entry reaches over the end of the region.
        if (length == 0 || length > region - (int) (offset % region)) {
            return null;
        }
        RingEntry entry = RingEntry.decode(length == head.length() ? head : disk.read(at(), length));
        endsTorn = entry == null;
        return entry;
    }

    /** Where on the disk the ring goes on behind the entries that were visited. */
    long at() {
        return label.layout().ringOffset(slot) + offset % label.regionBytes();
    }

    /** Behind the last entry that was visited. */
    long end() {
        return offset;
    }

    /** Whether the beginning of one more entry is there, and not all of it. */
    boolean endsTorn() {
        return endsTorn;
    }
}
