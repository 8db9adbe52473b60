package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * What the receiver asks: kind (byte), snapshotZxid (long), file (int), offset (long), length (int). Other questions
 * between members begin with other bytes.
 *
 * @param kind what is wanted
 * @param snapshotZxid of the manifest that the request is about; in a request for a manifest the one that is preferred,
 *     or {@link #NEWEST}
 * @param file index in the manifest
 * @param offset first byte; in a request for a manifest the least position of a state that is of use, 0 if any is
 * @param length number of bytes
 */
record StateRequest(Kind kind, long snapshotZxid, int file, long offset, int length) {
    /** No state is preferred to the newest. */
    static final long NEWEST = -1;

    private static final int BYTES = 1 + 2 * Long.BYTES + 2 * Integer.BYTES;

    /** What is wanted. */
    enum Kind {
        /** What the member has. */
        MANIFEST,
        /** Bytes of a file. */
        READ,
        /** CRC32C of bytes of a file. */
        CHECKSUM
    }

    static StateRequest manifest(long preferredSnapshotZxid, long leastPosition) {
        return new StateRequest(Kind.MANIFEST, preferredSnapshotZxid, 0, leastPosition, 0);
    }

    ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        out.put((byte) kind.ordinal()).putLong(snapshotZxid).putInt(file);
        out.putLong(offset).putInt(length);
        return ByteSlice.of(out.array());
    }

    static StateRequest decode(ByteSlice bytes) throws MalformedMessageException {
        if (bytes.length() != BYTES || bytes.get(0) < 0 || bytes.get(0) >= Kind.values().length) {
            throw new MalformedMessageException("a request of " + bytes.length() + " bytes is not understood");
        }
        ByteBuffer in = bytes.asByteBuffer();
        return new StateRequest(Kind.values()[in.get()], in.getLong(), in.getInt(), in.getLong(), in.getInt());
    }
}
