package io.chainkeeper.transport;

import io.chainkeeper.config.OrderingConfig.PeerAddress;
import io.chainkeeper.ordering.ByteSlice;
import java.io.Closeable;
import java.util.Map;

/**
 * First-in-first-out links to the other members.
 *
 * <p>Frames sent to a peer arrive in order and without gaps while the link is up. A link whose outgoing bytes exceed
 * their bound is closed (and reopened), never silently thinned out.
 */
public interface PeerTransport extends Closeable {
    /**
     * Opens the listening port and starts connecting.
     *
     * @param listener told of everything that happens; called by I/O threads
     * @throws java.io.IOException if the port cannot be opened; the message names address and remedy
     */
    void start(Listener listener) throws java.io.IOException;

    /**
     * Names the peers there are from now on.
     *
     * @param peers replica id to address; this replica itself, if named, is ignored
     */
    default void setPeers(Map<Integer, PeerAddress> peers) {}

    /**
     * Lets frames be sent over the link whose {@link Listener#onPeerUp} the caller has just taken note of. To be called
     * by the thread that sends, once for each {@code onPeerUp}, in order. Until then {@link #send} does nothing: what
     * was written for a link that has broken meanwhile must not slip into its successor.
     *
     * @param peer replica id
     */
    void acknowledgeUp(int peer);

    /**
     * Queues a frame. Does nothing if the link is down or its {@code onPeerUp} is not yet acknowledged. Called by one
     * thread, the ordering loop. Never blocks.
     *
     * @param peer replica id
     * @param parts the frame's bytes, in parts; not copied, must not change any more
     * @throws io.chainkeeper.ordering.InvariantViolated if the peer is no other member or the frame is longer than a
     *     link takes
     */
    void send(int peer, ByteSlice[] parts);

    /** Writes out what {@link #send} has queued, with one system call per link where possible. */
    void flush();

    /**
     * Lets a link be read again after {@link Listener#onFrame} returned false.
     *
     * @param peer replica id
     */
    void resumeReading(int peer);

    /**
     * Closes a link because of what came over it; it is opened again after the usual back-off. Safe for use by any
     * thread.
     *
     * @param peer replica id
     * @param reason what the peer did, for the log
     */
    void disconnect(int peer, String reason);

    /** Closes all links and the port; returns when its threads have ended. */
    @Override
    void close();

    /** What happens on the links. Calls for one peer never overlap; a link's calls stand between its up and down. */
    interface Listener {
        /**
         * The handshake with a peer is done.
         *
         * @param peer replica id
         */
        void onPeerUp(int peer);

        /**
         * The link is closed; no frame of it is reported any more.
         *
         * @param peer replica id
         */
        void onPeerDown(int peer);

        /**
         * A frame has arrived. It is always taken.
         *
         * @param peer replica id
         * @param frame the bytes, owned by the receiver
         * @return false if no more frames of this peer should be read until {@link PeerTransport#resumeReading}
         */
        boolean onFrame(int peer, ByteSlice frame);

        /**
         * A peer proved to belong elsewhere: other cluster, other execution profile, unexpected id. The link was
         * closed and will be tried again. Told when the reason changes and from time to time while it lasts.
         *
         * @param peer replica id, as claimed
         * @param reason what differs and what to do, one line
         */
        void onPeerRefused(int peer, String reason);
    }
}
