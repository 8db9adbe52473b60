package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Occupancy;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/**
 * First-in-first-out links to the other members, and connections beside them for bulk requests.
 *
 * <p>Frames sent to a peer arrive in order and without gaps while the link is up. A link whose outgoing bytes exceed
 * their bound is closed (and reopened), never silently thinned out.
 *
 * <p>The set of other members may change at any time. Calls about a replica that is not, or no longer, a member have no
 * effect: the caller may be one event behind.
 */
public interface PeerTransport extends Closeable {
    /**
     * Opens the listening port and starts connecting.
     *
     * @param listener told of everything that happens; called by the I/O thread
     * @throws IOException if the port cannot be opened; the message names address and remedy
     */
    void start(Listener listener) throws IOException;

    /**
     * Names the peers there are from now on. The link to a peer that is no longer named is closed, which the listener
     * is told once, and so are the bulk connections of that peer; it is let in no more. If the address of a peer
     * changed, its link is closed and the new address is dialled. The other peers notice nothing. Takes effect shortly
     * after the call, on the I/O thread; of several calls the last counts. If this replica's own address is named and
     * another than before, it listens there, and at the old one no more, as soon as that works; links stay. Safe for
     * use by any thread, before {@link #start} too, and idempotent.
     *
     * @param peers replica id (1 to 255) to address; may name this replica
     * @throws io.chainkeeper.ordering.InvariantViolated if an id is out of range
     */
    void setPeers(Map<Integer, PeerAddress> peers);

    /**
     * Lets frames be sent over a link, after the sender has noticed its {@link Listener#onPeerUp}. To be called by the
     * thread that sends, once for each {@code onPeerUp}, in order. Until then {@link #send} does nothing: frames that
     * were meant for a connection that has broken meanwhile must not slip into the next one.
     *
     * @param peer replica id
     */
    void acknowledgeUp(int peer);

    /**
     * Queues a frame. Does nothing if the link is down, its {@code onPeerUp} is not yet acknowledged or the peer is no
     * member. Called by the protocol host, by one thread at a time. Never blocks.
     *
     * @param peer replica id
     * @param parts the frame's bytes, in parts; not copied, must not change any more
     * @throws io.chainkeeper.ordering.InvariantViolated if the frame is longer than a link takes
     */
    void send(int peer, ByteSlice[] parts);

    /** Writes out what {@link #send} has queued, with one system call per link where possible. */
    void flush();

    /**
     * Runs a task on the thread that makes all calls of the listener, after what that thread is doing at the moment.
     * Safe for use by any thread.
     *
     * @param task must not block for long: no link is served meanwhile
     * @return whether it will be run; false before {@link #start} and once the transport is being closed. A task that
     *     was taken just before that may not be run either
     */
    boolean execute(Runnable task);

    /**
     * Lets frames of a peer be read again after {@link Listener#onFrame} returned false. Until then none is read, not
     * even over a connection that comes up meanwhile.
     *
     * @param peer replica id
     */
    void resumeReading(int peer);

    /**
     * Closes a link because of what came over it; the link is opened again after the usual back-off. Safe for use by
     * any thread.
     *
     * @param peer replica id
     * @param reason what the peer did, for the log
     */
    void disconnect(int peer, String reason);

    /**
     * Sets the responder to bulk requests of other members; without a responder they are refused. To be called before
     * {@link #start}.
     *
     * @param responder called by threads of the transport
     */
    void answerStateRequests(StateResponder responder);

    /**
     * Opens a bulk connection to another member, whichever id is larger. Blocks until it is open; any thread but those
     * that call the listener.
     *
     * @param peer replica id
     * @return the connection, for one thread, to be closed by the caller
     * @throws IOException if the peer cannot be reached or refuses; names peer and reason
     */
    StateChannel openStateChannel(int peer) throws IOException;

    /**
     * @return whether every peer that this replica connects to has been tried: a link came up, or an attempt has
     *     failed, or was refused and the listener has been told so. Peers with larger ids connect to this replica; any
     *     thread
     */
    default boolean hasTriedPeers() {
        return true;
    }

    /** @return whether anybody who reaches the port can claim to be a member; any thread */
    default boolean admitsUnauthenticated() {
        return false;
    }

    /**
     * Tells how much waits for each link. To be called by the thread that sends, or while nobody does.
     *
     * @param occupancy told
     */
    void tellOccupancy(Occupancy occupancy);

    /** Closes all links, bulk connections and the port; returns when its threads have ended. */
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
         * The link is closed; none of its frames is reported any more.
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

        /** All frames that were read together have been reported: the moment to wake the thread that handles them. */
        default void onFramesRead() {}

        /**
         * A peer refused this replica or was refused by it. The connection was closed and will be tried again. Called
         * when the reason changes and from time to time while the reason lasts; not for refused replicas that are no
         * members here.
         *
         * @param peer replica id, as claimed; this replica's own id if another process claims it
         * @param kind {@link RefusalKind#NOT_A_MEMBER} if the other side does not know this replica, in which case
         *     telling the log is left to the listener; {@link RefusalKind#CLAIMED} if it need not have been that peer,
         *     so that nothing must follow from it
         * @param reason what differs and what to do, one line
         */
        void onPeerRefused(int peer, RefusalKind kind, String reason);
    }
}
