package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.ProvedRefusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves the knowledge of a shared secret without telling it: HMAC-SHA-256 over a label for the side that proves and
 * both hellos, which hold the version, both ids, incarnation, cluster, purpose and both nonces. A proof of one
 * connection is worth nothing on any other, in the other direction, or for another id. A side that has accepted and
 * refuses has sent no hello: its refusal, with its id, takes the place of the hello.
 */
final class SecretProof {
    /** Bytes of one proof. */
    static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    /** Which side proves. */
    enum Side {
        /** The side that has opened the connection. */
        CONNECTING("Chainkeeper link, the side that connects"),

        /** The side that has accepted the connection. */
        ACCEPTING("Chainkeeper link, the side that accepts");

        private final byte[] label;

        Side(String label) {
            this.label = label.getBytes(StandardCharsets.UTF_8);
        }
    }

    private static final byte[] REFUSING =
            "Chainkeeper link, the side that accepts refuses".getBytes(StandardCharsets.UTF_8);

    private SecretProof() {}

    /**
     * @param secrets that this side knows
     * @param side this side
     * @param connecting hello of the side that connects
     * @param accepting hello of the side that accepts, with or without its proofs
     * @return a proof for each secret, one after the other
     */
    static ByteSlice of(List<ByteSlice> secrets, Side side, Hello connecting, Hello accepting) {
        ByteArrayOutputStream proofs = new ByteArrayOutputStream();
        for (ByteSlice secret : secrets) {
            proofs.writeBytes(proof(secret, side.label, bytes(connecting), bytes(accepting)));
        }
        return ByteSlice.of(proofs.toByteArray());
    }

    /**
     * @param secrets that this side, which has accepted, knows
     * @param connecting hello of the side that connects
     * @param refusal with or without its proofs; what it says and who says it is covered
     * @return a proof for each secret, one after the other
     */
    static ByteSlice ofRefusal(List<ByteSlice> secrets, Hello connecting, ProvedRefusal refusal) {
        ByteArrayOutputStream proofs = new ByteArrayOutputStream();
        for (ByteSlice secret : secrets) {
            proofs.writeBytes(proof(secret, REFUSING, bytes(connecting), bytes(refusal)));
        }
        return ByteSlice.of(proofs.toByteArray());
    }

    /**
     * @param secrets that this side, which has connected, knows
     * @param connecting its hello
     * @param refusal of the other side
     * @return whether the other side knows one of the secrets
     */
    static boolean holds(List<ByteSlice> secrets, Hello connecting, ProvedRefusal refusal) {
        return holds(refusal.proofs(), secrets, REFUSING, bytes(connecting), bytes(refusal));
    }

    /**
     * Takes the same time whatever is wrong with the proofs.
     *
     * @param proofs of the other side
     * @param secrets that this side knows
     * @param side the other side
     * @param connecting hello of the side that connects
     * @param accepting hello of the side that accepts
     * @return whether the other side knows one of the secrets
     */
    static boolean holds(ByteSlice proofs, List<ByteSlice> secrets, Side side, Hello connecting, Hello accepting) {
        return holds(proofs, secrets, side.label, bytes(connecting), bytes(accepting));
    }

    private static boolean holds(
            ByteSlice proofs, List<ByteSlice> secrets, byte[] label, byte[] connecting, byte[] accepting) {
        boolean found = false;
        for (ByteSlice secret : secrets) {
            byte[] expected = proof(secret, label, connecting, accepting);
            for (int at = 0; at < proofs.length(); at += BYTES) {
                found |= MessageDigest.isEqual(expected, proofs.slice(at, BYTES).toByteArray());
            }
        }
        return found;
    }

    private static byte[] proof(ByteSlice secret, byte[] label, byte[] connecting, byte[] accepting) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
            mac.update(label);
            mac.update(connecting);
            mac.update(accepting);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new InvariantViolated("every Java platform has " + ALGORITHM + ": " + e.getMessage());
        }
    }

    /** Encoded with the envelope, so that length and version are covered too. */
    private static byte[] bytes(Hello hello) {
        return encoded(hello.with(ByteSlice.EMPTY));
    }

    private static byte[] bytes(ProvedRefusal refusal) {
        return encoded(refusal.with(ByteSlice.EMPTY));
    }

    private static byte[] encoded(HandshakeMessage message) {
        ByteBuf out = Unpooled.buffer();
        HandshakeMessage.encode(message, out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
