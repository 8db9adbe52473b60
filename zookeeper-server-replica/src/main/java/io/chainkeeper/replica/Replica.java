package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running replica: protocol, links, acceptor log and application, with the workers between them (protocol host,
 * log writer, apply thread). Owns the log and the transport and closes both.
 */
public final class Replica implements TotalOrder, Closeable {
    /** Host metadata record: the incarnation, a long in the head. */
    public static final int INCARNATION = LogRecord.FIRST_HOST_KIND;

    /** Three times as long as a link may be silent. */
    private static final long STALE_LINK_NANOS = TimeUnit.SECONDS.toNanos(30);

    /**
     * How far the incarnation moves on when the clock was set back. Protocols derive numbers from the incarnation,
     * which must not reach the numbers of the next incarnation. Normally the time between two starts keeps incarnations
     * apart; here an hour's worth of milliseconds does.
     */
    private static final int STEP_AFTER_CLOCK_SET_BACK = 3_600_000;

    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

    private final PeerTransport transport;
    private final OwnCommands own;
    private final ProtocolLinks links;
    private final ReplicaLog log;
    private final HostedDisks disks;
    private final ApplyThread applyThread;
    private final HostQueues queues;
    private final ProtocolHost host;
    private final FailureHandler failure;
    private final PositionTimes times = new PositionTimes();
    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile List<Integer> participants;
    private final boolean isAlone;
    private final LinkEvents linkEvents = new LinkEvents();
    private final Runnable wakeUp = this::wakeHost;
    private volatile boolean refusalsExpected;
    private final Object starting = new Object();
    private final Scheduler scheduler;
    private String failureMessage;
    private volatile boolean stopped;

    /**
     * Assembles a replica whose protocol has no use for shared disks; nothing runs yet.
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
     * @param scheduler what the replica runs on
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
            FailureHandler failure,
            Scheduler scheduler) {
        this(
                replicaId,
                incarnation,
                ensemble,
                factory,
                protocolSettings,
                start,
                log,
                List.of(),
                transport,
                application,
                limits,
                failure,
                scheduler);
    }

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
     * @param disks open the shared disks that the settings name, in that order; none if they name none
     * @param transport links, not started
     * @param application what executes the order
     * @param limits bounds of the queues
     * @param failure told once if the replica cannot go on
     * @param scheduler what the replica runs on
     */
    public Replica(
            int replicaId,
            long incarnation,
            Ensemble ensemble,
            OrderingProtocolFactory factory,
            Map<String, String> protocolSettings,
            ProtocolContext.Start start,
            AcceptorLog log,
            List<DiskSource> disks,
            PeerTransport transport,
            Application application,
            ReplicaLimits limits,
            FailureHandler failure,
            Scheduler scheduler) {
        this.scheduler = scheduler;
        this.transport = transport;
        this.failure = failure;
        this.participants = ensemble.participants();
        this.isAlone = ensemble.equals(Ensemble.of(List.of(replicaId)));
        this.own = new OwnCommands(replicaId, incarnation, factory.streamCount(participants.size()), limits, scheduler);
        this.links = new ProtocolLinks(transport, factory.codec(), limits);
        this.log = new ReplicaLog(
                log, factory.promiseKind(), times, limits.maxUnsyncedBytes(), replicaId, wakeUp, this::fail, scheduler);
        this.applyThread = new ApplyThread(application, own, times, this::wakeHostIfPaused, this::fail, scheduler);
        this.disks =
                new HostedDisks(disks, replicaId, this::submit, this::fail, limits.maxSharedDiskBytes(), scheduler);
        this.host = new ProtocolHost(
                own, links, this.log, this.disks, applyThread, application, limits, this::fail, scheduler);
        SplittableRandom random = new SplittableRandom(scheduler.seed());
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
        this.queues = new HostQueues(host, own, links, this.disks, this.log, applyThread, protocol, limits);
    }

    /**
     * Numbers this start of the replica. The number becomes durable when the first link comes up, before any command of
     * this incarnation leaves: a server that turns out not to belong to its peers has changed nothing on its disk.
     *
     * @param log the acceptor log, just opened
     * @param latestKnown the latest incarnation of this replica that the order is known to hold; what the log knows
     *     need not be included. {@link Long#MIN_VALUE} if none is known
     * @param scheduler its wall clock is read
     * @return a number larger than {@code latestKnown}, and than the number of any earlier start with this log that had
     *     a link. A start on a disk that is lost may have had a larger number, if the clock was set back since: then
     *     what this start proposes has no effect, and it is told so ({@link Application#superseded}). Two starts that
     *     know of the same latest incarnation, and whose clocks are behind it, get the same number once in 3 600 000
     *     times
     */
    public static long nextIncarnation(AcceptorLog log, long latestKnown, Scheduler scheduler) {
        return incarnationAfter(
                Math.max(LogAtStart.lastIncarnation(log), latestKnown),
                scheduler.currentTimeMillis(),
                bound -> new SplittableRandom(scheduler.seed()).nextInt(bound));
    }

    /**
     * The rule of {@link #nextIncarnation}.
     *
     * @param latest the latest incarnation known
     * @param clockMillis the wall clock; it keeps incarnations apart where nothing is remembered
     * @param random draws a number below the given bound; asked only if the clock is behind the latest incarnation. It
     *     keeps two starts apart that know of the same latest incarnation, on disks that were lost one after the other:
     *     a clock that is known to be wrong may show both the same time
     * @return an incarnation later than {@code latest}
     */
    public static long incarnationAfter(long latest, long clockMillis, IntUnaryOperator random) {
        if (clockMillis > latest) {
            return clockMillis;
        }
        return latest + STEP_AFTER_CLOCK_SET_BACK + random.applyAsInt(STEP_AFTER_CLOCK_SET_BACK);
    }

    /**
     * Tells, before {@link #start}, that members of the configured ensemble may refuse this replica although its
     * configuration is right: those members belong to a cluster that the user has given up.
     */
    public void expectRefusals() {
        refusalsExpected = true;
    }

    /**
     * Starts the workers, lets the protocol take up what the log holds, and opens the links.
     *
     * @throws IOException if the log cannot be taken up or the port not be opened; nothing keeps running then but the
     *     workers, to be ended by {@link #close}
     */
    public void start() throws IOException {
        log.start();
        disks.start();
        applyThread.start();
        // The port opens last: users take a server whose ports are open for one that has started.
        if (!host.start(isAlone)) {
            throw new IOException(awaitFailure());
        }
        transport.start(linkEvents);
    }

    private String awaitFailure() {
        synchronized (starting) {
            scheduler.await(starting, "what went wrong", () -> failureMessage != null);
            return failureMessage;
        }
    }

    /** @return number of this start; how it compares with those of earlier ones, see {@link #nextIncarnation} */
    public long incarnation() {
        return own.incarnation();
    }

    @Override
    public boolean propose(Proposal proposal) {
        checkRunning();
        boolean entered = own.enter(proposal, host::add);
        WakeupBatch.wake(wakeUp);
        return entered;
    }

    @Override
    public boolean offer(Proposal proposal) {
        checkRunning();
        boolean entered = own.offer(proposal, host::add);
        WakeupBatch.wake(wakeUp);
        return entered;
    }

    @Override
    public void reconsider() {
        own.reconsider();
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
     * What this replica has promised, as its protocol records it: at least all promises that its executed state rests
     * on. May be called by any thread.
     *
     * @return empty if nothing, or nothing that goes with a state ({@link OrderingProtocolFactory#promiseKind})
     */
    public ByteSlice promise() {
        return log.promise();
    }

    @Override
    public OrderingStatus status() {
        return host.status();
    }

    @Override
    public Map<String, Long> gauges() {
        return host.gauges();
    }

    /** @param occupancy told how full everything is; only where one caller drives all parts, between pieces of work */
    public void tellOccupancy(Occupancy occupancy) {
        queues.tellOccupancy(occupancy);
    }

    @Override
    public Latencies latencies() {
        return own.latencies();
    }

    @Override
    public long silentMillis() {
        return host.silentMillis();
    }

    @Override
    public long stuckMillis() {
        return own.stuckMillis();
    }

    @Override
    public Map<Integer, Long> linkedSinceNanos() {
        return linkEvents.linked;
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
    public StageTimes stages(long position) {
        return times.of(position);
    }

    @Override
    public int streamCount() {
        return own.streams();
    }

    @Override
    public void checkpointTaken(long position) {
        host.submit(new Mailbox.CheckpointTaken(position));
    }

    @Override
    public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
        participants = ensemble.participants();
        transport.setPeers(addresses);
        host.submit(protocol -> protocol.onEnsemble(ensemble));
    }

    @Override
    public void leave() {
        host.submit(OrderingProtocol::onLeave);
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

    private void submit(Mailbox.Input input) {
        host.submit(input);
    }

    private void wakeHost() {
        host.wake();
    }

    private void wakeHostIfPaused() {
        if (links.somePaused()) {
            host.wake();
        }
    }

    private void fail(String message, Throwable cause) {
        stopped = true;
        own.stop();
        if (failed.compareAndSet(false, true)) {
            synchronized (starting) {
                failureMessage = message;
                starting.notifyAll();
            }
            failure.failed(message, cause);
        }
    }

    /** Stops proposing, executes what was delivered, makes what was accepted durable, and closes links and log. */
    @Override
    public void close() throws IOException {
        stopped = true;
        own.stop();
        try {
            host.close();
            transport.close();
            disks.close();
            applyThread.close();
            log.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while stopping the replica", e);
        }
    }

    private final class LinkEvents implements PeerTransport.Listener {
        private final Map<Integer, Long> up = new TreeMap<>();
        private final Set<Integer> refused = new TreeSet<>();
        private final Map<Integer, Long> mayPassSinceNanos = new TreeMap<>();
        private volatile Map<Integer, Long> linked = Map.of();

        @Override
        public synchronized void onPeerUp(int peer) {
            up.put(peer, scheduler.nanoTime());
            linked = new TreeMap<>(up);
            refused.remove(peer);
            mayPassSinceNanos.remove(peer);
            host.submit(protocol -> {
                host.keepIncarnation();
                links.acknowledgeUp(peer);
                protocol.onPeerUp(peer);
            });
        }

        @Override
        public synchronized void onPeerDown(int peer) {
            up.remove(peer);
            linked = new TreeMap<>(up);
            host.submit(protocol -> protocol.onPeerDown(peer));
        }

        @Override
        public boolean onFrame(int peer, ByteSlice frame) {
            try {
                Message message = links.decode(frame);
                boolean mayReadOn = links.arrived(peer, frame.length(), applyThread.backlogBytes());
                host.add(new Mailbox.Arrived(peer, message, frame.length()));
                return mayReadOn;
            } catch (MalformedMessageException e) {
                links.disconnect(peer, "sent a frame that does not decode: " + e.getMessage());
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
                        own.replicaId());
                return;
            }
            // A link of the server that this one has taken the place of, or a name service that fails, may pass.
            boolean saysNothing = kind.saysNothingOfThisReplica() || up.containsKey(peer);
            if (saysNothing || kind.mayPass() && !isRefusedForLong(peer)) {
                return;
            }
            refused.add(peer);
            long voters = refused.stream().filter(participants::contains).count();
            if (!refusalsExpected && up.isEmpty() && voters > participants.size() / 2) {
                // If one peer differs, that peer is misplaced; if a majority of the participants differs, this replica
                // is. Observers, of whom there may be more, do not count.
                fail("This server does not belong to servers " + refused + " of its server list: " + reason, null);
            }
        }

        /** For longer than a link may be silent whose other end has gone, so for longer than what passes by itself. */
        private boolean isRefusedForLong(int peer) {
            long now = scheduler.nanoTime();
            Long since = mayPassSinceNanos.putIfAbsent(peer, now);
            return since != null && now - since >= STALE_LINK_NANOS;
        }
    }
}
