package io.chainkeeper.transport.handshake;

import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.io.ReportLimiter;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells log and listener of peers that were refused, at a bounded rate. Used by the I/O thread only. */
public final class RefusalReporter {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);
    private static final int PEER_PAUSE_MILLIS = 1_000;
    private static final int STRANGER_PAUSE_MILLIS = 10_000;

    private final int self;
    private final IntPredicate isPeer;
    private final PeerTransport.Listener listener;
    private final LongSupplier nanoTime;
    private final ReportLimiter peerReports = new ReportLimiter(PEER_PAUSE_MILLIS);

    /** Of connections that only claim to be a peer: they must not silence the reports about the peer itself. */
    private final ReportLimiter claimReports = new ReportLimiter(PEER_PAUSE_MILLIS);

    private final ReportLimiter strangerReports = new ReportLimiter(STRANGER_PAUSE_MILLIS);
    private final ReportLimiter stateReports = new ReportLimiter(STRANGER_PAUSE_MILLIS);

    /**
     * @param self this replica's id
     * @param isPeer tells ids whose reports are limited one by one; all others are limited together, so that invented
     *     ids cost no memory
     * @param listener told besides the log, of peers and of others that claim to be this replica
     * @param nanoTime a clock that only moves on, in nanoseconds
     */
    public RefusalReporter(int self, IntPredicate isPeer, PeerTransport.Listener listener, LongSupplier nanoTime) {
        this.self = self;
        this.isPeer = isPeer;
        this.listener = listener;
        this.nanoTime = nanoTime;
    }

    /** Finds out whether a side that has connected is the peer that it claims to be. */
    public interface Identification {
        /** @param outcome to be called on the I/O thread, with whether the refusal concerns that peer */
        void ask(Consumer<Boolean> outcome);
    }

    /**
     * Reports that a link was refused, by whichever side.
     *
     * @param peer id as meant, {@link HandshakeMessage#UNKNOWN_SENDER} if none was
     * @param refusal why, one line
     */
    public void refused(int peer, Refused refusal) {
        refused(peer, refusal, true, outcome -> outcome.accept(true));
    }

    /**
     * Reports that a link was refused, by whichever side.
     *
     * @param peer id as claimed, {@link HandshakeMessage#UNKNOWN_SENDER} if none was
     * @param refusal why, one line
     * @param proved whether the other side is known to be that peer, without any identification
     * @param identification used only if the listener is going to be told
     */
    public void refused(int peer, Refused refusal, boolean proved, Identification identification) {
        boolean told = peer == self || isPeer.test(peer);
        long now = nanoTime.getAsLong();
        String report = told
                ? (proved ? peerReports : claimReports).admit(peer, refusal.report(), now)
                : strangerReports.admit(HandshakeMessage.UNKNOWN_SENDER, refusal.report(), now);
        if (report == null) {
            return;
        }
        if (refusal.kind() != RefusalKind.NOT_A_MEMBER) {
            LOG.warn("Replica link refused: {}", report);
        } else if (!told) {
            LOG.info("Replica link refused: {}", report);
        }
        if (told) {
            identification.ask(itself -> {
                if (!itself && refusal.kind() == RefusalKind.NOT_A_MEMBER) {
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
    public void refusedState(Refused refusal) {
        String report = stateReports.admit(HandshakeMessage.UNKNOWN_SENDER, refusal.report(), nanoTime.getAsLong());
        if (report != null) {
            LOG.warn("Request for state refused: {}", report);
        }
    }

    /**
     * The peer was let in: a later refusal is news.
     *
     * @param peer replica id
     */
    public void accepted(int peer) {
        peerReports.clear(peer);
        claimReports.clear(peer);
    }

    /**
     * A peer has been removed.
     *
     * @param peer replica id
     */
    public void forget(int peer) {
        peerReports.clear(peer);
        claimReports.clear(peer);
    }
}
