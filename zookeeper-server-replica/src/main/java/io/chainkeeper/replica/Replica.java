package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running replica: protocol, links, acceptor log and application, with the threads between them (protocol host, log
 * writer, apply thread). Owns the log and the transport and closes both.
 */
public final class Replica implements TotalOrder, Closeable {
    /** Host metadata record: the incarnation, a long in the head. */
    public static final int INCARNATION = LogRecord.FIRST_HOST_KIND;

    /**
     * How far the incarnation moves on when the clock was set back. Protocols derive numbers from the incarnation that
     * must not reach those of the next one. Normally milliseconds lie between two starts; here an hour's worth does.
     */
    private static final int STEP_AFTER_CLOCK_SET_BACK = 3_600_000;

    private static final int MAX_COMMAND_BYTES = SizeLimits.commandBytes(SizeLimits.MAX_REQUEST_BYTES);

    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

    private final PeerTransport transport;
    private final AcceptorLog log;
    private final LatestPromise promise;
    private final LogWriter logWriter;
    private final ApplyThread applyThread;
    private final ProtocolHost host;
    private final OutstandingBytes outstanding;
    private final MessageCodec codec;
    private final InboundBytes inbound;
    private final ExecutorService logReader;
    private final FailureHandler failure;
    private final AtomicBoolean failed = new AtomicBoolean();
    private final int streams;
    private final int replicaId;
    private final int memberCount;
    private final long incarnation;
    private final Links links = new Links();
    private final Runnable wakeUp = this::wakeHost;
    private volatile boolean refusalsExpected;
    private final CompletableFuture<String> failureMessage = new CompletableFuture<>();
    private volatile boolean stopped;

    /**
     * Assembles a replica; nothing runs yet.
     *
     * @param replicaId this replica's id
     * @param incarnation number of this start, from {@link #nextIncarnation}
     * @param ensemble the configured ensemble
     * @param factory the protocol
     * @param protocolSettings its checked settings
     * @param start what this start may rely on
     * @param log the open acceptor log
     * @param transport links, not started
     * @param application what executes the order
     * @param limits bounds of the queues
     * @param failure told once if the replica cannot go on
     */
    public Replica(
            int replicaId,
            long incarnation,
            Ensemble ensemble,
            OrderingProtocolFactory factory,
            Map<String, String> protocolSettings,
            ProtocolContext.Start start,
            AcceptorLog log,
            PeerTransport transport,
            Application application,
            ReplicaLimits limits,
            FailureHandler failure) {
        this.transport = transport;
        this.log = log;
        this.codec = factory.codec();
        this.failure = failure;
        this.replicaId = replicaId;
        this.memberCount = ensemble.participants().size();
        this.streams = factory.streamCount(memberCount);
        this.outstanding = new OutstandingBytes(limits.maxOutstandingBytes());
        this.inbound = new InboundBytes(limits);
        this.incarnation = incarnation;
        this.logReader = new ThreadPoolExecutor(
                0, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> new Thread(r, "log-reader-" + replicaId));
        this.promise = new LatestPromise(log.recovered(0), factory.promiseKind());
        this.logWriter =
                new LogWriter(log, promise, limits.maxUnsyncedBytes(), "log-writer-" + replicaId, wakeUp, this::fail);
        this.applyThread = new ApplyThread(
                application, replicaId, incarnation, streams, outstanding, this::wakeHostIfPaused, this::fail);
        this.host = new ProtocolHost(
                replicaId,
                incarnation,
                streams,
                codec,
                transport,
                log,
                logWriter,
                applyThread,
                application,
                inbound,
                limits,
                logReader,
                ensemble.participants().equals(List.of(replicaId))
                        && ensemble.observers().isEmpty(),
                this::fail);
        SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
        OrderingProtocol protocol = factory.create(
                new ProtocolContext(
                        replicaId,
                        incarnation,
                        ensemble,
                        protocolSettings,
                        random::nextInt,
                        limits.tickMillis(),
                        start),
                host.effects());
        host.host(protocol, factory.name());
    }

    /**
     * Numbers this start of the replica. The number becomes durable when the first link comes up, before any command of
     * this incarnation leaves: a server that turns out not to belong to its peers has changed nothing on its disk.
     *
     * @param log the acceptor log, just opened
     * @param appliedPosition position of the application's checkpoint, 0 if there is none
     * @param latestKnown the latest incarnation of this replica that the order is known to hold; what the log knows
     *     need not be included. {@link Long#MIN_VALUE} if none is known
     * @return larger than that, and than the number of any earlier start with this log that had a link. A start on a
     *     disk that is lost may have had a larger one, if the clock was set back since: whatever this start orders has
     *     no effect then, and it is told so. Two starts that know of the same latest one with their clocks behind that
     *     share a number once in 3 600 000 times
     */
    public static long nextIncarnation(AcceptorLog log, long appliedPosition, long latestKnown) {
        LogRecord previous = log.recovered(appliedPosition).metadata(INCARNATION);
        long last = previous == null ? 0 : previous.head().asByteBuffer().getLong();
        return incarnationAfter(
                Math.max(last, latestKnown), System.currentTimeMillis(), bound -> new SecureRandom().nextInt(bound));
    }

    /**
     * The rule of {@link #nextIncarnation}.
     *
     * @param latest the latest incarnation known
     * @param clockMillis the wall clock; it keeps incarnations apart where nothing is remembered
     * @param random draws a number below the one given; asked only if the clock is behind the latest incarnation. It
     *     keeps those apart that know of the same latest one, on disks that were lost one after the other: a clock that
     *     is known to be wrong may show both the same
     * @return later than that one
     */
    public static long incarnationAfter(long latest, long clockMillis, IntUnaryOperator random) {
        if (clockMillis > latest) {
            return clockMillis;
        }
        return latest + STEP_AFTER_CLOCK_SET_BACK + random.applyAsInt(STEP_AFTER_CLOCK_SET_BACK);
    }

    /**
     * Tells, before {@link #start}, that members of the configured ensemble may refuse this replica although it is in
     * the right place: they belong to a cluster that the user has given up.
     */
    public void expectRefusals() {
        refusalsExpected = true;
    }

    /**
     * Starts the threads, lets the protocol take up what the log holds, and opens the links.
     *
     * @throws IOException if the log cannot be taken up or the port not be opened; nothing keeps running then but the
     *     threads, to be ended by {@link #close}
     */
    public void start() throws IOException {
        logWriter.start();
        applyThread.start();
        // Whoever starts servers takes one whose ports are open for one that has started.
        if (!host.start()) {
            throw new IOException(failureMessage.join());
        }
        transport.start(links);
    }

    /** @return number of this start; how it compares with those of earlier ones, see {@link #nextIncarnation} */
    public long incarnation() {
        return incarnation;
    }

    @Override
    public void propose(Proposal proposal) {
        checkRunning();
        int bytes = proposal.command().length();
        InvariantViolated.check(
                bytes <= MAX_COMMAND_BYTES, "a command of %d bytes, the order takes %d", bytes, MAX_COMMAND_BYTES);
        outstanding.acquire(bytes);
        host.add(proposal);
        WakeupBatch.wake(wakeUp);
    }

    @Override
    public void readBarrier(ReadWaiter waiter) {
        checkRunning();
        host.add(waiter);
        WakeupBatch.wake(wakeUp);
    }

    private void checkRunning() {
        if (stopped) {
            throw new ReplicaStoppedException("this replica has stopped");
        }
    }

    /**
     * What this replica has promised, as its protocol records it: at least what the state rests on that it has executed
     * by now. May be called by any thread.
     *
     * @return empty if nothing, or nothing that goes with a state ({@link OrderingProtocolFactory#promiseKind})
     */
    public ByteSlice promise() {
        return promise.head();
    }

    @Override
    public OrderingStatus status() {
        return host.status();
    }

    @Override
    public Map<String, Long> gauges() {
        return host.gauges();
    }

    @Override
    public long silentMillis() {
        return host.silentMillis();
    }

    @Override
    public long stuckMillis() {
        return outstanding.stuckMillis();
    }

    @Override
    public Set<Integer> linkedPeers() {
        return links.linked;
    }

    @Override
    public boolean hasTriedPeers() {
        return transport.hasTriedPeers();
    }

    @Override
    public boolean admitsUnauthenticated() {
        return transport.admitsUnauthenticated();
    }

    @Override
    public int streamCount() {
        return streams;
    }

    @Override
    public void checkpointTaken(long position) {
        host.submit((ProtocolHost.Input) protocol -> protocol.onCheckpoint(position));
    }

    @Override
    public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
        transport.setPeers(addresses);
        host.submit((ProtocolHost.Input) protocol -> protocol.onEnsemble(ensemble));
    }

    /**
     * Opens a bulk connection to another member. Blocks; may be called by any thread.
     *
     * @param peer replica id
     * @return the open connection
     * @throws IOException if it cannot be reached or refuses; names peer and reason
     */
    public StateChannel openStateChannel(int peer) throws IOException {
        return transport.openStateChannel(peer);
    }

    private void wakeHost() {
        host.wake();
    }

    private void wakeHostIfPaused() {
        if (inbound.somePaused()) {
            host.wake();
        }
    }

    private void fail(String message, Throwable cause) {
        stopped = true;
        outstanding.stop();
        if (failed.compareAndSet(false, true)) {
            failureMessage.complete(message);
            failure.failed(message, cause);
        }
    }

    /** Stops proposing, executes what was delivered, makes what was accepted durable, and closes links and log. */
    @Override
    public void close() throws IOException {
        stopped = true;
        outstanding.stop();
        try {
            host.close();
            transport.close();
            applyThread.close();
            logWriter.close();
            logReader.shutdown();
            logReader.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while stopping the replica", e);
        }
        log.close();
    }

    private final class Links implements PeerTransport.Listener {
        private final Set<Integer> up = new TreeSet<>();
        private final Set<Integer> refused = new TreeSet<>();
        private volatile Set<Integer> linked = Set.of();

        @Override
        public synchronized void onPeerUp(int peer) {
            up.add(peer);
            linked = Set.copyOf(up);
            refused.remove(peer);
            host.submit((ProtocolHost.Input) protocol -> {
                host.keepIncarnation();
                transport.acknowledgeUp(peer);
                protocol.onPeerUp(peer);
            });
        }

        @Override
        public synchronized void onPeerDown(int peer) {
            up.remove(peer);
            linked = Set.copyOf(up);
            host.submit((ProtocolHost.Input) protocol -> protocol.onPeerDown(peer));
        }

        @Override
        public boolean onFrame(int peer, ByteSlice frame) {
            try {
                Message message = codec.decode(frame);
                boolean mayReadOn = inbound.arrived(peer, frame.length(), applyThread.backlogBytes());
                host.add(new ProtocolHost.Arrived(peer, message, frame.length()));
                return mayReadOn;
            } catch (MalformedMessageException e) {
                transport.disconnect(peer, "sent a frame that does not decode: " + e.getMessage());
                return true;
            }
        }

        @Override
        public void onFramesRead() {
            host.wake();
        }

        @Override
        public synchronized void onPeerRefused(int peer, RefusalKind kind, String reason) {
            if (kind == RefusalKind.NOT_A_MEMBER) {
                refused.remove(peer);
                LOG.info(
                        "Waiting to be added: server {} does not know server {} yet; add it with reconfig, or correct"
                                + " the server.N lines",
                        peer,
                        replicaId);
                return;
            }
            if (kind == RefusalKind.CLAIMED || up.contains(peer)) {
                return; // whoever it was, the peer itself has not been heard
            }
            refused.add(peer);
            if (!refusalsExpected && up.isEmpty() && refused.size() > memberCount / 2) {
                // One that differs is the other's fault; a majority that does means that this replica is misplaced.
                fail("This server does not belong to servers " + refused + " of its server list: " + reason, null);
            }
        }
    }
}
