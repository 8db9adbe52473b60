package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.HandshakeMessage.Hello;
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
 * connection is worth nothing on any other, in the other direction, or for another id.
 */
final class SecretProof {
    /** Bytes of one proof. */
    static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    /** Which side proves. */
    enum Side {
        /** That has opened the connection. */
        CONNECTING("Chainkeeper link, the side that connects"),

        /** That has accepted it. */
        ACCEPTING("Chainkeeper link, the side that accepts");

        private final byte[] label;

        Side(String label) {
            this.label = label.getBytes(StandardCharsets.UTF_8);
        }
    }

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
            proofs.writeBytes(proof(secret, side, connecting, accepting));
        }
        return ByteSlice.of(proofs.toByteArray());
    }

    /**
     * Takes as long whatever is wrong with them.
     *
     * @param proofs of the other side
     * @param secrets that this side knows
     * @param side the other side
     * @param connecting hello of the side that connects
     * @param accepting hello of the side that accepts
     * @return whether the other side knows one of the secrets
     */
    static boolean holds(ByteSlice proofs, List<ByteSlice> secrets, Side side, Hello connecting, Hello accepting) {
        boolean found = false;
        for (ByteSlice secret : secrets) {
            byte[] expected = proof(secret, side, connecting, accepting);
            for (int at = 0; at < proofs.length(); at += BYTES) {
                found |= MessageDigest.isEqual(expected, proofs.slice(at, BYTES).toByteArray());
            }
        }
        return found;
    }

    private static byte[] proof(ByteSlice secret, Side side, Hello connecting, Hello accepting) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
            mac.update(side.label);
            mac.update(bytes(connecting));
            mac.update(bytes(accepting));
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new InvariantViolated("every Java platform has " + ALGORITHM + ": " + e.getMessage());
        }
    }

    /** Their own length and version stand in front of them. */
    private static byte[] bytes(Hello hello) {
        ByteBuf out = Unpooled.buffer();
        HandshakeMessage.encode(hello.with(ByteSlice.EMPTY), out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
