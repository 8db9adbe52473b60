package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.function.Consumer;

/**
 * Reads the ring of one server on one disk from its tail to where no entry follows, or one of a lower ballot: that one
 * is of a ring that its server has given up since.
 */
final class RingReader {
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;

    private final Disk disk;
    private final long clusterId;
    private final int slot;
    private final int regionBytes;
    private final long begin;
    private final long tail;
    private final Consumer<RingEntry> found;
    private final Runnable done;
    private long offset;
    private Ballot last = Ballot.NONE;

    /**
     * @param disk to read from
     * @param clusterId of the disks
     * @param slot of the server
     * @param tail where its ring begins
     * @param found given each entry, skips included, in order; views of larger arrays
     * @param done called behind the last one
     */
    RingReader(Disk disk, long clusterId, int slot, long tail, Consumer<RingEntry> found, Runnable done) {
        this.disk = disk;
        this.clusterId = clusterId;
        this.slot = slot;
        this.regionBytes = disk.layout().regionBytes();
        this.begin = disk.layout().ringOffset(slot);
        this.tail = tail;
        this.found = found;
        this.done = done;
        this.offset = tail;
    }

    void start() {
        readOn(BLOCK);
    }

    private void readOn(int atLeast) {
        long inRegion = offset % regionBytes;
        int length = (int) Math.min(Math.max(atLeast, DiskSettings.CHUNK_BYTES), regionBytes - inRegion);
        disk.read(begin + inRegion, length, this::onRead);
    }

    private void onRead(ByteSlice bytes) {
        int at = 0;
        while (at < bytes.length()) {
            ByteSlice rest = bytes.slice(at, bytes.length() - at);
            int length = offset - tail >= regionBytes ? 0 : RingEntry.bytesAt(rest, clusterId, slot, offset);
            if (length > rest.length()) {
                readOn(length);
                return;
            }
            RingEntry entry = length == 0 ? null : RingEntry.decode(rest.slice(0, length));
            if (entry == null || entry.ballot().lessThan(last)) {
                done.run();
                return;
            }
            found.accept(entry);
            last = entry.ballot();
            offset = entry.end();
            if (entry.isSkip()) {
                break;
            }
            at += length;
        }
        readOn(BLOCK);
    }
}
