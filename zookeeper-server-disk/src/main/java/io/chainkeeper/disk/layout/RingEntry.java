package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.nio.ByteBuffer;

/**
 * What a server proposed in a ballot for a position, in its ring. A ring is appended to without an end; the byte that
 * was appended as number n lies at n modulo the ring's length. An entry bears its number, so one that an earlier lap
 * has left is known. No entry reaches over the end of the region: where the next one has no room, a <em>skip</em> leads
 * to the beginning.
 *
 * @param clusterId of the disks
 * @param slot of the server
 * @param ringOffset number of its first byte in the ring
 * @param bytes how many bytes of the ring it takes, whole blocks
 * @param position in the order; 0 if this is a skip
 * @param ballot that it was proposed in
 * @param decided positions up to here are decided, as the server knew when it appended this
 * @param prefixHash {@link PrefixHash} of all values up to this one in this ballot; {@link PrefixHash#UNKNOWN} if it
 *     was not known
 * @param value what was proposed
 */
public record RingEntry(
        long clusterId,
        int slot,
        long ringOffset,
        int bytes,
        long position,
        Ballot ballot,
        long decided,
        long prefixHash,
        ByteSlice value) {
    /** What an entry has in front of its value. */
    public static final int HEAD_BYTES = 8 + 8 + 4 + 8 + 4 + 8 + Ballot.BYTES + 8 + 8 + 4 + 8 + 8;

    private static final long MAGIC = 0x434b454e54525931L;
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;

    /**
     * @param valueBytes length of a value
     * @return how many bytes of a ring its entry takes
     */
    public static long bytesFor(int valueBytes) {
        return ((long) HEAD_BYTES + valueBytes + BLOCK - 1) / BLOCK * BLOCK;
    }

    /**
     * @param clusterId see {@link RingEntry}
     * @param slot see {@link RingEntry}
     * @param ringOffset see {@link RingEntry}
     * @param bytes how many are left to the end of the region
     * @param ballot that the next entry is proposed in
     * @return what leads there to the beginning of the region
     */
    public static RingEntry skip(long clusterId, int slot, long ringOffset, int bytes, Ballot ballot) {
        return new RingEntry(clusterId, slot, ringOffset, bytes, 0, ballot, 0, PrefixHash.UNKNOWN, ByteSlice.EMPTY);
    }

    /** @return whether this only leads to the beginning of the region */
    public boolean isSkip() {
        return position == 0;
    }

    /** @return number of the byte after it */
    public long end() {
        return ringOffset + bytes;
    }

    /** @return what is to be written: the entry; of a skip its first block */
    public ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(isSkip() ? BLOCK : bytes);
        out.putLong(MAGIC).putLong(clusterId).putInt(slot).putLong(ringOffset).putInt(bytes);
        ballot.put(out.putLong(position)).putLong(decided).putLong(prefixHash);
        out.putInt(value.length()).putLong(PrefixHash.of(value));
        out.putLong(PrefixHash.of(ByteSlice.of(out.array(), 0, out.position())));
        out.put(value.array(), value.offset(), value.length());
        return ByteSlice.of(out.array());
    }

    /**
     * Looks for an entry without looking at its value.
     *
     * @param bytes from where an entry may begin, at least a block
     * @param clusterId see {@link RingEntry}
     * @param slot see {@link RingEntry}
     * @param ringOffset see {@link RingEntry}
     * @return how many bytes from there have to be read to {@link #decode} it: a block if it is a skip; 0 if none
     *     begins there
     */
    public static int bytesAt(ByteSlice bytes, long clusterId, int slot, long ringOffset) {
        ByteBuffer in = bytes.asByteBuffer();
        boolean isHere =
                in.getLong() == MAGIC && in.getLong() == clusterId && in.getInt() == slot && in.getLong() == ringOffset;
        int length = in.getInt();
        boolean isSkip = in.getLong() == 0;
        boolean isWhole =
                isHere && in.getLong(HEAD_BYTES - Long.BYTES) == PrefixHash.of(bytes.slice(0, HEAD_BYTES - Long.BYTES));
        if (!isWhole) {
            return 0;
        }
        return isSkip ? BLOCK : length;
    }

    /**
     * @param bytes as many as {@link #bytesAt} said
     * @return the entry; null if its value is not what it ought to be: then its write was torn, and it is none
     */
    public static RingEntry decode(ByteSlice bytes) {
        ByteBuffer in = bytes.asByteBuffer();
        in.getLong();
        long clusterId = in.getLong();
        int slot = in.getInt();
        long ringOffset = in.getLong();
        int length = in.getInt();
        long position = in.getLong();
        Ballot ballot = Ballot.get(in);
        long decided = in.getLong();
        long prefixHash = in.getLong();
        int valueBytes = in.getInt();
        long valueHash = in.getLong();
        ByteSlice value = bytes.slice(HEAD_BYTES, valueBytes);
        return PrefixHash.of(value) == valueHash
                ? new RingEntry(clusterId, slot, ringOffset, length, position, ballot, decided, prefixHash, value)
                : null;
    }
}
