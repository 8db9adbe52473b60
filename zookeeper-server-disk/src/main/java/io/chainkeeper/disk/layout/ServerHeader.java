package io.chainkeeper.disk.layout;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.nio.ByteBuffer;

/**
 * What a server says of itself on a disk, in a block that only it writes.
 *
 * <p>A block has two places. A header of an even sequence stands in the first, one of an odd sequence in the second,
 * and each write puts the header before it into the other place once more. So a write that is torn, or under way,
 * leaves the bytes of the header before it as they were: what was durable once is read until the next one is whole.
 *
 * @param slot of the server
 * @param diskId of the disk that it was written to
 * @param sequence number of this write of the server to this disk, from 1; 0 as the disk was formatted
 * @param incarnation of the server; 0 as long as it has never been there
 * @param ballot the highest with which the server has tried to lead; {@link Ballot#NONE} if it never has
 * @param heartbeat grows with each write while the server leads
 * @param tail where the ring of the server begins: bytes appended to it since it was formatted, and freed since
 * @param freed positions up to here are held by checkpoints of all servers, and may be gone from the ring
 * @param decided positions up to here are decided, as the server knew when it wrote this; never less than before
 * @param checkpoint positions up to here are held by the server's own checkpoint
 */
public record ServerHeader(
        int slot,
        long diskId,
        long sequence,
        long incarnation,
        Ballot ballot,
        long heartbeat,
        long tail,
        long freed,
        long decided,
        long checkpoint) {
    private static final long MAGIC = 0x434b534552564552L;
    private static final int PLACE_BYTES = SharedDisks.BLOCK_BYTES / 2;

    /**
     * @param slot of a server
     * @param diskId of the disk
     * @return the header of a server that has never been there
     */
    public static ServerHeader blank(int slot, long diskId) {
        return new ServerHeader(slot, diskId, 0, 0, Ballot.NONE, 0, 0, 0, 0, 0);
    }

    /** @return whether a server has ever written here */
    public boolean isBlank() {
        return sequence == 0;
    }

    /**
     * @param before the header that is on the disk; null when the disk is formatted, or filled in the place of another
     * @return the block
     */
    public ByteSlice encode(ServerHeader before) {
        InvariantViolated.check(
                before == null || before.sequence + 1 == sequence,
                "header %d of slot %d written after another",
                sequence,
                slot);
        ByteBuffer out = ByteBuffer.allocate(SharedDisks.BLOCK_BYTES);
        put(out);
        if (before != null) {
            before.put(out);
        }
        return ByteSlice.of(out.array());
    }

    private void put(ByteBuffer out) {
        int begin = place(sequence);
        out.position(begin);
        out.putLong(MAGIC).putInt(slot).putLong(diskId).putLong(sequence).putLong(incarnation);
        ballot.put(out)
                .putLong(heartbeat)
                .putLong(tail)
                .putLong(freed)
                .putLong(decided)
                .putLong(checkpoint);
        out.putLong(PrefixHash.of(ByteSlice.of(out.array(), begin, out.position() - begin)));
    }

    private static int place(long sequence) {
        return (sequence & 1) == 0 ? 0 : PLACE_BYTES;
    }

    /**
     * @param block the block of a server's header
     * @param slot of the server
     * @param diskId of the disk
     * @return the latest header that is whole
     * @throws DamagedBlockException if there is none
     */
    public static ServerHeader decode(ByteSlice block, int slot, long diskId) throws DamagedBlockException {
        ServerHeader even = get(block, 0, slot, diskId);
        ServerHeader odd = get(block, PLACE_BYTES, slot, diskId);
        if (even == null && odd == null) {
            throw new DamagedBlockException("the header of server " + (slot + 1) + " is damaged");
        }
        return odd == null || even != null && even.sequence > odd.sequence ? even : odd;
    }

    private static ServerHeader get(ByteSlice block, int begin, int slot, long diskId) {
        ByteBuffer in = block.asByteBuffer();
        in.position(begin);
        if (in.getLong() != MAGIC || in.getInt() != slot || in.getLong() != diskId) {
            return null;
        }
        ServerHeader header = new ServerHeader(
                slot,
                diskId,
                in.getLong(),
                in.getLong(),
                Ballot.get(in),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong());
        long hash = PrefixHash.of(block.slice(begin, in.position() - begin));
        return in.getLong() == hash && place(header.sequence) == begin ? header : null;
    }
}
