package io.chainkeeper.transport.bulk;

import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.io.IoThread;
import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connections for bulk requests of a replica, in both directions, and their bounds. Belongs to the I/O thread. */
public final class StateConnections {
    static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    private final TransportSettings settings;
    private final IoThread io;
    private final StateResponder responder;
    private final Executor responderThreads;
    private final Set<StateConnection> open = new LinkedHashSet<>();
    private int accepted;
    private int opened;
    private boolean stopped;

    /**
     * @param settings who this replica is, and the bounds
     * @param io does all input and output
     * @param responder what answers, or null if nothing does
     * @param responderThreads as many threads as connections may be accepted
     */
    public StateConnections(
            TransportSettings settings, IoThread io, StateResponder responder, Executor responderThreads) {
        this.settings = settings;
        this.io = io;
        this.responder = responder;
        this.responderThreads = responderThreads;
    }

    private int maxConnections() {
        return settings.limits().maxStateConnections();
    }

    /** @return null if another member may ask for state now, else why not, one line */
    public String objection() {
        if (responder == null) {
            return "replica " + settings.replicaId()
                    + " does not answer bulk requests: run the same release on all servers";
        }
        if (accepted >= maxConnections()) {
            return "replica " + settings.replicaId() + " has " + accepted + " bulk connections, at most "
                    + maxConnections() + " are allowed: try again later";
        }
        return null;
    }

    /**
     * Reserves a place for a connection. Only if there is no {@link #objection}.
     *
     * @param peer that asks
     * @param channel the connection, still in its handshake
     * @param remote address of the other end
     * @return what takes the connection over
     */
    public HandshakeHandler.NextHandler admit(int peer, Channel channel, String remote) {
        accepted++;
        StateServerConnection answerer = new StateServerConnection(
                settings, io, peer, channel, remote, responder, responderThreads, () -> accepted--);
        track(answerer, channel);
        return answerer;
    }

    /**
     * @param peer that is asked
     * @param channel the connection, its handshake done
     * @param remote address of the other end
     * @return what takes the connection over, or null if too many are open
     */
    StateClientConnection request(int peer, Channel channel, String remote) {
        if (stopped || opened >= maxConnections()) {
            return null;
        }
        opened++;
        StateClientConnection requester =
                new StateClientConnection(settings, io, peer, channel, remote, () -> opened--);
        track(requester, channel);
        return requester;
    }

    private void track(StateConnection connection, Channel channel) {
        open.add(connection);
        // A connection that ends in its handshake is not in the pipeline yet, which would tell it so.
        channel.closeFuture()
                .addListener(closed -> IoThread.run(() -> {
                    open.remove(connection);
                    connection.end("closed by the other side", false);
                }));
    }

    /**
     * Ends the connections from and to a peer.
     *
     * @param peer replica id
     * @param reason for the log
     */
    public void endAllOf(int peer, String reason) {
        for (StateConnection connection : List.copyOf(open)) {
            if (connection.peer() == peer) {
                connection.end(reason, false);
            }
        }
    }

    /** Ends all connections and lets none begin. */
    public void stop() {
        stopped = true;
        List.copyOf(open).forEach(connection -> connection.end("this replica stops", false));
    }
}
