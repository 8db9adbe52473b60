package io.chainkeeper.transport;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one peer: at most one connection at a time. Everything but {@link #current()}, {@link #sendable()},
 * {@link #acknowledgeUp()}, {@link #isTried()} and {@link #statistics()} belongs to the I/O thread.
 */
final class PeerLink {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);

    private final IoContext io;
    private final int peer;
    private final LongAdder framesIn = new LongAdder();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder framesOut = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private volatile PeerConnection current;
    private volatile long timesUp;
    private long timesUpAcknowledged;
    private Runnable onDown = () -> {};
    private boolean open;
    private volatile boolean tried;

    /**
     * @param io shared parts
     * @param peer replica id
     */
    PeerLink(IoContext io, int peer) {
        this.io = io;
        this.peer = peer;
    }

    /** @param whenDown run after the listener was told that the link is down; lets connections come up from now on */
    void open(Runnable whenDown) {
        open = true;
        onDown = whenDown;
    }

    /** @return whether a connection may come up */
    boolean isOpen() {
        return open;
    }

    /**
     * Closes the connection and lets none come up until {@link #open}.
     *
     * @param reason for the log
     */
    void shut(String reason) {
        open = false;
        onDown = () -> {};
        PeerConnection connection = current;
        if (connection != null) {
            connection.close(reason, false);
        }
    }

    /** An attempt to connect has come to its end, whichever. */
    void tried() {
        tried = true;
    }

    /** @return whether an attempt to connect has ever come to its end; any thread */
    boolean isTried() {
        return tried;
    }

    /** @return replica id of the other end */
    int peer() {
        return peer;
    }

    /** @return the connection that is up, or null; any thread */
    PeerConnection current() {
        return current;
    }

    /** The sending thread has taken note of one more coming up. */
    void acknowledgeUp() {
        timesUpAcknowledged++;
        InvariantViolated.check(
                timesUpAcknowledged <= timesUp,
                "link to replica %d: %d times up acknowledged, %d times told",
                peer,
                timesUpAcknowledged,
                timesUp);
    }

    /** @return the connection that the sending thread knows to be up, or null; sending thread only */
    PeerConnection sendable() {
        PeerConnection connection = current;
        return connection != null && connection.ordinal() == timesUpAcknowledged ? connection : null;
    }

    /**
     * A connection has proved itself. The one before it, if any, is reported down first.
     *
     * @param connection the new one
     */
    void up(PeerConnection connection) {
        if (!open) {
            connection.abandon();
            return;
        }
        PeerConnection old = current;
        if (old != null) {
            old.close("replaced by a new connection", false);
        }
        timesUp++;
        connection.begin(timesUp);
        current = connection;
        io.refusals().accepted(peer);
        LOG.info("Link to replica {} ({}) is up", peer, connection.remote());
        io.listener().onPeerUp(peer);
    }

    /**
     * A connection is closed.
     *
     * @param connection which
     * @param reason why, for the log
     * @param warn whether it is more than a peer going away
     */
    void down(PeerConnection connection, String reason, boolean warn) {
        if (connection != current) {
            return;
        }
        current = null;
        if (warn) {
            LOG.warn("Link to replica {} ({}) is down: {}", peer, connection.remote(), reason);
        } else {
            LOG.info("Link to replica {} ({}) is down: {}", peer, connection.remote(), reason);
        }
        io.listener().onPeerDown(peer);
        onDown.run();
    }

    /** @param bytes length of a frame that has arrived */
    void countIn(int bytes) {
        framesIn.increment();
        bytesIn.add(bytes);
    }

    /**
     * @param frames handed to the socket
     * @param bytes of these frames
     */
    void countOut(long frames, long bytes) {
        framesOut.add(frames);
        bytesOut.add(bytes);
    }

    /** @return the counters; any thread */
    LinkStatistics statistics() {
        PeerConnection connection = current;
        return new LinkStatistics(
                connection != null,
                framesIn.sum(),
                bytesIn.sum(),
                framesOut.sum(),
                bytesOut.sum(),
                Math.max(0, timesUp - 1),
                connection == null ? 0 : connection.outboundBytes());
    }
}
