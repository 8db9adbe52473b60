package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
 * follow each other; a few more threads, alive only while needed, look names up, compute for TLS and run the responder.
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
    private final PeerTable peers;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private EventLoop loop;
    private ThreadPoolExecutor blocking;
    private ThreadPoolExecutor responders;
    private StateResponder responder;
    private volatile IoContext io;
    private Channel listening;
    private boolean started;
    private boolean closed;

    /** @param settings who this replica is, where its peers are, what bounds the links */
    public NettyPeerTransport(TransportSettings settings) {
        this.settings = settings;
        this.peers = new PeerTable(settings.replicaId(), settings.members());
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
        loop = new SingleThreadIoEventLoop(null, threads("peer-io-" + self), Sockets.ioHandler());
        blocking = pool(1, "peer-blocking-" + self);
        responders = pool(settings.limits().maxStateConnections(), "peer-answer-" + self);
        StateConnections state = new StateConnections(settings, responder, responders);
        RefusalReporter refusals = new RefusalReporter(self, peers::isServed, listener);
        HandshakePolicy policy = new HandshakePolicy(settings, peers::members);
        IoContext context = new IoContext(
                settings,
                loop,
                blocking,
                new DefaultChannelGroup("peers-of-" + self, loop, true),
                listener,
                peers,
                policy,
                refusals,
                state);
        io = context;
        // Before the port is open: whoever connects at once must find its link.
        context.execute(() -> peers.apply(context));
        try {
            listening = listen();
        } catch (IOException e) {
            close();
            throw e;
        }
        LOG.info("Replica {} listens for its peers on {}", self, listening.localAddress());
        context.execute(peers::startDialing);
    }

    private ThreadPoolExecutor pool(int threadCount, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threadCount,
                threadCount,
                BLOCKING_THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
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
                .channel(Sockets.listening())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new PeerAcceptor(io));
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
        io.channels().add(bound.channel());
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
    public void setPeers(Map<Integer, PeerAddress> members) {
        peers.want(members);
        IoContext context = io;
        // Not started yet: start applies what is wanted then.
        if (context != null) {
            context.execute(() -> peers.apply(context));
        }
    }

    @Override
    public synchronized void answerStateRequests(StateResponder answering) {
        InvariantViolated.check(!started, "a transport is told who answers before it is started");
        responder = answering;
    }

    @Override
    public StateChannel openStateChannel(int peer) throws IOException {
        IoContext context = io;
        InvariantViolated.check(context != null, "the transport is not started");
        InvariantViolated.check(!context.loop().inEventLoop(), "the listener must not wait for a connection");
        PeerAddress address = peers.wantedAddress(peer);
        if (address == null) {
            throw new IOException("no bulk connection to replica " + peer + " can be opened: it is no other member");
        }
        return StateDialer.open(context, peer, address);
    }

    @Override
    public boolean hasTriedPeers() {
        for (PeerLink link : peers.servedLinks()) {
            if (link.peer() < settings.replicaId() && !link.isTried()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean admitsUnauthenticated() {
        return settings.admitsUnauthenticated();
    }

    @Override
    public void acknowledgeUp(int peer) {
        PeerLink link = peers.link(peer);
        if (link != null) {
            link.acknowledgeUp();
        }
    }

    @Override
    public void send(int peer, ByteSlice[] parts) {
        long bytes = FrameWriter.length(parts);
        int bound = settings.limits().maxFrameBytes();
        InvariantViolated.check(bytes <= bound, "a frame of %d bytes, a link takes at most %d", bytes, bound);
        PeerLink link = peers.link(peer);
        PeerConnection connection = link == null ? null : link.sendable();
        if (connection != null) {
            connection.send(parts);
        }
    }

    @Override
    public void flush() {
        for (PeerLink link : peers.servedLinks()) {
            PeerConnection connection = link.sendable();
            if (connection != null) {
                connection.flush();
            }
        }
    }

    @Override
    public boolean execute(Runnable task) {
        IoContext context = io;
        return context != null && context.tryExecute(task);
    }

    @Override
    public void resumeReading(int peer) {
        PeerLink link = peers.link(peer);
        if (link == null) {
            return;
        }
        io.execute(() -> {
            PeerConnection connection = link.current();
            if (connection != null) {
                connection.resumeReading();
            }
        });
    }

    @Override
    public void disconnect(int peer, String reason) {
        PeerLink link = peers.link(peer);
        PeerConnection connection = link == null ? null : link.current();
        if (connection != null) {
            io.execute(() -> connection.close("it " + reason, true));
        }
    }

    /**
     * Counters of all links. Any thread, once the transport is started.
     *
     * @return replica id to counters, ascending
     */
    public SortedMap<Integer, LinkStatistics> statistics() {
        SortedMap<Integer, LinkStatistics> statistics = new TreeMap<>();
        for (PeerLink link : peers.servedLinks()) {
            statistics.put(link.peer(), link.statistics());
        }
        return Collections.unmodifiableSortedMap(statistics);
    }

    /**
     * Closes all connections (the listener is told) and the port; returns when its threads have ended, but waits no
     * longer than a second for those that cannot be interrupted, in a name look-up or in the responder. Not to be
     * called by the listener.
     */
    @Override
    public synchronized void close() {
        if (closed || !started) {
            closed = true;
            return;
        }
        InvariantViolated.check(!loop.inEventLoop(), "the listener must not close its own transport");
        closed = true;
        // Awaited: a loop that is told to shut down may leave its channels open, and does not wait for tasks.
        loop.submit(() -> IoContext.run(() -> {
                    peers.stop();
                    io.state().stop();
                    io.channels().close();
                }))
                .awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
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
            responders.shutdownNow();
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
