package io.chainkeeper.simulation.znode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** What ZooKeeper's connection asks of a socket when it is made; nothing can be read or written. */
final class UnconnectedSocket extends SocketChannel {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final Socket socket = new Socket() {
        @Override
        public void setTcpNoDelay(boolean on) {
            // There is no delay to avoid.
        }

        @Override
        public void setSoLinger(boolean on, int seconds) {
            // Nothing lingers.
        }

        @Override
        public void setKeepAlive(boolean on) {
            // Nothing is kept alive.
        }

        @Override
        public SocketAddress getRemoteSocketAddress() {
            return ADDRESS;
        }
    };

    UnconnectedSocket() {
        super(null);
    }

    @Override
    public Socket socket() {
        return socket;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return ADDRESS;
    }

    @Override
    public SocketAddress getLocalAddress() {
        return ADDRESS;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        return null;
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException("bind");
    }

    @Override
    public SocketChannel shutdownInput() {
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        throw new UnsupportedOperationException("connect");
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public int read(ByteBuffer destination) {
        throw new UnsupportedOperationException("read");
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) {
        throw new UnsupportedOperationException("read");
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException("write");
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException("write");
    }

    @Override
    protected void implCloseSelectableChannel() {
        // Nothing is open.
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // Nothing blocks.
    }
}
