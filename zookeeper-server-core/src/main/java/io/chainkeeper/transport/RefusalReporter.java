package io.chainkeeper.transport;

import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells log and listener of peers that were refused, at a bounded rate. Used by the I/O thread only. */
final class RefusalReporter {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);
    private static final int MEMBER_PAUSE_MILLIS = 1_000;
    private static final int STRANGER_PAUSE_MILLIS = 10_000;

    private final Set<Integer> members;
    private final PeerTransport.Listener listener;
    private final ReportGate memberGate = new ReportGate(MEMBER_PAUSE_MILLIS);
    private final ReportGate strangerGate = new ReportGate(STRANGER_PAUSE_MILLIS);

    /**
     * @param members ids that have a gate of their own; all others share one, so that invented ids cost no memory
     * @param listener told besides the log
     */
    RefusalReporter(Set<Integer> members, PeerTransport.Listener listener) {
        this.members = members;
        this.listener = listener;
    }

    /**
     * Reports a refusal.
     *
     * @param peer id as claimed, {@link HandshakeMessage#UNKNOWN_SENDER} if none was
     * @param reason one line
     */
    void refused(int peer, String reason) {
        boolean member = members.contains(peer);
        long now = System.nanoTime();
        String report = member
                ? memberGate.admit(peer, reason, now)
                : strangerGate.admit(HandshakeMessage.UNKNOWN_SENDER, reason, now);
        if (report == null) {
            return;
        }
        LOG.warn("Replica link refused: {}", report);
        if (peer != HandshakeMessage.UNKNOWN_SENDER) {
            listener.onPeerRefused(peer, reason);
        }
    }

    /**
     * The peer was let in: a later refusal is news.
     *
     * @param peer replica id
     */
    void accepted(int peer) {
        memberGate.clear(peer);
    }
}
