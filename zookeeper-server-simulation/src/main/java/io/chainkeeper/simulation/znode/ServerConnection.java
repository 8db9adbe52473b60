package io.chainkeeper.simulation.znode;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.jute.Record;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * The server's end of a client's connection, as ZooKeeper's classes see it: what they send goes over a simulated link.
 */
final class ServerConnection extends NIOServerCnxn {
    private final long number;
    private final ClientLink link;
    private final ZooKeeperServer server;
    private final ServerConnections connections;
    private boolean receiving = true;
    private boolean open = true;

    /**
     * @param number of all connections of a run; orders them
     * @param link to the client
     * @param server that serves it
     * @param connections of that server
     */
    ServerConnection(long number, ClientLink link, ZooKeeperServer server, ServerConnections connections)
            throws IOException {
        super(server, new UnconnectedSocket(), null, connections, null);
        this.number = number;
        this.link = link;
        this.server = server;
        this.connections = connections;
        connections.add(this);
    }

    /** The thread that reads from it. */
    InputThread input() {
        return connections.inputOf(this);
    }

    long number() {
        return number;
    }

    boolean isReceiving() {
        return receiving && open;
    }

    boolean isOpen() {
        return open;
    }

    /** Replies and events. */
    @Override
    public int sendResponse(ReplyHeader header, Record body, String tag, String cacheKey, Stat stat, int opCode) {
        if (open) {
            link.replied(header, body);
            decrOutstandingAndCheckThrottle(header);
        }
        return 0;
    }

    /** The answer to a connect request, or the wish to close. */
    @Override
    public void sendBuffer(ByteBuffer... buffers) {
        for (ByteBuffer buffer : buffers) {
            if (!buffer.hasRemaining()) {
                close(DisconnectReason.CLIENT_CLOSED_SESSION);
            } else if (open) {
                link.accepted(buffer);
            }
        }
    }

    @Override
    public void enableRecv() {
        if (!receiving) {
            receiving = true;
            link.receiveAgain();
        }
    }

    @Override
    public void disableRecv(boolean waitDisableRecv) {
        receiving = false;
    }

    @Override
    public void close(DisconnectReason reason) {
        if (open) {
            open = false;
            setStale();
            connections.remove(this);
            server.getZKDatabase().removeCnxn(this);
            link.closedByServer();
        }
    }

    /** The server has crashed. */
    void processGone() {
        open = false;
        link.broken();
    }

    /** ZooKeeper keeps connections in hash tables; a run must not depend on addresses. */
    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return "connection " + number;
    }
}
