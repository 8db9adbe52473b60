package io.chainkeeper.transport.netty;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.transport.LinkStatistics;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.bulk.StateConnections;
import io.chainkeeper.transport.bulk.StateDialer;
import io.chainkeeper.transport.handshake.HandshakeContext;
import io.chainkeeper.transport.handshake.HandshakePolicy;
import io.chainkeeper.transport.handshake.RefusalReporter;
import io.chainkeeper.transport.io.BlockingTasks;
import io.chainkeeper.transport.io.FrameWriter;
import io.chainkeeper.transport.io.IoThread;
import io.chainkeeper.transport.io.SocketRuntime;
import io.chainkeeper.transport.io.Sockets;
import io.chainkeeper.transport.io.TransportRuntime;
import io.chainkeeper.transport.link.LinkContext;
import io.chainkeeper.transport.link.PeerConnection;
import io.chainkeeper.transport.link.PeerLink;
import io.chainkeeper.transport.link.PeerTable;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);
    private static final int BACKLOG = 128;
    private static final int CLOSE_LIMIT_SECONDS = 5;
    private static final int THREAD_LIMIT_MILLIS = 1_000;

    private final TransportSettings settings;
    private final TransportRuntime runtime;
    private final PeerTable peers;
    private StateResponder responder;
    private volatile Parts parts;
    private volatile Channel listening;
    private volatile OwnPort ownPort;
    private boolean closed;

    /** Where this replica is to listen: its own address. */
    private volatile PeerAddress ownAddress;

    /**
     * What a transport that has been started consists of.
     *
     * @param io does all input and output
     * @param links what the links share
     * @param bulk connections for bulk requests
     * @param responders threads that answer bulk requests
     * @param acceptor takes what is accepted, at whichever port: links tell connections apart by its numbers
     */
    private record Parts(
            IoThread io, LinkContext links, StateConnections bulk, BlockingTasks responders, PeerAcceptor acceptor) {}

    /** @param settings who this replica is, where its peers are, what bounds the links */
    public NettyPeerTransport(TransportSettings settings) {
        this(settings, new SocketRuntime());
    }

    /**
     * @param settings who this replica is, where its peers are, what bounds the links
     * @param runtime threads, sockets, time and chance, used by this transport only
     */
    public NettyPeerTransport(TransportSettings settings, TransportRuntime runtime) {
        this.settings = settings;
        this.runtime = runtime;
        this.peers = new PeerTable(settings.replicaId(), settings.members());
        this.ownAddress = settings.members().get(settings.replicaId());
    }

    @Override
    public synchronized void start(Listener listener) throws IOException {
        InvariantViolated.check(parts == null && !closed, "a transport is started once");
        int self = settings.replicaId();
        EventLoop loop = runtime.eventLoop("peer-io-" + self);
        IoThread io = new IoThread(
                runtime,
                loop,
                runtime.blocking("peer-blocking-" + self, 1),
                new DefaultChannelGroup("peers-of-" + self, loop, true));
        BlockingTasks responders =
                runtime.blocking("peer-answer-" + self, settings.limits().maxStateConnections());
        StateConnections bulk = new StateConnections(settings, io, responder, responders);
        RefusalReporter refusals = new RefusalReporter(self, peers::isServed, listener, runtime::nanoTime);
        HandshakePolicy policy = new HandshakePolicy(settings, peers::members, runtime::nextSecret);
        LinkContext links = new LinkContext(new HandshakeContext(settings, io, policy, refusals), listener);
        Parts all = new Parts(io, links, bulk, responders, new PeerAcceptor(links, peers, bulk));
        parts = all;
        // Before the port is open: a peer that connects at once must find its link.
        applyPeers(all);
        try {
            PeerAddress own = ownAddress;
            listening = listen(all, own);
            // Port 0 is one that the system has chosen.
            PeerAddress bound = new PeerAddress(own.host(), localAddress().getPort());
            ownPort = new OwnPort(settings, all.io(), () -> bootstrap(all), bound, listening, this::listensAt);
            if (!ownAddress.equals(own)) {
                ownPort.moveTo(ownAddress);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
        LOG.info("Replica {} listens for its peers on {}", self, listening.localAddress());
        io.execute(peers::startDialing);
    }

    private void applyPeers(Parts all) {
        all.io().execute(() -> peers.apply(all.links(), new PeerChanges(all)));
    }

    private final class PeerChanges implements PeerTable.Changes {
        private final Parts all;

        PeerChanges(Parts all) {
            this.all = all;
        }

        @Override
        public void peersAre(int count) {
            // One thread for each peer's name, which may take the name service long, one for those that strangers ask
            // for, one for TLS, and one for SASL, which may ask a Kerberos server.
            all.io().blocking().size(count + (settings.authentication() == null ? 2 : 3));
        }

        @Override
        public void peerLeft(int peer) {
            all.links().handshakes().refusals().forget(peer);
            all.bulk().endAllOf(peer, "it is no member any more");
        }
    }

    private void listensAt(Channel channel) {
        listening = channel;
    }

    private ServerBootstrap bootstrap(Parts all) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(all.io().loop(), all.io().loop())
                .channelFactory(runtime.listening())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(all.acceptor());
        Sockets.setOptions(bootstrap::childOption);
        return bootstrap;
    }

    private Channel listen(Parts all, PeerAddress own) throws IOException {
        InetSocketAddress address = bindAddress(settings, own);
        ChannelFuture bound = bootstrap(all).bind(address);
        runtime.await(bound);
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen for other replicas on " + address + " ("
                            + bound.cause().getMessage() + "): stop whatever uses the port, or correct the server."
                            + settings.replicaId() + " line; if the address is not one of this machine, set"
                            + " quorumListenOnAllIPs=true",
                    bound.cause());
        }
        all.io().channels().add(bound.channel());
        return bound.channel();
    }

    /**
     * @param settings of a replica
     * @return where it is to listen at first
     * @throws IOException if its own name has no address
     */
    static InetSocketAddress bindAddress(TransportSettings settings) throws IOException {
        return bindAddress(settings, settings.members().get(settings.replicaId()));
    }

    /**
     * @param settings of a replica
     * @param own its address
     * @return where it is to listen
     * @throws IOException if its own name has no address
     */
    static InetSocketAddress bindAddress(TransportSettings settings, PeerAddress own) throws IOException {
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
        PeerAddress own = members.get(settings.replicaId());
        if (own != null) {
            ownAddress = own;
        }
        Parts all = parts;
        // If it is not started yet, the start applies what is wanted then.
        if (all != null) {
            applyPeers(all);
        }
        OwnPort port = ownPort;
        if (own != null && port != null) {
            port.moveTo(own);
        }
    }

    @Override
    public synchronized void answerStateRequests(StateResponder answering) {
        InvariantViolated.check(parts == null, "a transport is told who answers before it is started");
        responder = answering;
    }

    @Override
    public StateChannel openStateChannel(int peer) throws IOException {
        Parts all = parts;
        InvariantViolated.check(all != null, "the transport is not started");
        InvariantViolated.check(!all.io().isCurrent(), "the listener must not wait for a connection");
        PeerAddress address = peers.wantedAddress(peer);
        if (address == null) {
            throw new IOException("no bulk connection to replica " + peer + " can be opened: it is no other member");
        }
        return StateDialer.open(all.links().handshakes(), all.bulk(), peer, address);
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
        Parts all = parts;
        return all != null && all.io().tryExecute(task);
    }

    @Override
    public void resumeReading(int peer) {
        PeerLink link = peers.link(peer);
        if (link == null) {
            return;
        }
        parts.io().execute(link::resumeReading);
    }

    @Override
    public void disconnect(int peer, String reason) {
        PeerLink link = peers.link(peer);
        PeerConnection connection = link == null ? null : link.current();
        if (connection != null) {
            parts.io().execute(() -> connection.close("it " + reason, true));
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

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        for (PeerLink link : peers.servedLinks()) {
            link.tellOccupancy(occupancy);
        }
    }

    /**
     * Closes all connections (the listener is told) and the port; returns when its threads have ended, but waits no
     * longer than a second for those that cannot be interrupted, in a name look-up or in the responder. Not to be
     * called by the listener.
     */
    @Override
    public synchronized void close() {
        Parts all = parts;
        if (closed || all == null) {
            closed = true;
            return;
        }
        InvariantViolated.check(!all.io().isCurrent(), "the listener must not close its own transport");
        closed = true;
        // Awaited, because an event loop that shuts down may leave channels open and does not wait for tasks.
        EventLoop loop = all.io().loop();
        Future<?> stopped = loop.submit(() -> IoThread.run(() -> {
            peers.stop();
            all.bulk().stop();
            all.io().channels().close();
        }));
        runtime.await(stopped, CLOSE_LIMIT_SECONDS);
        loop.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        awaitThreads(all);
    }

    private void awaitThreads(Parts all) {
        try {
            if (!all.io().loop().awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "The I/O thread of replica {} has not ended within {} s: its listener blocks",
                        settings.replicaId(),
                        CLOSE_LIMIT_SECONDS);
            }
            all.io().blocking().end();
            all.responders().end();
            runtime.awaitThreads(THREAD_LIMIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
