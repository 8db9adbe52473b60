package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.EventQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.jute.Record;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;

/** One connection of a client to one incarnation of a replica: first in first out in both directions. */
final class ClientLink {
    /** What the client's end is told. */
    interface ClientEnd {
        void connected(ClientLink link, ConnectResponse response);

        void received(ClientLink link, ReplyHeader header, Record body);

        void closed(ClientLink link);
    }

    /** Something that the server's end does with what has arrived. */
    interface Arrival {
        /** @throws IOException as a server that closes the connection */
        void at(ServerConnection connection) throws IOException;
    }

    private final EventQueue events;
    private final Cluster cluster;
    private final ReplicaHost host;
    private final ZnodeReplica replica;
    private final ClientEnd client;
    private final ServerConnection server;
    private final Deque<Arrival> arrived = new ArrayDeque<>();
    private long lastUpMicros;
    private long lastDownMicros;
    private long heldUntilMicros;
    private boolean pumping;
    private boolean clientGone;

    /**
     * @param number of all connections of a run
     * @param events virtual time
     * @param cluster the replicas
     * @param host the replica that is connected to; running
     * @param client told of everything that comes back
     */
    ClientLink(long number, EventQueue events, Cluster cluster, ReplicaHost host, ClientEnd client) throws IOException {
        this.events = events;
        this.cluster = cluster;
        this.host = host;
        this.replica = (ZnodeReplica) host.application();
        this.client = client;
        this.server = replica.accept(number, this);
    }

    /** Id of the replica. */
    int server() {
        return host.id();
    }

    ZnodeReplica replica() {
        return replica;
    }

    // ---------------------------------------------------------------- to the server

    /** The client sends something. */
    void send(Arrival arrival) {
        lastUpMicros = Math.max(Math.max(lastUpMicros, heldUntilMicros), arrivalMicros());
        events.after(lastUpMicros - events.nowMicros(), () -> {
            arrived.addLast(arrival);
            pumpLater(0);
        });
    }

    private long arrivalMicros() {
        return events.nowMicros() + cluster.delays().networkMicros();
    }

    private void pumpLater(long delayMicros) {
        if (!pumping) {
            pumping = true;
            cluster.later(host, delayMicros, () -> {
                pumping = false;
                server.input().run(this::pump);
            });
        }
    }

    private void pump() {
        while (server.isReceiving() && !arrived.isEmpty()) {
            try {
                arrived.removeFirst().at(server);
            } catch (IOException e) {
                server.close(DisconnectReason.IO_EXCEPTION);
            }
        }
    }

    void receiveAgain() {
        pumpLater(cluster.delays().handOverMicros());
    }

    /** The client closes its end; the server is told like of everything else. */
    void closeByClient() {
        clientGone = true;
        if (server.isOpen()) {
            send(connection -> connection.close(DisconnectReason.UNABLE_TO_READ_FROM_CLIENT));
        }
    }

    /** The client is gone and the server is not told. */
    void vanish() {
        clientGone = true;
    }

    /** For a time nothing arrives in either direction; nothing is lost. */
    void hold(long durationMicros) {
        heldUntilMicros = events.nowMicros() + durationMicros;
    }

    // ---------------------------------------------------------------- to the client

    private void down(Runnable delivery) {
        lastDownMicros = Math.max(Math.max(lastDownMicros, heldUntilMicros), arrivalMicros());
        events.after(lastDownMicros - events.nowMicros(), () -> {
            if (!clientGone) {
                delivery.run();
            }
        });
    }

    /** The answer to a connect request, as ZooKeeper writes it for clients that cannot be served read only. */
    void accepted(ByteBuffer buffer) {
        ByteBuffer bytes = buffer.duplicate();
        bytes.getInt(); // the length of what follows
        int protocolVersion = bytes.getInt();
        int timeoutMillis = bytes.getInt();
        long sessionId = bytes.getLong();
        byte[] password = new byte[bytes.getInt()];
        bytes.get(password);
        ConnectResponse response = new ConnectResponse(protocolVersion, timeoutMillis, sessionId, password, false);
        replica.answered(server, 0, 0);
        down(() -> client.connected(this, response));
    }

    void replied(ReplyHeader header, Record body) {
        replica.answered(server, header.getXid(), header.getZxid());
        down(() -> client.received(this, header, body));
    }

    void closedByServer() {
        down(() -> client.closed(this));
    }

    /** The process at the server's end is gone. */
    void broken() {
        down(() -> client.closed(this));
    }
}
