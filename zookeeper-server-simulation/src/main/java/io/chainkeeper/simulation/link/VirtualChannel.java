package io.chainkeeper.simulation.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

/** One end of a connection, as a process has it: the pipeline above it is the product's. */
final class VirtualChannel extends AbstractChannel implements VirtualProcess.Served {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    private static final int MAX_READS = 16;

    private final VirtualProcess process;
    private final ChannelConfig config;
    private Endpoint endpoint;
    private ChannelPromise connecting;
    private IOException connectFailure;
    private boolean open = true;
    private boolean connected;
    private boolean readWanted;
    private boolean writeBlocked;
    private boolean roomMade;

    /** @param process that is going to connect */
    VirtualChannel(VirtualProcess process) {
        super(null, process.network().nextChannelId());
        this.process = process;
        this.config = new VirtualChannelConfig(this, process.memory(), () -> readWanted = false);
    }

    /**
     * @param process that has accepted
     * @param parent the socket that listens
     * @param accepted the connection
     */
    VirtualChannel(VirtualProcess process, Channel parent, Endpoint accepted) {
        super(parent, process.network().nextChannelId());
        this.process = process;
        this.config = new VirtualChannelConfig(this, process.memory(), () -> readWanted = false);
        this.endpoint = accepted;
        this.connected = true;
        accepted.ownedBy(this);
    }

    // ---------------------------------------------------------------- what the kernel tells

    void hasNews() {
        // Who waits for room learns of a reset, even if nothing is read.
        roomMade |= writeBlocked && endpoint.in().isReset();
        if (readWanted || roomMade) {
            process.ready(this);
        }
    }

    void hasRoom() {
        roomMade = true;
        process.ready(this);
    }

    /** The other side has agreed. */
    void connected(Endpoint own) {
        endpoint = own;
        own.ownedBy(this);
        process.ready(this);
    }

    /** @param failure why there is no connection */
    void notConnected(IOException failure) {
        connectFailure = failure;
        process.ready(this);
    }

    // ---------------------------------------------------------------- on the I/O thread

    @Override
    public void serve() {
        if (open && connecting != null && (endpoint != null || connectFailure != null)) {
            ((VirtualUnsafe) unsafe()).finishConnect();
        }
        if (open && roomMade) {
            roomMade = false;
            writeBlocked = false;
            ((VirtualUnsafe) unsafe()).flushNow();
        }
        if (open && connected && readWanted) {
            read(process.network());
        }
    }

    private void read(VirtualNetwork network) {
        VirtualStream in = endpoint.in();
        int reads = 0;
        boolean end = false;
        try {
            while (!end && open && in.isReadable() && reads < MAX_READS && (reads == 0 || config.isAutoRead())) {
                int most = network.habits().maxReadBytes();
                ByteBuf bytes = in.read(network.splits() ? 1 + network.random().nextInt(most) : most);
                if (bytes == null) {
                    end = true;
                } else {
                    reads++;
                    pipeline().fireChannelRead(bytes);
                }
            }
        } catch (IOException e) {
            pipeline().fireChannelReadComplete();
            pipeline().fireExceptionCaught(e);
            unsafe().close(voidPromise());
            return;
        }
        if (reads > 0) {
            // The pipeline asks to be read from again if it wants.
            readWanted = config.isAutoRead() && readWanted;
            pipeline().fireChannelReadComplete();
        }
        if (end) {
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected void doBeginRead() {
        readWanted = true;
        if (endpoint != null && endpoint.in().isReadable()) {
            process.ready(this);
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws IOException {
        for (ByteBuf bytes = (ByteBuf) out.current(); bytes != null; bytes = (ByteBuf) out.current()) {
            while (bytes.isReadable()) {
                int size = endpoint.write(bytes);
                if (size == 0) {
                    writeBlocked = true;
                    return;
                }
                out.progress(size);
            }
            out.remove();
        }
    }

    private final class VirtualUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            connecting = promise;
            process.network().connect(VirtualChannel.this, process, (InetSocketAddress) remote);
            int limit = config.getConnectTimeoutMillis();
            eventLoop()
                    .schedule(
                            () -> {
                                boolean late = connecting == promise
                                        && promise.tryFailure(new ConnectTimeoutException(
                                                "connection timed out after " + limit + " ms: " + remote));
                                if (late) {
                                    close(voidPromise());
                                }
                            },
                            limit,
                            TimeUnit.MILLISECONDS);
        }

        void finishConnect() {
            ChannelPromise promise = connecting;
            connecting = null;
            if (connectFailure != null) {
                promise.tryFailure(connectFailure);
                closeIfClosed();
                return;
            }
            connected = true;
            boolean told = promise.trySuccess();
            pipeline().fireChannelActive();
            if (!told) {
                close(voidPromise());
            }
        }

        /** A flush does nothing while the one before waits for room. */
        @Override
        protected void flush0() {
            if (!writeBlocked) {
                super.flush0();
            }
        }

        void flushNow() {
            super.flush0();
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new VirtualUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof VirtualEventLoop;
    }

    @Override
    protected SocketAddress localAddress0() {
        return endpoint == null ? null : endpoint.local();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        // As with a socket, nobody is there any more after a reset.
        return endpoint == null || endpoint.in().isReset() ? null : endpoint.remote();
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("a socket that connects gets its address by itself");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        open = false;
        ChannelPromise promise = connecting;
        connecting = null;
        if (promise != null) {
            promise.tryFailure(new ClosedChannelException());
        }
        if (endpoint != null) {
            endpoint.close();
        }
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && connected;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }
}
