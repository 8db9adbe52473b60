package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.admin.MemberReport;
import io.chainkeeper.server.admin.OrderedAdminServer;
import io.chainkeeper.server.background.BackgroundWork;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.guard.HeapGuard;
import io.chainkeeper.server.guard.OrderSpaceGuard;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.guard.TransactionSize;
import io.chainkeeper.server.guard.WatchLimit;
import io.chainkeeper.server.maintenance.ClusterNaming;
import io.chainkeeper.server.maintenance.Departure;
import io.chainkeeper.server.maintenance.Divergence;
import io.chainkeeper.server.maintenance.DivergenceGuard;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.monitoring.OrderingGauges;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.SlowForces;
import io.chainkeeper.server.storage.SnapshotWriter;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.SnapshotSender;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import io.chainkeeper.server.zookeeper.SnapshotNow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts of a replica together, and takes them apart in the reverse order. Used by the peer's thread. */
final class ReplicaLife implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLife.class);
    private static final int LONGEST_PERIOD_MILLIS = 500;
    private static final String TRANSFER_GAUGE = "state_transfer_bytes";
    /**
     * A replica that has lost the order lets its clients go before the others give their sessions away, so that a
     * session's last timeout begins only when its client can look for another server.
     */
    private static final long LONGEST_PATIENCE_MILLIS = 3_000;

    private final PassiveQuorumPeer peer;
    private final LifeSettings settings;
    private final OrderingConfig ordering;
    private final FailureHandler failureHandler;
    private final LoggedFiles files;
    private final Recovery recovery;
    private final ReplicaRuntime runtime;
    private final ResourceGuards guards;
    private final ReplicaCore core;
    private final OrderedZooKeeperServer server;
    private final CheckpointSchedule snapshots;
    private final DivergenceGuard divergence;
    private final ClusterNaming naming;
    private final StateTransfers transfers;
    private final RequestedSnapshots requested;
    private final OrderView view;
    private final ReplicaFront front;
    private final ReplicaAssembly assembly;
    private final MemberReport report;
    private final Departure departure;
    private final NewStart newStart;
    private volatile OrderingFactory.RunningOrder runningOrder;

    private ReplicaLife(
            PassiveQuorumPeer peer,
            LoggedFiles files,
            LifeSettings settings,
            OrderingConfig ordering,
            ReplicaRuntime runtime,
            FailureHandler failureHandler,
            NewStart newStart)
            throws IOException {
        this.peer = peer;
        this.settings = settings;
        this.runtime = runtime;
        this.ordering = ordering;
        this.failureHandler = failureHandler;
        this.newStart = newStart;
        this.files = files;
        CheckpointStore checkpoints = new CheckpointStore(PreparedFiles.checkpointDirectory(ordering));
        ClusterIdentity identity = requireOwn(ordering, settings.levels());
        this.recovery = Recovery.recover(files, peer.database(), checkpoints, identity, ordering.replicaId());
        ClusterNaming.endCarriedOut(
                ordering.orderingDirectory(), recovery.state().clusterId());
        this.guards = guards();
        this.core = new ReplicaCore(replicaSettings(), runtime, peer, recovered(), guards, failureHandler);
        this.server = core.server();
        this.snapshots = snapshots(checkpoints);
        this.divergence = new DivergenceGuard(server, ordering.orderingDirectory(), this::replaceState);
        this.naming = new ClusterNaming(
                ordering.orderingDirectory(),
                ordering.replicaId(),
                ordering.protocol(),
                runtime::wallClockMillis,
                runtime::newClusterId,
                newStart::wentOnAlone);
        this.view = orderView();
        this.front = runtime.front(core, view);
        this.departure = new Departure(server, core::order, view);
        this.transfers = transfers();
        this.requested = new RequestedSnapshots(
                this::application,
                snapshots,
                runtime.waiting(),
                transfers::wantedCheckpointTaken,
                new BackgroundWork(runtime.scheduler(), "wanted-snapshot-" + ordering.replicaId()));
        this.assembly = new ReplicaAssembly(core, new Environment());
        this.report = new MemberReport(server, view, assembly.clientPort()::problem, further());
    }

    private ReplicaSettings replicaSettings() {
        int tickMillis = peer.getTickTime();
        return new ReplicaSettings(
                ordering.replicaId(),
                ordering.orderingDirectory(),
                List.copyOf(ordering.members().keySet()),
                ordering.reads(),
                settings.localSessionsEnabled(),
                Math.min(LONGEST_PERIOD_MILLIS, Math.max(1, tickMillis / 2)),
                Math.min(LONGEST_PATIENCE_MILLIS, (long) peer.getSyncLimit() * tickMillis),
                (long) peer.getInitLimit() * tickMillis,
                ordering.safeguards().digestAuditSeconds(),
                settings.levels(),
                ordering.featureRaising(),
                ordering.tracing());
    }

    private RecoveredReplica recovered() throws IOException {
        return new RecoveredReplica(
                recovery.position(),
                recovery.state(),
                recovery.proposers(),
                recovery.transactions(),
                settings.configuration());
    }

    /**
     * Brings back a replica on a peer that has loaded its files.
     *
     * @param files that it has loaded
     * @param settings what it lives with
     * @param ordering who it is and what it promises
     * @param runtime what it runs on
     * @param failureHandler told when it cannot go on
     * @param newStart asked for when this replica has to begin anew
     * @throws IOException if files cannot be used
     */
    static ReplicaLife recover(
            PassiveQuorumPeer peer,
            LoggedFiles files,
            LifeSettings settings,
            OrderingConfig ordering,
            ReplicaRuntime runtime,
            FailureHandler failureHandler,
            NewStart newStart)
            throws IOException {
        return new ReplicaLife(peer, files, settings, ordering, runtime, failureHandler, newStart);
    }

    /**
     * Starts the order, then lets everybody in. Called once; if it fails, this replica is closed.
     *
     * @param factory starts the order
     * @throws IOException if files or ports cannot be used
     */
    void open(OrderingFactory factory) throws IOException {
        try {
            start(factory);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    ReplicatedState replicatedState() {
        return recovery.state();
    }

    int requestQueues() {
        return core.router().queueCount();
    }

    OrderedApplication application() {
        return assembly.application();
    }

    OrderedZooKeeperServer server() {
        return server;
    }

    /** Before a {@link #close} that is meant. */
    Departure departure() {
        return departure;
    }

    OrderView view() {
        return view;
    }

    /** See {@link io.chainkeeper.server.proposal.Proposer#afterAllProposed}. */
    CompletableFuture<Void> afterAllProposed() {
        return core.proposer().afterAllProposed();
    }

    /**
     * Whose data a directory holds, if this server may use it. Nothing is changed.
     *
     * @param ordering names the server and the directory
     * @param levels the feature levels that the server knows
     * @return null for a directory that has no identity yet
     * @throws IOException if it is another server's, or of a feature level that this one does not know; says so
     */
    static ClusterIdentity requireOwn(OrderingConfig ordering, FeatureRange levels) throws IOException {
        ClusterIdentity found = ClusterIdentity.read(ordering.orderingDirectory());
        if (found == null) {
            return null;
        }
        if (found.replicaId() != ordering.replicaId()) {
            throw new IOException(ordering.orderingDirectory() + " holds the data of replica " + found.replicaId()
                    + ", but myid is " + ordering.replicaId() + "; correct myid or the directories");
        }
        String refusal = found.level().refusal(levels, Release.name());
        if (refusal != null) {
            throw new IOException(ordering.orderingDirectory().resolve(ClusterIdentity.FILE_NAME) + ": " + refusal);
        }
        return found;
    }

    private ResourceGuards guards() throws IOException {
        AtomicFile.createDirectories(ordering.orderingDirectory());
        OrderedDatabase database = peer.database();
        return new ResourceGuards(
                new DiskSpaceGuard(
                        List.of(files.snapshotDirectory(), files.logDirectory(), ordering.orderingDirectory()),
                        ordering.safeguards().diskReserveBytes(),
                        ordering.members().size()),
                new HeapGuard(ordering.safeguards().heapReservePercent(), database.size()),
                new WatchLimit(
                        ordering.safeguards().maxWatches(),
                        () -> database.getDataTree().getWatchCount(),
                        runtime.scheduler()::nanoTime),
                new OrderSpaceGuard(this::orderGauges),
                new TransactionSize(recovery.state()::agreedTransactionBytes));
    }

    private Map<String, Long> orderGauges() {
        TotalOrder started = core.order();
        return started == null ? Map.of() : started.gauges();
    }

    private long transferredBytes() {
        return orderGauges().getOrDefault(TRANSFER_GAUGE, 0L);
    }

    private CheckpointSchedule snapshots(CheckpointStore checkpoints) {
        OrderedDatabase database = peer.database();
        SnapshotWriter writer = new SnapshotWriter(
                files,
                database,
                checkpoints,
                new SnapshotWriter.Retention(
                        settings.snapshotsKept(), settings.purges(), recovery.transactions()::areVerified),
                position -> transfers.checkpointTaken(position),
                guards.disk()::refusalOfFile,
                runtime.scheduler()::nanoTime,
                recovery.forcedZxid());
        return new CheckpointSchedule(
                database,
                files::appendedBytes,
                writer,
                failureHandler,
                recovery.state().zxid(),
                settings.intervals(),
                runtime.scheduler(),
                ordering.replicaId());
    }

    private StateTransfers transfers() throws IOException {
        SnapshotSender.Snapshots taken = new SnapshotSender.Snapshots() {
            @Override
            public long executedPosition() {
                return assembly.application().position();
            }

            @Override
            public UUID clusterId() {
                return naming.clusterId();
            }

            @Override
            public CompletableFuture<?> take() {
                return snapshot();
            }
        };
        return new StateTransfers(
                ordering,
                files,
                server::hasDiverged,
                taken,
                newStart::stateFetched,
                failureHandler,
                runtime,
                settings.transfers());
    }

    private void replaceState(int fromPeer) {
        transfers.replaceState(fromPeer);
    }

    private OrderView orderView() {
        List<Integer> members = List.copyOf(ordering.members().keySet());
        return new OrderView(
                ordering.replicaId(), members, core::order, recovery.state()::membership, runtime::monotonicMillis);
    }

    private void start(OrderingFactory factory) throws IOException {
        naming.prepare(recovery.state().features().level());
        divergence.checkAtStart();
        front.startServer();
        runningOrder = factory.start(assembly.application(), report.answeredBeside(transfers.offer()), failureHandler);
        transfers.connect(runningOrder);
        assembly.connect(runningOrder.totalOrder());
        guards.start(new BackgroundWork(runtime.scheduler(), "space-watch-" + ordering.replicaId()));
        front.orderStarted(runningOrder.totalOrder(), further());
        front.openClientPorts();
        assembly.start();
    }

    /** Once, after {@link #open}. */
    void startAdminServer() {
        front.startAdminServer(() -> OrderedAdminServer.create(
                server,
                view,
                report,
                transfers::openChannel,
                core.lock(),
                core.proposer(),
                guards,
                core.watch(),
                runtime::monotonicMillis));
    }

    private Map<String, LongSupplier> further() {
        return OrderingGauges.merged(List.of(
                divergence.gauges(),
                departure.gauges(),
                guards.gauges(),
                OrderedDatabase.gauges(peer.database().getDataTree()),
                ReplyMemory.OF_PROCESS.gauges(),
                SlowForces.OF_PROCESS.gauges(),
                core.watch().gauges(),
                core.timeAhead().gauges(),
                transfers.gauges(),
                assembly.clientPort().gauges(),
                assembly.levels().gauges(),
                newStart.gauges()));
    }

    /** See {@link RequestedSnapshots#take}. */
    CompletableFuture<Path> snapshot() {
        return requested.take();
    }

    @Override
    public void close() {
        // Whatever was on its way to let clients in may come behind this, and the order may take long to end.
        server.drain();
        server.setServing(false);
        assembly.maintenance().close();
        runtime.close();
        transfers.endFetching();
        if (runningOrder != null) {
            runningOrder.close();
        }
        requested.close();
        snapshots.close();
        guards.close();
        transfers.endSending();
        front.close();
        closeQuietly();
        server.shutdown(true);
        // One whose order did not start, because its acceptor log is damaged, leaves its files as they were.
        if (runningOrder != null) {
            long position = assembly.application().wholePosition();
            StopMarker.forceAndWrite(ordering.orderingDirectory(), files, recovery.forcedZxid(), position);
        }
    }

    private void closeQuietly() {
        try {
            recovery.transactions().close();
        } catch (IOException e) {
            LOG.warn("While stopping: {}", e.getMessage(), e);
        }
    }

    /** This server's files, ports and links. */
    private final class Environment implements ReplicaEnvironment {
        @Override
        public Checkpoints checkpoints() {
            return snapshots;
        }

        @Override
        public SnapshotNow snapshots() {
            return requested::takeNow;
        }

        @Override
        public Naming naming() {
            return naming;
        }

        @Override
        public Divergence divergence() {
            return divergence;
        }

        @Override
        public ServingPolicy.WithoutOrder withoutOrder() {
            return front.withoutOrder();
        }

        @Override
        public Path configurationFile() {
            return settings.configurationFile();
        }

        @Override
        public long shownConfiguration() {
            return core.recovered().ownConfiguration().version();
        }

        @Override
        public boolean isLinked(int member) {
            return view.linkedPeers().contains(member);
        }

        @Override
        public long transferredBytes() {
            return ReplicaLife.this.transferredBytes();
        }

        @Override
        public void showRole(OrderingStatus status) {
            front.showRole(status);
            core.timeAhead().look();
        }

        @Override
        public void memberStarted(int member) {
            transfers.memberStarted(member);
        }

        @Override
        public void stateNeeded(int fromPeer, long position) {
            transfers.stateNeeded(fromPeer, position);
        }

        @Override
        public void checkpointWanted() {
            requested.want();
        }

        @Override
        public void replaceState(int fromPeer, long position) {
            transfers.replaceState(fromPeer, position);
        }

        @Override
        public void superseded(long incarnation) {
            newStart.superseded(incarnation);
        }
    }
}
