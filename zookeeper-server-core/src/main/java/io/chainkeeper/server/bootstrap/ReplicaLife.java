package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.admin.OrderedAdminServer;
import io.chainkeeper.server.execution.CommandExecutor;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.maintenance.AuditTasks;
import io.chainkeeper.server.maintenance.ClientTasks;
import io.chainkeeper.server.maintenance.ClusterFormation;
import io.chainkeeper.server.maintenance.ClusterNaming;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.maintenance.DigestAuditor;
import io.chainkeeper.server.maintenance.DivergenceGuard;
import io.chainkeeper.server.maintenance.EnsembleTasks;
import io.chainkeeper.server.maintenance.MaintenanceSchedule;
import io.chainkeeper.server.maintenance.MaintenanceTasks;
import io.chainkeeper.server.maintenance.MaintenanceThread;
import io.chainkeeper.server.maintenance.ReadOnlyMode;
import io.chainkeeper.server.maintenance.Self;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.maintenance.StateReplacement;
import io.chainkeeper.server.monitoring.Monitoring;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.monitoring.OrderingGauges;
import io.chainkeeper.server.monitoring.RoleView;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.reconfig.ClientPort;
import io.chainkeeper.server.reconfig.ConfigurationView;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.reconfig.NameLookUps;
import io.chainkeeper.server.reconfig.ReconfigPlanner;
import io.chainkeeper.server.reconfig.Reconfigurer;
import io.chainkeeper.server.request.RequestRouter;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.session.SessionIds;
import io.chainkeeper.server.session.SessionKeeper;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ExecutionProfile;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.SnapshotWriter;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.SnapshotSender;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.FinalRequestProcessor;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts of a replica together, and takes them apart in the reverse order. Used by the peer's thread. */
final class ReplicaLife implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLife.class);
    private static final int LONGEST_PERIOD_MILLIS = 500;
    private static final int LEAST_SNAPSHOTS_KEPT = 3;
    private static final int LONGEST_POSITION_SECONDS = 60;
    private static final String TRANSFER_GAUGE = "state_transfer_bytes";
    /**
     * A replica that has lost the order lets its clients go before the others give their sessions away, so that a
     * session's last timeout begins only when its client can look for another server.
     */
    private static final long LONGEST_PATIENCE_MILLIS = 3_000;

    private static final LongSupplier CLOCK_MILLIS = () -> System.nanoTime() / 1_000_000;

    private final PassiveQuorumPeer peer;
    private final QuorumPeerConfig config;
    private final OrderingConfig ordering;
    private final FailureHandler failureHandler;
    private final LoggedFiles files;
    private final OrderedZooKeeperServer server;
    private final Recovery recovery;
    private final Proposer proposer = new Proposer(System::currentTimeMillis);
    private final ExecutionLock lock = new ExecutionLock();
    private final OwnedSessions owned = new OwnedSessions(CLOCK_MILLIS);
    private final AtomicReference<TotalOrder> order = new AtomicReference<>();
    private final long executionProfile;
    private final CheckpointSchedule snapshots;
    private final FinalRequestProcessor finalProcessor;
    private final DiskSpaceGuard space;
    private final RequestRouter router;
    private final DivergenceGuard divergence;
    private final ClusterNaming naming;
    private final EnsembleConfig ownConfiguration;
    private final EffectiveEnsemble ensemble;
    private final MaintenanceTasks maintenance;
    private final OrderedApplication application;
    private final StateTransfers transfers;
    private final NameLookUps nameLookUps;
    private final ClientPort clientPort;
    private volatile OrderingFactory.RunningOrder runningOrder;
    private final OrderView view;
    private final Monitoring monitoring;
    private final NewStart newStart;

    private ReplicaLife(
            PassiveQuorumPeer peer,
            LoggedFiles files,
            QuorumPeerConfig config,
            OrderingConfig ordering,
            FailureHandler failureHandler,
            NewStart newStart)
            throws IOException {
        this.peer = peer;
        this.config = config;
        this.ordering = ordering;
        this.failureHandler = failureHandler;
        this.newStart = newStart;
        this.files = files;
        OrderedDatabase database = peer.database();
        CheckpointStore checkpoints = new CheckpointStore(PreparedFiles.checkpointDirectory(ordering));
        this.recovery = Recovery.recover(files, database, checkpoints, identity(), ordering.replicaId());
        this.ownConfiguration = configuration();
        this.ensemble = ensemble(database);
        this.server = new OrderedZooKeeperServer(peer, database, failureHandler);
        this.executionProfile = ExecutionProfile.of(peer.isReconfigEnabled());
        ExecutionProfile.requireSame(recovery.state(), executionProfile);
        this.finalProcessor = new FinalRequestProcessor(server);
        this.space = diskSpaceGuard();
        this.router =
                new RequestRouter(server, finalProcessor, lock, ordering.reads(), proposer, space, recovery.state());
        this.snapshots = snapshots(database, checkpoints);
        this.divergence = new DivergenceGuard(server, ordering.orderingDirectory(), this::replaceState);
        this.naming = new ClusterNaming(ordering.orderingDirectory(), ordering.replicaId(), ordering.protocol());
        this.view = orderView();
        this.monitoring = new Monitoring(server, new RoleView(peer), view);
        this.maintenance = maintenance();
        CommandExecutor executor = new CommandExecutor(
                ordering.replicaId(),
                executionProfile,
                server,
                finalProcessor,
                recovery.state(),
                owned,
                recovery.transactions(),
                List.copyOf(ordering.members().keySet()),
                maintenance);
        this.application = new OrderedApplication(
                server,
                executor,
                lock,
                owned,
                recovery.proposers(),
                recovery.position(),
                snapshots,
                maintenance::statusChanged,
                maintenance::memberSilent,
                this::stateNeeded,
                newStart::superseded);
        this.transfers = transfers();
        this.nameLookUps = new NameLookUps(ordering.replicaId(), maintenance::submit);
        this.clientPort = new ClientPort(server::getServerCnxnFactory, CLOCK_MILLIS, nameLookUps);
        connect(database, executor);
    }

    /**
     * Starts a replica on a peer that has loaded its files and opened its client port.
     *
     * @param files that it has loaded
     * @param newStart asked for when this replica has to begin anew
     * @throws IOException if files or ports cannot be used
     */
    static ReplicaLife start(
            PassiveQuorumPeer peer,
            LoggedFiles files,
            QuorumPeerConfig config,
            OrderingConfig ordering,
            OrderingFactory factory,
            FailureHandler failureHandler,
            NewStart newStart)
            throws IOException {
        ReplicaLife life = new ReplicaLife(peer, files, config, ordering, failureHandler, newStart);
        try {
            life.open(factory);
            return life;
        } catch (IOException | RuntimeException e) {
            life.close();
            throw e;
        }
    }

    ReplicatedState replicatedState() {
        return recovery.state();
    }

    OrderedZooKeeperServer server() {
        return server;
    }

    OrderView view() {
        return view;
    }

    private ClusterIdentity identity() throws IOException {
        ClusterIdentity found = ClusterIdentity.read(ordering.orderingDirectory());
        if (found != null && found.replicaId() != ordering.replicaId()) {
            throw new IOException(ordering.orderingDirectory() + " holds the data of replica " + found.replicaId()
                    + ", but myid is " + ordering.replicaId() + "; correct myid or the directories");
        }
        return found;
    }

    private DiskSpaceGuard diskSpaceGuard() throws IOException {
        Files.createDirectories(ordering.orderingDirectory());
        return new DiskSpaceGuard(
                List.of(files.getSnapDir().toPath(), files.getDataLogDir().toPath(), ordering.orderingDirectory()),
                ordering.safeguards().diskReserveBytes(),
                ordering.members().size());
    }

    private EnsembleConfig configuration() throws IOException {
        try {
            return EnsembleConfig.of(peer.getQuorumVerifier());
        } catch (IllegalArgumentException e) {
            throw new IOException("server list: " + e.getMessage(), e);
        }
    }

    private EffectiveEnsemble ensemble(OrderedDatabase database) {
        EnsembleConfig recovered =
                database.recoverConfiguration(ownConfiguration, recovery.state(), peer.isReconfigEnabled());
        boolean fileIsNewest = recovered.version() <= ownConfiguration.version();
        return new EffectiveEnsemble(
                ordering.replicaId(), fileIsNewest ? ownConfiguration : recovered, fileIsNewest, recovery.state());
    }

    private Reconfigurer reconfigurer() {
        return new Reconfigurer(
                recovery.state(),
                new ReconfigPlanner(
                        server,
                        recovery.state(),
                        this::status,
                        id -> view.linkedPeers().contains(id),
                        ordering.replicaId()),
                proposer,
                CLOCK_MILLIS,
                System::currentTimeMillis,
                (long) peer.getInitLimit() * peer.getTickTime(),
                this::transferredBytes);
    }

    private long transferredBytes() {
        TotalOrder started = order.get();
        return started == null ? 0 : started.gauges().getOrDefault(TRANSFER_GAUGE, 0L);
    }

    private CheckpointSchedule snapshots(OrderedDatabase database, CheckpointStore checkpoints) {
        SnapshotWriter writer = new SnapshotWriter(
                files,
                database,
                checkpoints,
                Math.max(LEAST_SNAPSHOTS_KEPT, config.getSnapRetainCount()),
                config.getPurgeInterval() > 0,
                position -> transfers.checkpointTaken(position),
                space::refusalOfFile,
                recovery.forcedZxid());
        return new CheckpointSchedule(
                database,
                files::appendedBytes,
                writer,
                failureHandler,
                recovery.state().zxid(),
                ordering.checkpointBytes(),
                ordering.replicaId());
    }

    private StateTransfers transfers() throws IOException {
        SnapshotSender.Snapshots taken = new SnapshotSender.Snapshots() {
            @Override
            public long executedPosition() {
                return application.position();
            }

            @Override
            public void take() throws IOException {
                snapshotNow();
            }
        };
        return new StateTransfers(ordering, files, server::hasDiverged, taken, newStart::stateFetched, failureHandler);
    }

    /** Ordering loop: no member's log holds what this replica needs next. */
    private void stateNeeded(int fromPeer, long position) {
        transfers.stateNeeded(fromPeer, position);
    }

    private void replaceState(int fromPeer) {
        transfers.replaceState(fromPeer);
    }

    private OrderingStatus status() {
        TotalOrder started = order.get();
        return started == null ? new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0) : started.status();
    }

    private OrderView orderView() {
        List<Integer> members = List.copyOf(ordering.members().keySet());
        return new OrderView(ordering.replicaId(), members, order::get, recovery.state()::membership, CLOCK_MILLIS);
    }

    private MaintenanceTasks maintenance() {
        Self self =
                new Self(ordering.replicaId(), List.copyOf(ordering.members().keySet()), executionProfile);
        long period = Math.min(LONGEST_PERIOD_MILLIS, Math.max(1, peer.getTickTime() / 2));
        DigestAuditor auditor = new DigestAuditor(
                server,
                recovery.state(),
                proposer,
                CLOCK_MILLIS,
                ordering.safeguards().digestAuditSeconds());
        return new MaintenanceTasks(
                new MaintenanceSchedule(new MaintenanceThread(ordering.replicaId()), period, failureHandler),
                server,
                this::status,
                monitoring::tick,
                new ClusterFormation(self, server, recovery.state(), proposer, ensemble, naming),
                new EnsembleTasks(ensemble, configurationView(), reconfigurer()),
                clientTasks(),
                new AuditTasks(auditor, divergence),
                new StateReplacement(self, (fromPeer, position) -> transfers.replaceState(fromPeer, position)));
    }

    private ClientTasks clientTasks() {
        SessionKeeper keeper = new SessionKeeper(
                recovery.state().sessions(),
                owned,
                CLOCK_MILLIS,
                proposer::wallClockMillis,
                ordering.replicaId(),
                server.getMinSessionTimeout() / 4,
                proposer::stuckMillis,
                expire -> proposer.propose(expire.sessionId(), expire));
        long patienceMillis = Math.min(LONGEST_PATIENCE_MILLIS, (long) peer.getSyncLimit() * peer.getTickTime());
        ServingPolicy.WithoutOrder withoutOrder = ReadOnlyMode.ifEnabled(peer, server, lock, monitoring::showServer);
        ServingPolicy serving = new ServingPolicy(server, proposer, CLOCK_MILLIS, patienceMillis, withoutOrder);
        return new ClientTasks(server, serving, keeper, new ContainerReaper(peer.database(), router)::setActive);
    }

    private Runnable configurationView() {
        ConfigurationView view = new ConfigurationView(
                peer,
                config.getConfigFilename() == null ? null : Path.of(config.getConfigFilename()),
                ownConfiguration.version(),
                ensemble);
        return () -> view.show(clientPort, nameLookUps);
    }

    private void connect(OrderedDatabase database, CommandExecutor executor) {
        database.getDataTree().addDigestWatcher(this::digestMismatch);
        database.onConnectionClosed(router::closed);
        router.onReconfig(asked -> maintenance.reconfig(asked, nameLookUps));
        SessionIds ids = recovery.state().sessionIds(ordering.replicaId(), System.currentTimeMillis());
        server.connect(
                new ReplicatedSessionTracker(
                        recovery.state().sessions(), owned, ids, database, config.areLocalSessionsEnabled()),
                router,
                proposer,
                executor.requests(),
                this::snapshotNow);
        server.observe(this::status);
        server.setZxid(database.getDataTreeLastProcessedZxid());
    }

    private void open(OrderingFactory factory) throws IOException {
        naming.prepare();
        divergence.checkAtStart();
        server.startup();
        peer.activate(server);
        runningOrder = factory.start(application, transfers.offer(), failureHandler);
        transfers.connect(runningOrder);
        order.set(runningOrder.totalOrder());
        proposer.connect(runningOrder.totalOrder());
        ensemble.connect(runningOrder.totalOrder());
        space.start(ordering.replicaId());
        monitoring.start(runningOrder.totalOrder(), further());
        peer.openClientPorts();
        maintenance.start();
    }

    /** Once, after {@link #start}. */
    void startAdminServer() {
        monitoring.startAdminServer(OrderedAdminServer.create(
                server, view, proposer, space::isLow, clientPort::problem, further(), CLOCK_MILLIS));
    }

    private Map<String, LongSupplier> further() {
        return OrderingGauges.merged(List.of(
                divergence.gauges(),
                space.gauges(),
                ReplyMemory.OF_PROCESS.gauges(),
                transfers.gauges(),
                clientPort.gauges(),
                newStart.gauges()));
    }

    private void digestMismatch(long zxid) {
        failureHandler.failed(
                "the tree of this replica at zxid 0x" + Long.toHexString(zxid)
                        + " is not what its transaction log says;"
                        + " replace this replica's data directories by those of a healthy member",
                null);
    }

    private File snapshotNow() throws IOException {
        CheckpointRequest request;
        try {
            request = application.captureCheckpoint().get(LONGEST_POSITION_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted before the position that is being executed had ended", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the position that is being executed did not end: " + e, e);
        }
        if (request == null) {
            throw new IOException("the replica fetches its state; ask again");
        }
        return snapshots.takeNow(request);
    }

    @Override
    public void close() {
        server.setServing(false);
        maintenance.close();
        nameLookUps.close();
        transfers.endFetching();
        if (runningOrder != null) {
            runningOrder.close();
        }
        snapshots.close();
        space.close();
        transfers.endSending();
        monitoring.close();
        closeQuietly();
        server.shutdown(true);
        // One whose order did not start, because its acceptor log is damaged, leaves its files as they were.
        if (runningOrder != null) {
            long position = application.wholePosition();
            StopMarker.forceAndWrite(
                    ordering.orderingDirectory(), files.getDataLogDir(), recovery.forcedZxid(), position);
        }
    }

    private void closeQuietly() {
        try {
            recovery.transactions().close();
        } catch (IOException e) {
            LOG.warn("While stopping: {}", e.getMessage(), e);
        }
    }
}
