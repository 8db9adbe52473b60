package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.UnreadableDiskException;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;

/**
 * What a new disk gets of one server from others: the highest of everything that its headers say there, and its ring as
 * one of them has it, the one that {@link RingExtent#isAhead} of the others. Servers may go on meanwhile: where one has
 * freed a part of that ring, or written something else where an entry was read, all is done once more.
 */
final class SlotCopy {
    /** A server frees a part of its ring with a checkpoint, and writes over its end with a start, which are rare. */
    private static final int MAX_ATTEMPTS = 100;

    private final Superblock label;
    private final int slot;
    private final List<Blocks> others;
    private final List<ServerHeader> headers = new ArrayList<>();

    /** An entry as it was found; its ballot and its place say which one it is. */
    private record Place(long offset, long end, Ballot ballot, boolean isSkip) {}

    /** The ring of the server on one disk. */
    private record Ring(Blocks disk, long tail, RingExtent extent, List<Place> places) {}

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
            Ring ring = read(others.get(0));
            for (Blocks other : others.subList(1, others.size())) {
                Ring next = read(other);
                ring = next.extent().isAhead(ring.extent()) ? next : ring;
            }
            if (copy(ring, target) && header(ring.disk()).tail() == ring.tail()) {
                // Last: until then the disk has nothing of this server.
                target.write(
                        label.layout().headerOffset(slot), header(ring.tail()).encode(null));
                return ring.places().stream().mapToLong(this::bytes).sum();
            }
        }
        throw new UnreadableDiskException("server " + (slot + 1) + " writes faster than its ring can be read");
    }

    private Ring read(Blocks other) {
        ServerHeader header = header(other);
        headers.add(header);
        List<Place> places = new ArrayList<>();
        new RingScan(other, label, slot, header.tail())
                .run(entry -> places.add(new Place(entry.ringOffset(), entry.end(), entry.ballot(), entry.isSkip())));
        RingExtent extent = places.isEmpty()
                ? RingExtent.empty(header.tail())
                : new RingExtent(
                        places.get(places.size() - 1).ballot(),
                        places.get(places.size() - 1).end());
        return new Ring(other, header.tail(), extent, places);
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

    private int bytes(Place place) {
        return place.isSkip() ? SharedDisks.BLOCK_BYTES : (int) (place.end() - place.offset());
    }

    /**
     * Copies a ring. What was read first and is still there has all been there at once: else a server that writes over
     * the end of its ring meanwhile could have an entry of its former ring copied, and a later one of its new ring
     * behind that.
     *
     * @return whether every entry is the one that was found
     */
    private boolean copy(Ring ring, Blocks target) {
        for (Place place : ring.places()) {
            long at = label.layout().ringOffset(slot) + place.offset() % label.regionBytes();
            ByteSlice bytes = ring.disk().read(at, bytes(place));
            boolean isThere = RingEntry.bytesAt(bytes, label.clusterId(), slot, place.offset()) == bytes.length();
            RingEntry entry = isThere ? RingEntry.decode(bytes) : null;
            if (entry == null || !entry.ballot().equals(place.ballot()) || entry.end() != place.end()) {
                return false;
            }
            target.write(at, bytes);
        }
        return true;
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
