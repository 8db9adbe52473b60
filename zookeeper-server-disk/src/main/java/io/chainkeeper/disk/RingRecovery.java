package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * What a start makes of what a majority of the disks has of its own ring. Earlier starts have found other disks, and
 * written over entries that they did not know, so that disks differ.
 */
final class RingRecovery {
    private final List<Disk> disks;
    private final LongFunction<OwnRing> beginningAt;

    /**
     * @param disks opened, a majority
     * @param beginningAt makes the ring
     */
    RingRecovery(List<Disk> disks, LongFunction<OwnRing> beginningAt) {
        this.disks = disks;
        this.beginningAt = beginningAt;
    }

    /**
     * The ring as one disk has it: the one with the highest last ballot, and of these the one that reaches farthest.
     * It has everything that was counted anywhere.
     *
     * @param freed positions up to here are not needed
     * @return the ring
     */
    OwnRing fromOneDisk(long freed) {
        Disk ahead = disks.get(0);
        for (Disk disk : disks) {
            ahead = disk.extent().isAhead(ahead.extent()) ? disk : ahead;
        }
        OwnRing ring = beginningAt.apply(ahead.header().tail());
        ahead.found().forEach(ring::recover);
        ring.free(freed);
        // With nothing to keep it goes on where no disk has to go back.
        return ring.usedBytes() == 0 ? beginningAt.apply(Math.max(ring.end(), highestTail())) : ring;
    }

    private long highestTail() {
        return disks.stream().mapToLong(disk -> disk.header().tail()).max().orElse(0);
    }

    /** The entry of the highest ballot at each place: what there is without the rule that it is one disk's. */
    OwnRing placeByPlace() {
        long tail = highestTail();
        OwnRing ring = beginningAt.apply(tail);
        TreeMap<Long, RingEntry> best = new TreeMap<>();
        for (Disk disk : disks) {
            disk.found()
                    .forEach(entry -> best.merge(
                            entry.ringOffset(),
                            entry,
                            (one, two) -> one.ballot().lessThan(two.ballot()) ? two : one));
        }
        Ballot last = Ballot.NONE;
        RingEntry next = best.get(tail);
        while (next != null && !next.ballot().lessThan(last)) {
            ring.recover(next);
            last = next.ballot();
            next = best.get(ring.end());
        }
        return ring;
    }
}
