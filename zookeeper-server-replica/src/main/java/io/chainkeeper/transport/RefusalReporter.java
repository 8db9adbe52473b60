package io.chainkeeper.transport;

import io.chainkeeper.transport.HandshakeMessage.Refused;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells log and listener of peers that were refused, at a bounded rate. Used by the I/O thread only. */
final class RefusalReporter {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);
    private static final int PEER_PAUSE_MILLIS = 1_000;
    private static final int STRANGER_PAUSE_MILLIS = 10_000;

    private final int self;
    private final IntPredicate isPeer;
    private final PeerTransport.Listener listener;
    private final ReportGate peerGate = new ReportGate(PEER_PAUSE_MILLIS);

    /** Of whoever claims to be a peer: must not keep silent what the peer itself is refused for. */
    private final ReportGate claimGate = new ReportGate(PEER_PAUSE_MILLIS);

    private final ReportGate strangerGate = new ReportGate(STRANGER_PAUSE_MILLIS);
    private final ReportGate stateGate = new ReportGate(STRANGER_PAUSE_MILLIS);

    /**
     * @param self this replica's id
     * @param isPeer tells ids that have a gate of their own; all others share one, so that invented ids cost no memory
     * @param listener told besides the log, of peers and of others that claim to be this replica
     */
    RefusalReporter(int self, IntPredicate isPeer, PeerTransport.Listener listener) {
        this.self = self;
        this.isPeer = isPeer;
        this.listener = listener;
    }

    /** Finds out whether somebody who has connected is the peer that it claims to be. */
    interface Identification {
        /** @param outcome to be told, on the I/O thread, whether the refusal is of that peer */
        void ask(Consumer<Boolean> outcome);
    }

    /**
     * Reports that a link was refused, by whichever side.
     *
     * @param peer id as meant, {@link HandshakeMessage#UNKNOWN_SENDER} if none was
     * @param refusal why, one line
     */
    void refused(int peer, Refused refusal) {
        refused(peer, refusal, true, outcome -> outcome.accept(true));
    }

    /**
     * Reports that a link was refused, by whichever side.
     *
     * @param peer id as claimed, {@link HandshakeMessage#UNKNOWN_SENDER} if none was
     * @param refusal why, one line
     * @param proved whether it is known to be that peer, without any identification
     * @param identification asked only if the listener is going to be told
     */
    void refused(int peer, Refused refusal, boolean proved, Identification identification) {
        boolean told = peer == self || isPeer.test(peer);
        long now = System.nanoTime();
        String report = told
                ? (proved ? peerGate : claimGate).admit(peer, refusal.report(), now)
                : strangerGate.admit(HandshakeMessage.UNKNOWN_SENDER, refusal.report(), now);
        if (report == null) {
            return;
        }
        if (refusal.kind() == RefusalKind.ELSEWHERE) {
            LOG.warn("Replica link refused: {}", report);
        } else if (!told) {
            LOG.info("Replica link refused: {}", report);
        }
        if (told) {
            identification.ask(itself -> {
                if (!itself && refusal.kind() != RefusalKind.ELSEWHERE) {
                    LOG.info("Replica link refused: {}", report);
                }
                listener.onPeerRefused(peer, itself ? refusal.kind() : RefusalKind.CLAIMED, refusal.report());
            });
        }
    }

    /**
     * Reports that another member may not ask for state at the moment. Only the log is told.
     *
     * @param refusal why, one line
     */
    void refusedState(Refused refusal) {
        String report = stateGate.admit(HandshakeMessage.UNKNOWN_SENDER, refusal.report(), System.nanoTime());
        if (report != null) {
            LOG.warn("Request for state refused: {}", report);
        }
    }

    /**
     * The peer was let in: a later refusal is news.
     *
     * @param peer replica id
     */
    void accepted(int peer) {
        peerGate.clear(peer);
        claimGate.clear(peer);
    }

    /**
     * The id is no peer's any more.
     *
     * @param peer replica id
     */
    void forget(int peer) {
        peerGate.clear(peer);
        claimGate.clear(peer);
    }
}
