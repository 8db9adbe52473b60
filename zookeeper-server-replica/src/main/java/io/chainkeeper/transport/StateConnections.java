package io.chainkeeper.transport;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connections for bulk requests of a replica, in both directions, and their bounds. Belongs to the I/O thread. */
final class StateConnections {
    static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);

    private final int replicaId;
    private final int maxConnections;
    private final StateResponder responder;
    private final Executor responderThreads;
    private final Set<StateConnection> open = new LinkedHashSet<>();
    private int accepted;
    private int opened;
    private boolean stopped;

    /**
     * @param settings who this replica is, and the bounds
     * @param responder what answers, or null if nothing does
     * @param responderThreads as many threads as connections may be accepted
     */
    StateConnections(TransportSettings settings, StateResponder responder, Executor responderThreads) {
        this.replicaId = settings.replicaId();
        this.maxConnections = settings.limits().maxStateConnections();
        this.responder = responder;
        this.responderThreads = responderThreads;
    }

    /** @return null if another member may ask for state now, else why not, one line */
    String objection() {
        if (responder == null) {
            return "replica " + replicaId + " does not answer bulk requests: run the same release on all servers";
        }
        if (accepted >= maxConnections) {
            return "replica " + replicaId + " has " + accepted + " bulk connections, at most " + maxConnections
                    + " are allowed: try again later";
        }
        return null;
    }

    /**
     * Reserves a place; to be asked for only without {@link #objection}.
     *
     * @param io shared parts
     * @param peer that asks
     * @param channel the connection, still in its handshake
     * @param remote address of the other end
     * @return what takes the connection over
     */
    StateAnswerer admit(IoContext io, int peer, Channel channel, String remote) {
        accepted++;
        StateAnswerer answerer =
                new StateAnswerer(io, peer, channel, remote, responder, responderThreads, () -> accepted--);
        track(answerer, channel);
        return answerer;
    }

    /**
     * @param io shared parts
     * @param peer that is asked
     * @param channel the connection, its handshake done
     * @param remote address of the other end
     * @return what takes the connection over, or null if too many are open
     */
    StateRequester request(IoContext io, int peer, Channel channel, String remote) {
        if (stopped || opened >= maxConnections) {
            return null;
        }
        opened++;
        StateRequester requester = new StateRequester(io, peer, channel, remote, () -> opened--);
        track(requester, channel);
        return requester;
    }

    private void track(StateConnection connection, Channel channel) {
        open.add(connection);
        // A connection that ends in its handshake has not yet its place in the pipeline, which would tell.
        channel.closeFuture().addListener(closed -> {
            open.remove(connection);
            connection.end("closed by the other side", false);
        });
    }

    /**
     * Ends the connections from and to a peer.
     *
     * @param peer replica id
     * @param reason for the log
     */
    void endAllOf(int peer, String reason) {
        for (StateConnection connection : List.copyOf(open)) {
            if (connection.peer() == peer) {
                connection.end(reason, false);
            }
        }
    }

    /** Ends all and lets none begin. */
    void stop() {
        stopped = true;
        List.copyOf(open).forEach(connection -> connection.end("this replica stops", false));
    }
}
