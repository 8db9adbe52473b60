package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.UnreadableDiskException;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What a new disk gets of one server from others: the highest of everything that its headers say there, and of its
 * ring, at each place, the entry of the highest ballot. A server appends the same bytes to its ring on each disk; where
 * two disks differ, the one with the lower ballot holds what was given up. Servers may go on meanwhile: where one has
 * freed a part of its ring, and perhaps written over it, its ring is copied once more.
 */
final class SlotCopy {
    /** A server frees a part of its ring with a checkpoint, which is rare. */
    private static final int MAX_ATTEMPTS = 100;

    private final Superblock label;
    private final int slot;
    private final List<Blocks> others;
    private final List<ServerHeader> headers = new ArrayList<>();
    private final TreeMap<Long, Place> places = new TreeMap<>();

    /** Where the best entry at a place of the ring is to be read. */
    private record Place(Blocks disk, Ballot ballot, long end, boolean isSkip) {}

    /**
     * @param label of the new disk
     * @param slot of the server
     * @param others disks that hold everything that may be decided
     */
    SlotCopy(Superblock label, int slot, List<Blocks> others) {
        this.label = label;
        this.slot = slot;
        this.others = others;
    }

    /** Returns how many bytes of the ring were copied. */
    long writeTo(Blocks target) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            headers.clear();
            places.clear();
            others.forEach(this::read);
            long tail = tail();
            long bytes = copyRing(target, tail);
            if (others.stream().allMatch(other -> header(other).tail() <= tail)) {
                // Last: until then the disk has nothing of this server.
                target.write(label.layout().headerOffset(slot), header(tail).encode(null));
                return bytes;
            }
        }
        throw new UnreadableDiskException("server " + (slot + 1) + " writes faster than its ring can be read");
    }

    private void read(Blocks other) {
        ServerHeader header = header(other);
        headers.add(header);
        new RingScan(other, label, slot, header.tail()).run(entry -> note(other, entry));
    }

    private ServerHeader header(Blocks other) {
        try {
            Superblock theirs = Superblock.decode(other.read(0, SharedDisks.BLOCK_BYTES));
            ByteSlice block = other.read(label.layout().headerOffset(slot), SharedDisks.BLOCK_BYTES);
            return ServerHeader.decode(block, slot, theirs.diskId());
        } catch (DamagedBlockException e) {
            // Without it nobody knows what this server has promised on that disk.
            throw new UnreadableDiskException(e.getMessage());
        }
    }

    private long tail() {
        return headers.stream().mapToLong(ServerHeader::tail).max().orElse(0);
    }

    private void note(Blocks disk, RingEntry entry) {
        Place known = places.get(entry.ringOffset());
        if (known == null || known.ballot().lessThan(entry.ballot())) {
            places.put(entry.ringOffset(), new Place(disk, entry.ballot(), entry.end(), entry.isSkip()));
        }
    }

    private long copyRing(Blocks target, long tail) {
        long offset = tail;
        long bytes = 0;
        Ballot last = Ballot.NONE;
        Place place = places.get(offset);
        while (place != null && !place.ballot().lessThan(last) && place.end() - tail <= label.regionBytes()) {
            int length = place.isSkip() ? SharedDisks.BLOCK_BYTES : (int) (place.end() - offset);
            long at = label.layout().ringOffset(slot) + offset % label.regionBytes();
            target.write(at, place.disk().read(at, length));
            bytes += length;
            last = place.ballot();
            offset = place.end();
            place = places.get(offset);
        }
        return bytes;
    }

    private ServerHeader header(long tail) {
        if (headers.stream().allMatch(ServerHeader::isBlank)) {
            return ServerHeader.blank(slot, label.diskId());
        }
        return new ServerHeader(
                slot,
                label.diskId(),
                1,
                headers.stream().mapToLong(ServerHeader::incarnation).max().orElse(0),
                headers.stream()
                        .map(ServerHeader::ballot)
                        .max(Ballot::compareTo)
                        .orElse(Ballot.NONE),
                headers.stream().mapToLong(ServerHeader::heartbeat).max().orElse(0),
                tail,
                headers.stream().mapToLong(ServerHeader::freed).max().orElse(0),
                headers.stream().mapToLong(ServerHeader::decided).max().orElse(0),
                headers.stream().mapToLong(ServerHeader::checkpoint).max().orElse(0));
    }
}
