package io.chainkeeper.transport.link;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.transport.LinkStatistics;
import io.chainkeeper.transport.PeerTransport;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one peer: at most one connection at a time. Everything but {@link #current()}, {@link #sendable()},
 * {@link #acknowledgeUp()}, {@link #isTried()} and {@link #statistics()} belongs to the I/O thread.
 */
public final class PeerLink {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    private final LinkContext context;
    private final int peer;
    private final LongAdder framesIn = new LongAdder();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder framesOut = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private volatile PeerConnection current;
    private volatile long timesUp;
    private long timesUpAcknowledged;
    private Runnable onDown = () -> {};
    private long latestAccepted;
    private boolean open;
    private boolean paused;
    private volatile boolean tried;

    /**
     * @param context what links share
     * @param peer replica id
     */
    PeerLink(LinkContext context, int peer) {
        this.context = context;
        this.peer = peer;
    }

    /**
     * Lets connections come up from now on.
     *
     * @param whenDown run whenever the listener has been told that the link is down
     */
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

    /**
     * Asks for a connection that the peer has opened and that is about to come up. The peer opens one at a time, so it
     * has given up those that it opened before: the frames that are still on their way there must not come behind
     * those of a later one, not even when that one is down again.
     *
     * @param number of the connection among all that were accepted
     * @return false if a connection that was accepted later has come up already
     */
    public boolean isLatest(long number) {
        if (number < latestAccepted) {
            return false;
        }
        latestAccepted = number;
        return true;
    }

    /** An attempt to connect has ended, with success or without. */
    void tried() {
        tried = true;
    }

    /** @return whether an attempt to connect has ever ended; any thread */
    public boolean isTried() {
        return tried;
    }

    /** @return whether the listener wants no more frames of this peer, over whichever connection */
    boolean isPaused() {
        return paused;
    }

    /** The listener wants no more frames of this peer until {@link #resumeReading}. */
    void pause() {
        paused = true;
    }

    /** The listener wants frames of this peer again. */
    public void resumeReading() {
        paused = false;
        if (current != null) {
            current.resumeReading();
        }
    }

    /** @return replica id of the other end */
    public int peer() {
        return peer;
    }

    /** @return the connection that is up, or null; any thread */
    public PeerConnection current() {
        return current;
    }

    /** The sending thread has noticed one more connection coming up. */
    public void acknowledgeUp() {
        timesUpAcknowledged++;
        InvariantViolated.check(
                timesUpAcknowledged <= timesUp,
                "link to replica %d: %d times up acknowledged, %d times told",
                peer,
                timesUpAcknowledged,
                timesUp);
    }

    /** @return the connection that the sending thread knows to be up, or null; sending thread only */
    public PeerConnection sendable() {
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
        context.refusals().accepted(peer);
        LOG.info("Link to replica {} ({}) is up", peer, connection.remote());
        context.listener().onPeerUp(peer);
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
        context.listener().onPeerDown(peer);
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

    /** @param occupancy told how much waits to be sent over the present connection */
    public void tellOccupancy(Occupancy occupancy) {
        PeerConnection connection = current;
        if (connection != null) {
            connection.tellOccupancy(occupancy);
        }
    }

    /** @return the counters; any thread */
    public LinkStatistics statistics() {
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
