package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;

/** A connection of one member to another that has state; it breaks when nothing gets through. */
final class MemberChannel implements StateChannel {
    private final int id;
    private final Cluster cluster;
    private final ReplicaHost other;
    private boolean closed;

    /**
     * @param id who asks
     * @param cluster where both live
     * @param peer who is asked
     * @throws IOException if nothing gets through, or one of both is no member for the other
     */
    MemberChannel(int id, Cluster cluster, int peer) throws IOException {
        this.id = id;
        this.cluster = cluster;
        this.other = cluster.host(peer);
        if (other == null || !isOpen()) {
            throw new IOException("server " + peer + " cannot be reached");
        }
        if (!other.knows(id) || !cluster.host(id).knows(peer)) {
            throw new IOException("server " + peer + " is no other member");
        }
    }

    private boolean isOpen() {
        return other.isAlive()
                && cluster.network().reaches(id, other.id())
                && cluster.network().reaches(other.id(), id);
    }

    @Override
    public ByteSlice call(ByteSlice request) throws IOException {
        if (closed || !isOpen()) {
            throw new IOException("the connection to server " + other.id() + " is broken");
        }
        if (cluster.hangingDisks().readsNothing(other.id())) {
            throw new IOException("server " + other.id() + " does not answer");
        }
        return ((ZnodeReplica) other.application()).answerStateRequest(id, request);
    }

    @Override
    public void close() {
        closed = true;
    }
}
