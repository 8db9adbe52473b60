package io.chainkeeper.main;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.Release;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.DiskTurns;
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
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.jute.BinaryInputArchive;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The order in production: a protocol with its acceptor log and its links to the other members. */
final class ReplicatedOrdering implements OrderingFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedOrdering.class);

    private final OrderingConfig config;
    private final OrderStart orderStart;
    private final OrderingProtocolFactory factory;
    private final long executionProfile;
    private final LongSupplier clusterId;
    private final Supplier<FeatureLevel> featureLevel;
    private final boolean listenOnAllAddresses;
    private final PeerTls tls;
    private final PeerAuthentication authentication;
    private final PeerSecret secret;
    private final ReplicaPlatform platform;
    private final DiskTurns turns = new DiskTurns(this::holdDirectory);
    private boolean warned;
    private FutureTask<AcceptorLog> opening;

    /**
     * @param config the ordering part of the zoo.cfg
     * @param factory the protocol that it names
     * @param executionProfile hash of the settings that execution depends on; links to replicas with another are
     *     refused
     * @param clusterId the cluster that this replica's data belongs to, 0 while it belongs to none
     * @param featureLevel the feature level in force, as far as this replica's directory says
     * @param listenOnAllAddresses {@code quorumListenOnAllIPs}
     * @param tls where links get their TLS from, null for plain links
     * @param authentication where links get their SASL from, null for links without
     * @param secret where links get their shared secret from, null for links without
     * @param platform what replica and links run on
     */
    ReplicatedOrdering(
            OrderingConfig config,
            OrderingProtocolFactory factory,
            long executionProfile,
            LongSupplier clusterId,
            Supplier<FeatureLevel> featureLevel,
            boolean listenOnAllAddresses,
            PeerTls tls,
            PeerAuthentication authentication,
            PeerSecret secret,
            ReplicaPlatform platform) {
        this.config = config;
        this.orderStart = new OrderStart(config, ThreadScheduler.INSTANCE, factory.sharedDisks() != null);
        this.factory = factory;
        this.executionProfile = executionProfile;
        this.clusterId = clusterId;
        this.featureLevel = featureLevel;
        this.listenOnAllAddresses = listenOnAllAddresses;
        this.tls = tls;
        this.authentication = authentication;
        this.secret = secret;
        this.platform = platform;
    }

    private Closeable holdDirectory() throws IOException {
        // Without a log on disk nothing is locked.
        return config.durability() == Durability.MEMORY ? () -> {} : AcceptorLogs.hold(config.orderingDirectory());
    }

    /** Opens the acceptor log, all of which is read and checked. */
    @Override
    public synchronized void prepare() {
        opening = new FutureTask<>(() -> orderStart.openLog(AcceptorLogSettings.defaults()));
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
    public void awaitEnd() throws InterruptedException {
        turns.awaitNoneOpen();
    }

    @Override
    public void startAbove(long incarnation) {
        orderStart.startAbove(incarnation);
    }

    @Override
    public RunningOrder start(Application application, StateOffer stateOffer, FailureHandler failure)
            throws IOException {
        AcceptorLog log = pollLog();
        Closeable toClose = log;
        try {
            orderStart.prepare(log, application);
            long incarnation = orderStart.nextIncarnation(log, application);
            List<DiskSource> disks = turns.of(platform.disks().apply(SharedDiskStart.disks(config, factory)));
            NettyPeerTransport transport = new NettyPeerTransport(
                    transportSettings(incarnation), platform.links().get());
            Replica replica = new Replica(
                    config.replicaId(),
                    incarnation,
                    config.ensemble(),
                    factory,
                    config.protocolSettings(),
                    orderStart.kind(log, application.recoveredPosition()),
                    log,
                    disks,
                    transport,
                    application,
                    ReplicaLimits.DEFAULT,
                    failure,
                    platform.ordering());
            toClose = replica;
            transport.answerStateRequests((peer, request) -> stateOffer.answer(peer, request, replica::promise));
            if (orderStart.hasBeenRenamed()) {
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
                .featureLevels(Release.levels(), featureLevel)
                .messageKinds(factory.codec()::since)
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
