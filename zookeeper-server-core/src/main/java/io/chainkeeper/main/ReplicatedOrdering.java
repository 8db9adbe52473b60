package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.LogAtStart;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.server.transfer.InstalledState;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.transport.PeerAuthentication;
import io.chainkeeper.transport.PeerSecret;
import io.chainkeeper.transport.PeerTls;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import org.apache.jute.BinaryInputArchive;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The order in production: a protocol with its acceptor log and its links to the other members. */
final class ReplicatedOrdering implements OrderingFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedOrdering.class);

    private final OrderingConfig config;
    private final OrderingProtocolFactory factory;
    private final long executionProfile;
    private final LongSupplier clusterId;
    private final boolean listenOnAllAddresses;
    private final PeerTls tls;
    private final PeerAuthentication authentication;
    private final PeerSecret secret;
    private boolean warned;
    private FutureTask<AcceptorLog> opening;

    /** The latest incarnation of this replica in the order, as far as an earlier start of this process has seen. */
    private volatile long supersededBy = Long.MIN_VALUE;

    /**
     * @param config the ordering part of the zoo.cfg
     * @param factory the protocol that it names
     * @param executionProfile hash of the settings that execution depends on; links to replicas with another are
     *     refused
     * @param clusterId the cluster that this replica's data belongs to, 0 while it belongs to none
     * @param listenOnAllAddresses {@code quorumListenOnAllIPs}
     * @param tls where links get their TLS from, null for plain links
     * @param authentication where links get their SASL from, null for links without
     * @param secret where links get their shared secret from, null for links without
     */
    ReplicatedOrdering(
            OrderingConfig config,
            OrderingProtocolFactory factory,
            long executionProfile,
            LongSupplier clusterId,
            boolean listenOnAllAddresses,
            PeerTls tls,
            PeerAuthentication authentication,
            PeerSecret secret) {
        this.config = config;
        this.factory = factory;
        this.executionProfile = executionProfile;
        this.clusterId = clusterId;
        this.listenOnAllAddresses = listenOnAllAddresses;
        this.tls = tls;
        this.authentication = authentication;
        this.secret = secret;
    }

    /** Opens the acceptor log, all of which is read and checked. */
    @Override
    public synchronized void prepare() {
        opening = new FutureTask<>(() -> AcceptorLogs.open(
                config.orderingDirectory(),
                config.logStore(),
                config.durability(),
                AcceptorLogSettings.defaults().withRetentionBytes(config.logRetentionBytes())));
        Thread thread = new Thread(opening, "acceptor-log-" + config.replicaId());
        thread.setDaemon(true);
        thread.start();
    }

    private synchronized AcceptorLog pollLog() throws IOException {
        FutureTask<AcceptorLog> log = opening;
        opening = null;
        InvariantViolated.check(log != null, "started without having been prepared");
        try {
            return log.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(
                    "acceptor log in " + config.orderingDirectory() + " cannot be opened: " + e.getCause(),
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the acceptor log was being opened", e);
        }
    }

    @Override
    public synchronized void abandon() {
        if (opening == null) {
            return;
        }
        try {
            pollLog().close();
        } catch (IOException | IllegalStateException e) {
            LOG.warn("This replica does not start. Of its acceptor log: {}", e.getMessage());
        }
    }

    @Override
    public void startAbove(long incarnation) {
        supersededBy = Math.max(supersededBy, incarnation);
    }

    private long nextIncarnation(AcceptorLog log, Application application) {
        long inOrder = application.proposerTable().incarnationOf(config.replicaId());
        return Replica.nextIncarnation(log, Math.max(inOrder, supersededBy), ThreadScheduler.INSTANCE);
    }

    @Override
    public RunningOrder start(Application application, StateOffer stateOffer, FailureHandler failure)
            throws IOException {
        AcceptorLog log = pollLog();
        Closeable toClose = log;
        try {
            checkLogIsThere(log, application.recoveredPosition());
            discardReplaced(log);
            long incarnation = nextIncarnation(log, application);
            NettyPeerTransport transport = new NettyPeerTransport(transportSettings(incarnation));
            Replica replica = new Replica(
                    config.replicaId(),
                    incarnation,
                    config.ensemble(),
                    factory,
                    config.protocolSettings(),
                    kindOfStart(),
                    log,
                    transport,
                    application,
                    ReplicaLimits.DEFAULT,
                    failure,
                    ThreadScheduler.INSTANCE);
            toClose = replica;
            transport.answerStateRequests((peer, request) -> stateOffer.answer(peer, request, replica.promise()));
            if (hasBeenRenamed()) {
                replica.expectRefusals();
            }
            replica.start();
            warnOfStrangers(transport);
            toClose = null;
            return new Running(replica);
        } finally {
            if (toClose != null) {
                toClose.close();
            }
        }
    }

    private ProtocolContext.Start kindOfStart() throws IOException {
        if (config.durability() == Durability.MEMORY) {
            return ProtocolContext.Start.FORGETFUL;
        }
        return NewClusterRequest.read(config.orderingDirectory()) == null
                ? ProtocolContext.Start.ORDINARY
                : ProtocolContext.Start.SOLE_SURVIVOR;
    }

    private boolean hasBeenRenamed() throws IOException {
        ClusterIdentity identity = ClusterIdentity.read(config.orderingDirectory());
        return identity != null && !identity.formerClusterIds().isEmpty();
    }

    private void checkLogIsThere(AcceptorLog log, long appliedPosition) throws IOException {
        InstalledState installed = InstalledState.read(config.orderingDirectory());
        boolean isNew = installed != null && installed.newDirectory() && installed.position() == appliedPosition;
        if (config.durability() == Durability.SYNC
                && appliedPosition > 0
                && !isNew
                && !LogAtStart.remembersAStart(log)) {
            throw new IOException("dataDir holds the state of position " + appliedPosition + " but the acceptor log in "
                    + config.orderingDirectory() + " is empty, so this replica has forgotten what it promised; put the"
                    + " directory back from where it went");
        }
    }

    /**
     * What this replica had accepted up to the position of a state that came from another member need not be what was
     * decided there, and must never pass for it. Here and not at the installation, because every crash leaves the state
     * known as installed.
     */
    private void discardReplaced(AcceptorLog log) throws IOException {
        InstalledState installed = InstalledState.read(config.orderingDirectory());
        if (installed != null) {
            LogAtStart.keepPromise(log, installed.position(), installed.promise());
            log.discardThrough(installed.position());
        }
    }

    private void warnOfStrangers(NettyPeerTransport transport) {
        InetSocketAddress address = transport.localAddress();
        if (!warned
                && transport.admitsUnauthenticated()
                && !address.getAddress().isLoopbackAddress()) {
            warned = true;
            LOG.warn(
                    "Links between servers are not authenticated: whoever reaches {} can claim to be a server of the"
                            + " ensemble. Set ordering.secretFile on all servers (docs/access.md)",
                    address);
        }
    }

    private TransportSettings transportSettings(long incarnation) throws IOException {
        return TransportSettings.builder(config.replicaId(), config.protocol(), config.addresses())
                .limits(TransportLimits.DEFAULT.withSizes(
                        SizeLimits.MAX_FRAME_BYTES, SizeLimits.linkBytes(BinaryInputArchive.maxBuffer)))
                .executionProfile(executionProfile)
                .profileRule(SharedSettings.OF_LINKS)
                .incarnation(incarnation)
                .clusterId(clusterId)
                .listenOnAllAddresses(listenOnAllAddresses)
                .tls(tls)
                .authentication(authentication)
                .secret(secret)
                .diskIdentity(DiskIdentity.of(config.orderingDirectory()))
                .build();
    }

    private record Running(Replica replica) implements RunningOrder {
        @Override
        public TotalOrder totalOrder() {
            return replica;
        }

        @Override
        public StateChannel openStateChannel(int peer) throws IOException {
            return replica.openStateChannel(peer);
        }

        @Override
        public void close() {
            try {
                replica.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
