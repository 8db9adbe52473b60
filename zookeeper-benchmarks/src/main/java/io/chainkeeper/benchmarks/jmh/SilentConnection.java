package io.chainkeeper.benchmarks.jmh;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** The server's end of a client's connection whose answers are encoded, counted and dropped. Single-threaded. */
final class SilentConnection extends NIOServerCnxn {
    private final SocketChannel client;
    private final SocketChannel accepted;
    private long replies;

    private SilentConnection(ZooKeeperServer server, SocketChannel client, SocketChannel accepted) throws IOException {
        super(server, accepted, null, new Connections(), null);
        this.client = client;
        this.accepted = accepted;
    }

    /**
     * @param server that is connected to
     * @return a connection over loopback
     * @throws IOException if there is none to be had
     */
    static SilentConnection of(ZooKeeperServer server) throws IOException {
        try (ServerSocketChannel acceptor =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel client = SocketChannel.open(acceptor.getLocalAddress());
            return new SilentConnection(server, client, acceptor.accept());
        }
    }

    long replies() {
        return replies;
    }

    @Override
    public void sendBuffer(ByteBuffer... buffers) {
        replies++;
    }

    @Override
    public void enableRecv() {
        // What arrives is given to the server directly.
    }

    @Override
    public void disableRecv(boolean waitDisableRecv) {
        // The benchmark bounds what is on its way.
    }

    @Override
    public void close(DisconnectReason reason) {
        throw new IllegalStateException("the server closes the benchmark's connection: " + reason);
    }

    /** @throws IOException if the sockets cannot be closed */
    void close() throws IOException {
        client.close();
        accepted.close();
    }

    /** Connections without a port. */
    private static final class Connections extends NIOServerCnxnFactory {
        @Override
        public void touchCnxn(NIOServerCnxn connection) {
            // Nobody reclaims idle sockets here.
        }
    }
}
