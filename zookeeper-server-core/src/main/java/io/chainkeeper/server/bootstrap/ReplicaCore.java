package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.monitoring.TimeAhead;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.request.RequestRouter;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ExecutionProfile;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.server.FinalRequestProcessor;

/** The parts of a replica that both its {@link ReplicaEnvironment} and its {@link ReplicaAssembly} are built upon. */
final class ReplicaCore {
    private final ReplicaSettings settings;
    private final ReplicaRuntime runtime;
    private final PassiveQuorumPeer peer;
    private final RecoveredReplica recovered;
    private final FailureHandler failureHandler;
    private final EffectiveEnsemble ensemble;
    private final OrderedZooKeeperServer server;
    private final long executionProfile;
    private final FinalRequestProcessor finalProcessor;
    private final Proposer proposer;
    private final ExecutionLock lock = new ExecutionLock();
    private final OwnedSessions owned;
    private final TimeAhead timeAhead;
    private final RequestWatch watch;
    private final RequestRouter router;
    private final AtomicReference<TotalOrder> order = new AtomicReference<>();

    /**
     * @param settings who this replica is
     * @param runtime its clocks and threads
     * @param peer ZooKeeper's peer, whose database has loaded its tree
     * @param recovered what it begins with
     * @param guards refuse what there is no room for
     * @param failureHandler told when this replica must stop
     * @throws IOException if the cluster was formed with other settings or is of a feature level that this replica does
     *     not know; names them
     */
    ReplicaCore(
            ReplicaSettings settings,
            ReplicaRuntime runtime,
            PassiveQuorumPeer peer,
            RecoveredReplica recovered,
            ResourceGuards guards,
            FailureHandler failureHandler)
            throws IOException {
        this.settings = settings;
        this.runtime = runtime;
        this.peer = peer;
        this.recovered = recovered;
        this.failureHandler = failureHandler;
        this.ensemble = configuredEnsemble();
        this.server = new OrderedZooKeeperServer(peer, peer.database(), failureHandler);
        this.executionProfile = ExecutionProfile.of(peer.isReconfigEnabled());
        ExecutionProfile.requireSame(recovered.state(), executionProfile);
        requireKnown(recovered.state().features().level(), settings.levels());
        this.finalProcessor = new FinalRequestProcessor(server);
        this.proposer = new Proposer(runtime::wallClockMillis);
        this.owned = new OwnedSessions(runtime::monotonicMillis);
        this.timeAhead = new TimeAhead(recovered.state()::agreedTimeMillis, runtime::wallClockMillis);
        this.watch = runtime.requestWatch(
                settings.tracing(), () -> server.getZKDatabase().getDataTreeLastProcessedZxid(), order::get);
        this.router = new RequestRouter(
                server, finalProcessor, lock, settings.reads(), proposer, guards, recovered.state(), watch);
    }

    private static void requireKnown(FeatureLevel level, FeatureRange levels) throws IOException {
        String refusal = level.refusal(levels, Release.name());
        if (refusal != null) {
            throw new IOException("the state in this server's directories is that of a cluster of which " + refusal);
        }
    }

    private EffectiveEnsemble configuredEnsemble() throws IOException {
        EnsembleConfig own = recovered.ownConfiguration();
        EnsembleConfig newest = peer.database().recoverConfiguration(own, recovered.state(), peer.isReconfigEnabled());
        boolean fileIsNewest = newest.version() <= own.version();
        return new EffectiveEnsemble(
                settings.replicaId(),
                fileIsNewest ? own : newest,
                fileIsNewest,
                recovered.state(),
                settings.orderingDirectory());
    }

    /** This replica's view of the order; LOOKING before there is one. Any thread. */
    OrderingStatus status() {
        TotalOrder started = order.get();
        return started == null ? new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0) : started.status();
    }

    /** The order below; null before it has been started. Any thread. */
    TotalOrder order() {
        return order.get();
    }

    void connect(TotalOrder started) {
        order.set(started);
        proposer.connect(started);
        ensemble.connect(started);
    }

    ReplicaSettings settings() {
        return settings;
    }

    ReplicaRuntime runtime() {
        return runtime;
    }

    PassiveQuorumPeer peer() {
        return peer;
    }

    OrderedDatabase database() {
        return peer.database();
    }

    RecoveredReplica recovered() {
        return recovered;
    }

    FailureHandler failureHandler() {
        return failureHandler;
    }

    EffectiveEnsemble ensemble() {
        return ensemble;
    }

    OrderedZooKeeperServer server() {
        return server;
    }

    long executionProfile() {
        return executionProfile;
    }

    FinalRequestProcessor finalProcessor() {
        return finalProcessor;
    }

    Proposer proposer() {
        return proposer;
    }

    ExecutionLock lock() {
        return lock;
    }

    OwnedSessions owned() {
        return owned;
    }

    /** By how much the agreed time is ahead of this replica's clock. */
    TimeAhead timeAhead() {
        return timeAhead;
    }

    /** What is noted of the way of single requests. */
    RequestWatch watch() {
        return watch;
    }

    RequestRouter router() {
        return router;
    }
}
