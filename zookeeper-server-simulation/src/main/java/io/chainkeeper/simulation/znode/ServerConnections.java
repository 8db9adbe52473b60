package io.chainkeeper.simulation.znode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;

/** The connections of one server, which listens only by its own word: clients find it without an address. */
final class ServerConnections extends NIOServerCnxnFactory {
    /** So few that one that waits holds up more than one connection. */
    private static final int INPUT_THREADS = 2;

    private final List<InputThread> inputs;
    private InetSocketAddress listensAt = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2181);

    /** @param inputsMayWait whether what is read may have to wait in the middle */
    ServerConnections(boolean inputsMayWait) {
        inputs = Stream.generate(() -> new InputThread(inputsMayWait))
                .limit(INPUT_THREADS)
                .toList();
    }

    /** The thread that reads from a connection. */
    InputThread inputOf(ServerConnection connection) {
        return inputs.get((int) (connection.number() % INPUT_THREADS));
    }

    void add(ServerConnection connection) {
        cnxns.add(connection);
    }

    void remove(ServerConnection connection) {
        cnxns.remove(connection);
        removeCnxnFromSessionMap(connection);
    }

    /** In the order they were made in. */
    List<ServerConnection> all() {
        List<ServerConnection> all = new ArrayList<>();
        for (ServerCnxn connection : cnxns) {
            all.add((ServerConnection) connection);
        }
        all.sort(Comparator.comparingLong(ServerConnection::number));
        return all;
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return listensAt;
    }

    @Override
    public void reconfigure(InetSocketAddress address) {
        listensAt = address;
    }

    @Override
    public void touchCnxn(NIOServerCnxn connection) {
        // Silent sessions are the keeper's business; there are no idle sockets to reclaim.
    }

    @Override
    public void closeAll(DisconnectReason reason) {
        all().forEach(connection -> connection.close(reason));
    }
}
