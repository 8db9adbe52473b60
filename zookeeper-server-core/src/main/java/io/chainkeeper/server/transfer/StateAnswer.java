package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * What the sender answers: kind (byte), crc32c (int), body.
 *
 * @param kind what it is
 * @param crc of the body; of the bytes asked about in a {@link Kind#CHECKSUM}
 * @param body the rest
 */
record StateAnswer(Kind kind, int crc, ByteSlice body) {
    /** Bytes before the body. */
    static final int HEAD_BYTES = 1 + Integer.BYTES;

    /** What an answer is. */
    enum Kind {
        /** The body is a manifest. */
        MANIFEST,
        /** The manifest is not ready yet; ask again at once. */
        PREPARING,
        /** The body is a part of a file. */
        BYTES,
        /** No body. */
        CHECKSUM,
        /** What was asked about is no longer there; ask for a manifest. */
        GONE,
        /** There is no state to offer; the body says why, in UTF-8. */
        NOTHING
    }

    static StateAnswer empty(Kind kind) {
        return new StateAnswer(kind, 0, ByteSlice.EMPTY);
    }

    static StateAnswer checksum(int crc) {
        return new StateAnswer(Kind.CHECKSUM, crc, ByteSlice.EMPTY);
    }

    static StateAnswer manifest(StateManifest manifest) {
        return withBody(Kind.MANIFEST, ByteSlice.of(manifest.encode()));
    }

    static StateAnswer bytes(ByteSlice bytes) {
        return withBody(Kind.BYTES, bytes);
    }

    static StateAnswer nothing(String reason) {
        return withBody(Kind.NOTHING, ByteSlice.of(reason.getBytes(StandardCharsets.UTF_8)));
    }

    private static StateAnswer withBody(Kind kind, ByteSlice body) {
        return new StateAnswer(kind, crcOf(body), body);
    }

    static int crcOf(ByteSlice bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        return (int) crc.getValue();
    }

    /** Whether the body arrived as it was sent. */
    boolean isIntact() {
        return kind == Kind.CHECKSUM || crcOf(body) == crc;
    }

    ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + body.length());
        out.put((byte) kind.ordinal()).putInt(crc);
        out.put(body.array(), body.offset(), body.length());
        return ByteSlice.of(out.array());
    }

    static StateAnswer decode(ByteSlice bytes) throws MalformedMessageException {
        if (bytes.length() < HEAD_BYTES || bytes.get(0) < 0 || bytes.get(0) >= Kind.values().length) {
            throw new MalformedMessageException("an answer of " + bytes.length() + " bytes is not understood");
        }
        ByteBuffer in = bytes.asByteBuffer();
        return new StateAnswer(
                Kind.values()[in.get()], in.getInt(), bytes.slice(HEAD_BYTES, bytes.length() - HEAD_BYTES));
    }
}
