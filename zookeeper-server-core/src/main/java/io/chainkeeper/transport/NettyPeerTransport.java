package io.chainkeeper.transport;

import io.chainkeeper.config.OrderingConfig.PeerAddress;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links between replicas over TCP. One I/O thread serves all of them and makes all calls of the listener, so these
 * follow each other; a few more threads, alive only while needed, look names up and compute for TLS.
 *
 * <p>A failure inside the listener closes the link and goes to the uncaught-exception handler of the I/O thread.
 */
public final class NettyPeerTransport implements PeerTransport {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);
    private static final WriteBufferWaterMark WATER_MARKS =
            new WriteBufferWaterMark(2 * PeerConnection.CHUNK_BYTES, 4 * PeerConnection.CHUNK_BYTES);
    private static final int BACKLOG = 128;
    private static final int BLOCKING_THREAD_IDLE_SECONDS = 10;
    private static final int CLOSE_LIMIT_SECONDS = 5;
    private static final int THREAD_LIMIT_MILLIS = 1_000;

    private final TransportSettings settings;
    private final SortedMap<Integer, PeerLink> links = new TreeMap<>();
    private final List<PeerDialer> dialers = new ArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private EventLoop loop;
    private ThreadPoolExecutor blocking;
    private IoContext io;
    private Channel listening;
    private boolean started;
    private boolean closed;

    /** @param settings who this replica is, where its peers are, what bounds the links */
    public NettyPeerTransport(TransportSettings settings) {
        this.settings = settings;
    }

    /** An option that listening, accepted and opened sockets have in common. */
    interface OptionSetter {
        /**
         * @param option which
         * @param value its value
         * @param <T> type of the value
         */
        <T> void set(ChannelOption<T> option, T value);
    }

    /** @param setter takes the options of a link's socket */
    static void setSocketOptions(OptionSetter setter) {
        setter.set(ChannelOption.TCP_NODELAY, true);
        setter.set(ChannelOption.SO_KEEPALIVE, true);
        setter.set(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS);
    }

    @Override
    public synchronized void start(Listener listener) throws IOException {
        InvariantViolated.check(!started && !closed, "a transport is started once");
        started = true;
        int self = settings.replicaId();
        loop = new SingleThreadIoEventLoop(null, threads("peer-io-" + self), NioIoHandler.newFactory());
        // One thread for each peer's name, which may take the name service long, and one for TLS.
        int threadCount = settings.members().size();
        blocking = new ThreadPoolExecutor(
                threadCount,
                threadCount,
                BLOCKING_THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("peer-blocking-" + self));
        blocking.allowCoreThreadTimeOut(true);
        RefusalReporter refusals = new RefusalReporter(settings.members().keySet(), listener);
        io = new IoContext(settings, loop, blocking, listener, new HandshakePolicy(settings), refusals);
        for (int peer : settings.members().keySet()) {
            if (peer < self) {
                PeerDialer dialer = new PeerDialer(io, peer);
                dialers.add(dialer);
                links.put(peer, dialer.link());
            } else if (peer > self) {
                links.put(peer, new PeerLink(io, peer, () -> {}));
            }
        }
        try {
            listening = listen();
        } catch (IOException e) {
            close();
            throw e;
        }
        LOG.info("Replica {} listens for its peers on {}", self, listening.localAddress());
        dialers.forEach(dialer -> io.execute(dialer::dial));
    }

    private ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new FastThreadLocalThread(task, name);
            thread.setDaemon(true);
            threads.removeIf(earlier -> earlier.getState() == Thread.State.TERMINATED);
            threads.add(thread);
            return thread;
        };
    }

    private Channel listen() throws IOException {
        InetSocketAddress address = bindAddress(settings);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop, loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new PeerAcceptor(io, links));
        setSocketOptions(bootstrap::childOption);
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen for other replicas on " + address + " ("
                            + bound.cause().getMessage() + "): stop whatever uses the port, or correct the server."
                            + settings.replicaId() + " line; if the address is not one of this machine, set"
                            + " quorumListenOnAllIPs=true",
                    bound.cause());
        }
        return bound.channel();
    }

    /**
     * @param settings of a replica
     * @return where it is to listen
     * @throws IOException if its own name has no address
     */
    static InetSocketAddress bindAddress(TransportSettings settings) throws IOException {
        PeerAddress own = settings.members().get(settings.replicaId());
        if (settings.listenOnAllAddresses()) {
            return new InetSocketAddress(own.port());
        }
        try {
            return new InetSocketAddress(settings.resolver().resolve(own.host()).get(0), own.port());
        } catch (UnknownHostException e) {
            throw new IOException(
                    "cannot listen for other replicas on " + own + ": the name has no address; correct the server."
                            + settings.replicaId() + " line, or set quorumListenOnAllIPs=true",
                    e);
        }
    }

    /**
     * @return the address that other replicas can connect to
     * @throws InvariantViolated if the transport is not started
     */
    public synchronized InetSocketAddress localAddress() {
        InvariantViolated.check(listening != null, "the transport is not started");
        return (InetSocketAddress) listening.localAddress();
    }

    @Override
    public void acknowledgeUp(int peer) {
        link(peer).acknowledgeUp();
    }

    @Override
    public void send(int peer, ByteSlice[] parts) {
        long bytes = FrameWriter.length(parts);
        int bound = settings.limits().maxFrameBytes();
        InvariantViolated.check(bytes <= bound, "a frame of %d bytes, a link takes at most %d", bytes, bound);
        PeerConnection connection = link(peer).sendable();
        if (connection != null) {
            connection.send(parts);
        }
    }

    @Override
    public void flush() {
        for (PeerLink link : links.values()) {
            PeerConnection connection = link.sendable();
            if (connection != null) {
                connection.flush();
            }
        }
    }

    @Override
    public void resumeReading(int peer) {
        PeerLink link = link(peer);
        io.execute(() -> {
            PeerConnection connection = link.current();
            if (connection != null) {
                connection.resumeReading();
            }
        });
    }

    @Override
    public void disconnect(int peer, String reason) {
        PeerLink link = link(peer);
        PeerConnection connection = link.current();
        if (connection != null) {
            io.execute(() -> connection.close("it " + reason, true));
        }
    }

    private PeerLink link(int peer) {
        PeerLink link = links.get(peer);
        InvariantViolated.check(link != null, "no link to replica %d, only to %s", peer, links.keySet());
        return link;
    }

    /**
     * Counters of all links. Any thread, once the transport is started.
     *
     * @return replica id to counters, ascending
     */
    public SortedMap<Integer, LinkStatistics> statistics() {
        SortedMap<Integer, LinkStatistics> statistics = new TreeMap<>();
        links.forEach((peer, link) -> statistics.put(peer, link.statistics()));
        return Collections.unmodifiableSortedMap(statistics);
    }

    /**
     * Closes all links (the listener is told) and the port; returns when its threads have ended, but does not wait for
     * a name look-up that the platform cannot interrupt. Not to be called by the listener.
     */
    @Override
    public synchronized void close() {
        if (closed || !started) {
            closed = true;
            return;
        }
        InvariantViolated.check(!loop.inEventLoop(), "the listener must not close its own transport");
        closed = true;
        io.execute(() -> {
            dialers.forEach(PeerDialer::stop);
            links.values().forEach(PeerLink::stop);
        });
        loop.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        awaitThreads();
    }

    private void awaitThreads() {
        try {
            if (!loop.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "The I/O thread of replica {} has not ended within {} s: its listener blocks",
                        settings.replicaId(),
                        CLOSE_LIMIT_SECONDS);
            }
            blocking.shutdownNow();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(THREAD_LIMIT_MILLIS);
            for (Thread thread : threads) {
                // A join of 0 ms would wait for ever.
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
