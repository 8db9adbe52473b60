package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerSecret;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.ProvedRefusal;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.SecretProof.Side;
import java.util.List;

/**
 * The shared secret in one handshake. The side that accepts proves first, so the side that connects tells nothing to a
 * process that happens to answer at a peer's address. Belongs to the I/O thread.
 */
final class HandshakeSecret {
    /** What is said of a side whose proof does not hold. */
    static final String OTHER_SECRET = "knows none of the secrets of the other side: let the files that"
            + " ordering.secretFile names have a line in common on all servers";

    private static final String NO_SECRET =
            "does not prove that it knows the shared secret: set ordering.secretFile there, or"
                    + " ordering.secretRequired=false on the others until then";

    private final PeerSecret source;

    /** The secrets of this handshake: the same throughout, even if the file changes meanwhile. */
    private List<ByteSlice> secrets;

    /** @param source of the secrets, null if there are none */
    HandshakeSecret(PeerSecret source) {
        this.source = source;
    }

    private List<ByteSlice> secrets() {
        if (secrets == null) {
            secrets = source.current();
        }
        return secrets;
    }

    /**
     * @param asked hello of the side that has connected
     * @return what speaks against that side, or null
     */
    String objectionToAsked(Hello asked) {
        return source != null && source.isRequired() && !asked.credentials().hasSecret() ? NO_SECRET : null;
    }

    /**
     * @param asked hello of the side that has connected
     * @return whether that side is let in only when it has proved that it knows a secret
     */
    boolean isToBeProved(Hello asked) {
        return source != null && asked.credentials().hasSecret();
    }

    /**
     * @param asked hello of the side that has connected
     * @param answer of this side
     * @return the answer, with proofs if the other side can check them
     */
    Hello proving(Hello asked, Hello answer) {
        return isToBeProved(asked) ? answer.with(SecretProof.of(secrets(), Side.ACCEPTING, asked, answer)) : answer;
    }

    /**
     * @param own hello of this side, which has connected
     * @param answer of the other side
     * @return what speaks against the other side, or null
     */
    String objectionToAnswer(Hello own, Hello answer) {
        if (source == null) {
            return null;
        }
        if (!answer.credentials().hasSecret()) {
            return source.isRequired() ? NO_SECRET : null;
        }
        return SecretProof.holds(answer.credentials().proofs(), secrets(), Side.ACCEPTING, own, answer)
                ? null
                : OTHER_SECRET;
    }

    /**
     * @param own hello of this side, which has connected
     * @param answer of the other side
     * @return whether the answer shows that the other side knows a secret
     */
    boolean isProvedBy(Hello own, Hello answer) {
        return source != null && answer.credentials().hasSecret() && objectionToAnswer(own, answer) == null;
    }

    /**
     * @param asked hello that is refused, null if something else is refused
     * @param self id of this replica, which has accepted
     * @param refusal its answer
     * @return what to send, with proofs if the other side can check them
     */
    HandshakeMessage proving(Hello asked, int self, Refused refusal) {
        if (asked == null || !isToBeProved(asked)) {
            return refusal;
        }
        ProvedRefusal unproved = new ProvedRefusal(self, refusal, ByteSlice.EMPTY);
        return unproved.with(SecretProof.ofRefusal(secrets(), asked, unproved));
    }

    /**
     * @param own hello of this side, which has connected
     * @param refusal of the other side
     * @return whether the refusal shows that it comes from the replica that the hello was meant for
     */
    boolean isProvedBy(Hello own, ProvedRefusal refusal) {
        return source != null && refusal.sender() == own.receiver() && SecretProof.holds(secrets(), own, refusal);
    }

    /**
     * @param own hello of this side, which has connected
     * @param answer of the other side
     * @return this side's proofs, none if the other side wants none
     */
    ByteSlice proofOfConnecting(Hello own, Hello answer) {
        return source != null && answer.credentials().hasSecret()
                ? SecretProof.of(secrets(), Side.CONNECTING, own, answer)
                : ByteSlice.EMPTY;
    }

    /**
     * @param proofs of the side that has connected
     * @param asked its hello
     * @param answer of this side
     * @return whether the proofs hold, or none are needed
     */
    boolean isProved(ByteSlice proofs, Hello asked, Hello answer) {
        return !isToBeProved(asked) || SecretProof.holds(proofs, secrets(), Side.CONNECTING, asked, answer);
    }
}
