package io.chainkeeper.ordering.prefix;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.PrefixHash;

/** The hashes of the last prefixes that a replica has decided. */
public final class PrefixHashes {
    /** How many are kept; a power of two. A replica that is further behind is compared when it has caught up. */
    static final int MAX_POSITIONS = 1 << 14;

    private static final int FIRST_CAPACITY = 16;

    /** Hash of position p at p modulo the length, which is a power of two; grows up to {@link #MAX_POSITIONS}. */
    private long[] ring = new long[FIRST_CAPACITY];

    private long first;
    private long last;

    /** Begins with nothing decided. */
    public PrefixHashes() {
        begin(0, PrefixHash.EMPTY);
    }

    /**
     * Begins with a prefix.
     *
     * @param position that it reaches to
     * @param hash its hash, or {@link PrefixHash#UNKNOWN}; that of position 0 is always known
     */
    public void begin(long position, long hash) {
        first = position;
        last = position;
        ring = new long[FIRST_CAPACITY];
        ring[slot(position)] = position == 0 ? PrefixHash.EMPTY : hash;
    }

    /**
     * The next position is decided.
     *
     * @param value what it holds
     * @return hash of the prefix up to it
     */
    public long append(ByteSlice value) {
        if (last - first + 1 == ring.length) {
            if (ring.length < MAX_POSITIONS) {
                grow();
            } else {
                first++;
            }
        }
        long hash = PrefixHash.next(ring[slot(last)], last + 1, value);
        last++;
        ring[slot(last)] = hash;
        return hash;
    }

    private void grow() {
        long[] before = ring;
        ring = new long[2 * before.length];
        for (long position = first; position <= last; position++) {
            ring[slot(position)] = before[(int) (position & before.length - 1)];
        }
    }

    private int slot(long position) {
        return (int) (position & ring.length - 1);
    }

    /** @return the last position decided */
    public long last() {
        return last;
    }

    /**
     * @param position any
     * @return hash of the prefix up to it; {@link PrefixHash#UNKNOWN} if it is not decided, or no longer kept
     */
    public long at(long position) {
        return position < first || position > last ? PrefixHash.UNKNOWN : ring[slot(position)];
    }

    /** @return all that is decided */
    public Prefix latest() {
        return new Prefix(last, ring[slot(last)]);
    }

    /**
     * @param position how far somebody is whom this is told, who can compare it at once
     * @return the prefix up to there, or all that is decided if that is less or the former is no longer kept
     */
    public Prefix upTo(long position) {
        long hash = at(position);
        return hash == PrefixHash.UNKNOWN ? latest() : new Prefix(position, hash);
    }
}
