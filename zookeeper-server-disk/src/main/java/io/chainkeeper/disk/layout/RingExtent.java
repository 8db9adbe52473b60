package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.acceptor.Ballot;

/**
 * How far the ring of a server reaches on one disk: what follows one another there from the tail in its header on. Of
 * some disks of which one has counted an entry, the one that {@link #isAhead} of all others has that entry, and the
 * same before it. Immutable.
 *
 * @param lastBallot of the last entry, the highest of all; {@link Ballot#NONE} if there is no entry
 * @param end number of the byte after that entry; of the first one, the tail, if there is no entry
 */
public record RingExtent(Ballot lastBallot, long end) {
    /**
     * @param tail where a ring begins
     * @return that of a ring without entries
     */
    public static RingExtent empty(long tail) {
        return new RingExtent(Ballot.NONE, tail);
    }

    /**
     * @param next the entry that follows there
     * @return how far the ring reaches with it
     */
    public RingExtent with(RingEntry next) {
        return new RingExtent(next.ballot(), next.end());
    }

    /**
     * @param other of the same server on another disk
     * @return whether this one has the higher last ballot, or the same and reaches farther
     */
    public boolean isAhead(RingExtent other) {
        int order = lastBallot.compareTo(other.lastBallot);
        return order > 0 || order == 0 && end > other.end;
    }
}
