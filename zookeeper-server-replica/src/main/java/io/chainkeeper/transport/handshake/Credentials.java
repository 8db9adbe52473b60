package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.TransportSettings;
import io.netty.buffer.ByteBuf;

/**
 * The part of a hello that proves something.
 *
 * <pre>
 *   secret   1     1 if the sender knows a shared secret, so that it proves that and wants it to be proved
 *   nonce   16     random, for this connection only
 *   disk    16     {@link TransportSettings#diskIdentity} of the side that connects, else 0
 *   proofs   1     how many, at most {@value #MAX_PROOFS}
 *           32 each, see {@link SecretProof}; none in the hello of the side that connects
 * </pre>
 *
 * @param hasSecret whether the sender knows a shared secret
 * @param nonce {@value #NONCE_BYTES} bytes
 * @param disk {@value #DISK_BYTES} bytes
 * @param proofs that the sender knows each of its secrets, one after the other
 */
public record Credentials(boolean hasSecret, ByteSlice nonce, ByteSlice disk, ByteSlice proofs) {
    /** Bytes of a nonce. */
    static final int NONCE_BYTES = 16;

    /** Bytes of the identity of a disk. */
    static final int DISK_BYTES = TransportSettings.DISK_IDENTITY_BYTES;

    /** How many secrets are accepted at a time: the present one and the next one. */
    static final int MAX_PROOFS = 2;

    /** Identity of a disk that has none. */
    static final ByteSlice NO_DISK = ByteSlice.of(new byte[DISK_BYTES]);

    /** Credentials that prove nothing. */
    static final Credentials NONE =
            new Credentials(false, ByteSlice.of(new byte[NONCE_BYTES]), NO_DISK, ByteSlice.EMPTY);

    private static final int FIXED_BYTES = 1 + NONCE_BYTES + DISK_BYTES;

    Credentials with(ByteSlice proved) {
        return new Credentials(hasSecret, nonce, disk, proved);
    }

    int encodedBytes() {
        return FIXED_BYTES + 1 + proofs.length();
    }

    void put(ByteBuf out) {
        out.writeBoolean(hasSecret);
        write(nonce, out);
        write(disk, out);
        putProofs(proofs, out);
    }

    static void putProofs(ByteSlice proofs, ByteBuf out) {
        out.writeByte(proofs.length() / SecretProof.BYTES);
        write(proofs, out);
    }

    private static void write(ByteSlice bytes, ByteBuf out) {
        out.writeBytes(bytes.array(), bytes.offset(), bytes.length());
    }

    static Credentials get(ByteBuf body) throws MalformedMessageException {
        if (body.readableBytes() < FIXED_BYTES) {
            throw new MalformedMessageException("sent a malformed handshake (credentials cut short)");
        }
        boolean secret = body.readBoolean();
        return new Credentials(secret, read(body, NONCE_BYTES), read(body, DISK_BYTES), getProofs(body));
    }

    /** Reads the body to its end. */
    static ByteSlice getProofs(ByteBuf body) throws MalformedMessageException {
        int count = body.isReadable() ? body.readUnsignedByte() : -1;
        if (count < 0 || count > MAX_PROOFS || body.readableBytes() != count * SecretProof.BYTES) {
            throw new MalformedMessageException("sent a malformed handshake (" + count + " proofs)");
        }
        return read(body, body.readableBytes());
    }

    private static ByteSlice read(ByteBuf body, int length) {
        byte[] bytes = new byte[length];
        body.readBytes(bytes);
        return ByteSlice.of(bytes);
    }
}
