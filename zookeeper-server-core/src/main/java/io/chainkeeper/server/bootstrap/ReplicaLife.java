package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.admin.OrderedAdminServer;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.maintenance.ClusterNaming;
import io.chainkeeper.server.maintenance.Divergence;
import io.chainkeeper.server.maintenance.DivergenceGuard;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.maintenance.ReadOnlyMode;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.monitoring.Monitoring;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.monitoring.OrderingGauges;
import io.chainkeeper.server.monitoring.RoleView;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.SnapshotWriter;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.SnapshotSender;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import io.chainkeeper.server.zookeeper.SnapshotNow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
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

    private final PassiveQuorumPeer peer;
    private final QuorumPeerConfig config;
    private final OrderingConfig ordering;
    private final FailureHandler failureHandler;
    private final LoggedFiles files;
    private final Recovery recovery;
    private final ThreadedRuntime runtime;
    private final DiskSpaceGuard space;
    private final ReplicaCore core;
    private final OrderedZooKeeperServer server;
    private final CheckpointSchedule snapshots;
    private final DivergenceGuard divergence;
    private final ClusterNaming naming;
    private final StateTransfers transfers;
    private final OrderView view;
    private final Monitoring monitoring;
    private final ReplicaAssembly assembly;
    private final NewStart newStart;
    private volatile OrderingFactory.RunningOrder runningOrder;

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
        CheckpointStore checkpoints = new CheckpointStore(PreparedFiles.checkpointDirectory(ordering));
        this.recovery = Recovery.recover(files, peer.database(), checkpoints, identity(), ordering.replicaId());
        this.runtime = new ThreadedRuntime(ordering.replicaId());
        this.space = diskSpaceGuard();
        this.core = new ReplicaCore(settings(), runtime, peer, recovered(), space, failureHandler);
        this.server = core.server();
        this.snapshots = snapshots(checkpoints);
        this.divergence = new DivergenceGuard(server, ordering.orderingDirectory(), this::replaceState);
        this.naming = new ClusterNaming(ordering.orderingDirectory(), ordering.replicaId(), ordering.protocol());
        this.view = orderView();
        this.monitoring = new Monitoring(server, new RoleView(peer), view);
        this.transfers = transfers();
        this.assembly = new ReplicaAssembly(core, new Environment());
    }

    private ReplicaSettings settings() {
        int tickMillis = peer.getTickTime();
        return new ReplicaSettings(
                ordering.replicaId(),
                List.copyOf(ordering.members().keySet()),
                ordering.reads(),
                config.areLocalSessionsEnabled(),
                Math.min(LONGEST_PERIOD_MILLIS, Math.max(1, tickMillis / 2)),
                Math.min(LONGEST_PATIENCE_MILLIS, (long) peer.getSyncLimit() * tickMillis),
                (long) peer.getInitLimit() * tickMillis,
                ordering.safeguards().digestAuditSeconds());
    }

    private RecoveredReplica recovered() throws IOException {
        return new RecoveredReplica(
                recovery.position(), recovery.state(), recovery.proposers(), recovery.transactions(), configuration());
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
                List.of(files.snapshotDirectory(), files.logDirectory(), ordering.orderingDirectory()),
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

    private long transferredBytes() {
        TotalOrder started = core.order();
        return started == null ? 0 : started.gauges().getOrDefault(TRANSFER_GAUGE, 0L);
    }

    private CheckpointSchedule snapshots(CheckpointStore checkpoints) {
        OrderedDatabase database = peer.database();
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
                return assembly.application().position();
            }

            @Override
            public void take() throws IOException {
                snapshotNow();
            }
        };
        return new StateTransfers(ordering, files, server::hasDiverged, taken, newStart::stateFetched, failureHandler);
    }

    private void replaceState(int fromPeer) {
        transfers.replaceState(fromPeer);
    }

    private OrderView orderView() {
        List<Integer> members = List.copyOf(ordering.members().keySet());
        return new OrderView(
                ordering.replicaId(), members, core::order, recovery.state()::membership, runtime::monotonicMillis);
    }

    private void open(OrderingFactory factory) throws IOException {
        naming.prepare();
        divergence.checkAtStart();
        server.startup();
        peer.activate(server);
        runningOrder = factory.start(assembly.application(), transfers.offer(), failureHandler);
        transfers.connect(runningOrder);
        assembly.connect(runningOrder.totalOrder());
        space.start(ordering.replicaId());
        monitoring.start(runningOrder.totalOrder(), further());
        peer.openClientPorts();
        assembly.start();
    }

    /** Once, after {@link #start}. */
    void startAdminServer() {
        monitoring.startAdminServer(OrderedAdminServer.create(
                server,
                view,
                core.proposer(),
                space::isLow,
                assembly.clientPort()::problem,
                further(),
                runtime::monotonicMillis));
    }

    private Map<String, LongSupplier> further() {
        return OrderingGauges.merged(List.of(
                divergence.gauges(),
                space.gauges(),
                ReplyMemory.OF_PROCESS.gauges(),
                transfers.gauges(),
                assembly.clientPort().gauges(),
                newStart.gauges()));
    }

    private Path snapshotNow() throws IOException {
        CheckpointRequest request;
        try {
            request = assembly.application().captureCheckpoint().get(LONGEST_POSITION_SECONDS, TimeUnit.SECONDS);
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
        assembly.maintenance().close();
        runtime.close();
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
            long position = assembly.application().wholePosition();
            StopMarker.forceAndWrite(
                    ordering.orderingDirectory(), files.logDirectory(), recovery.forcedZxid(), position);
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
            return ReplicaLife.this::snapshotNow;
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
            return ReadOnlyMode.ifEnabled(peer, server, core.lock(), monitoring::showServer);
        }

        @Override
        public Path configurationFile() {
            return config.getConfigFilename() == null ? null : Path.of(config.getConfigFilename());
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
            monitoring.tick(status);
        }

        @Override
        public void stateNeeded(int fromPeer, long position) {
            transfers.stateNeeded(fromPeer, position);
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
