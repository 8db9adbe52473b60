package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.BinaryHead;
import io.chainkeeper.release.NewerFormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What one snapshot file, or the transaction log alone, needs to be continued from the order. Immutable.
 *
 * <pre>
 * magic            long   "CKCHKPT2": the last byte is the format version
 * release          24 bytes, see {@link io.chainkeeper.release.Release#putName}; not in version 1
 * position         long
 * zxid             long
 * snapshotZxid     long
 * coveredZxid      long
 * proposersLength  int, proposers
 * stateLength      int, replicated state
 * crc32c           int    of everything before it
 * </pre>
 *
 * @param position last position executed when it was taken; the order is needed from the next one on
 * @param zxid last zxid taken by then, not above {@code snapshotZxid}
 * @param snapshotZxid names the snapshot file; that of the log alone has {@code zxid} here
 * @param coveredZxid a fuzzy snapshot may hold effects of transactions up to this one, and the transaction log was on
 *     stable storage up to it
 * @param proposers see {@link io.chainkeeper.replica.ProposerTable#encode}
 * @param replicatedState see {@link io.chainkeeper.server.state.ReplicatedState#encode}
 */
public record Checkpoint(
        long position, long zxid, long snapshotZxid, long coveredZxid, ByteSlice proposers, ByteSlice replicatedState) {
    private static final BinaryHead HEAD = new BinaryHead(0x434b43484b505400L, 2, 2);
    private static final int FIXED_BYTES = 4 * Long.BYTES + 3 * Integer.BYTES;

    /** @return the file's content */
    public byte[] encode() {
        ByteBuffer out =
                ByteBuffer.allocate(BinaryHead.BYTES + FIXED_BYTES + proposers.length() + replicatedState.length());
        HEAD.put(out);
        out.putLong(position).putLong(zxid).putLong(snapshotZxid).putLong(coveredZxid);
        put(out, proposers);
        put(out, replicatedState);
        BinaryHead.putChecksum(out);
        return out.array();
    }

    private static void put(ByteBuffer out, ByteSlice bytes) {
        out.putInt(bytes.length()).put(bytes.array(), bytes.offset(), bytes.length());
    }

    /**
     * Reads back what {@link #encode} wrote.
     *
     * @param content the file's content
     * @param name of the file, for messages
     * @return the checkpoint
     * @throws MalformedMessageException if it is anything else
     * @throws NewerFormatException if a later release wrote it
     */
    public static Checkpoint decode(byte[] content, String name)
            throws MalformedMessageException, NewerFormatException {
        if (content.length < Long.BYTES + FIXED_BYTES) {
            throw new MalformedMessageException("has only " + content.length + " bytes");
        }
        ByteBuffer in = ByteBuffer.wrap(content);
        if (HEAD.version(in, name) == BinaryHead.OTHER) {
            throw new MalformedMessageException(
                    "begins with 0x" + Long.toHexString(in.getLong(0)) + "; it is no checkpoint");
        }
        try {
            long position = in.getLong();
            long zxid = in.getLong();
            long snapshotZxid = in.getLong();
            long coveredZxid = in.getLong();
            ByteSlice proposers = get(in, content);
            ByteSlice replicatedState = get(in, content);
            if (in.remaining() != Integer.BYTES) {
                throw new MalformedMessageException("has " + (in.remaining() - Integer.BYTES) + " bytes too many");
            }
            return new Checkpoint(position, zxid, snapshotZxid, coveredZxid, proposers, replicatedState);
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedMessageException("is cut short");
        }
    }

    private static ByteSlice get(ByteBuffer in, byte[] content) {
        int length = in.getInt();
        ByteSlice bytes = ByteSlice.of(content, in.position(), length);
        in.position(in.position() + length);
        return bytes;
    }
}
