package io.chainkeeper.server;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.execution.CommandExecutor;
import io.chainkeeper.server.execution.ExecutionLock;
import io.chainkeeper.server.execution.ExecutionProfile;
import io.chainkeeper.server.request.Proposer;
import io.chainkeeper.server.request.RequestGate;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.session.SessionIds;
import io.chainkeeper.server.session.SessionKeeper;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.SnapshotSchedule;
import io.chainkeeper.server.storage.SnapshotWriter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.FinalRequestProcessor;
import org.apache.zookeeper.server.admin.AdminServer;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.admin.AdminServerFactory;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the parts of a replica together, and takes them apart in the reverse order. Used by the peer's thread. */
final class ReplicaLife implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLife.class);
    private static final String CHECKPOINT_DIRECTORY = "checkpoints";
    private static final int LONGEST_PERIOD_MILLIS = 500;
    private static final int LEAST_SNAPSHOTS_KEPT = 3;
    private static final LongSupplier CLOCK_MILLIS = () -> System.nanoTime() / 1_000_000;

    private final PassiveQuorumPeer peer;
    private final QuorumPeerConfig config;
    private final OrderingConfig ordering;
    private final FailureHandler failureHandler;
    private final FileTxnSnapLog files;
    private final OrderedZooKeeperServer server;
    private final Recovery recovery;
    private final Proposer proposer = new Proposer(System::currentTimeMillis);
    private final ExecutionLock lock = new ExecutionLock();
    private final OwnedSessions owned = new OwnedSessions(CLOCK_MILLIS);
    private final AtomicReference<TotalOrder> order = new AtomicReference<>();
    private final long executionProfile;
    private final SnapshotSchedule snapshots;
    private final FinalRequestProcessor finalProcessor;
    private final RequestGate gate;
    private final Housekeeping housekeeping;
    private final OrderedApplication application;
    private OrderingFactory.RunningOrder runningOrder;
    private AdminServer adminServer;
    private OrderingGauges gauges;

    private ReplicaLife(
            PassiveQuorumPeer peer, QuorumPeerConfig config, OrderingConfig ordering, FailureHandler failureHandler)
            throws IOException {
        this.peer = peer;
        this.config = config;
        this.ordering = ordering;
        this.failureHandler = failureHandler;
        this.files = peer.getTxnFactory();
        if (config.areLocalSessionsEnabled()) {
            throw new IOException("localSessionsEnabled is not supported: remove it from the configuration, all"
                    + " sessions are known to every replica");
        }
        OrderedDatabase database = peer.database();
        database.initConfigInZKDatabase(peer.getQuorumVerifier());
        CheckpointStore checkpoints = new CheckpointStore(checkpointDirectory(ordering));
        this.recovery = Recovery.recover(files, database, checkpoints, identity());
        this.server = new OrderedZooKeeperServer(peer, database, failureHandler);
        this.executionProfile = ExecutionProfile.hash(ExecutionProfile.settings(peer.isReconfigEnabled()));
        if (recovery.side().clusterId() != null && recovery.side().executionProfile() != executionProfile) {
            // Before anything is executed: with other settings the tree would silently become another one.
            throw new IOException(ExecutionProfile.mismatchMessage());
        }
        this.finalProcessor = new FinalRequestProcessor(server);
        this.gate = new RequestGate(server, finalProcessor, lock, ordering.reads(), proposer);
        this.snapshots = snapshots(database, checkpoints);
        database.getDataTree().addDigestWatcher(this::digestMismatch);
        this.housekeeping = housekeeping();
        CommandExecutor executor = new CommandExecutor(
                ordering.replicaId(),
                executionProfile,
                server,
                finalProcessor,
                recovery.side(),
                owned,
                recovery.transactions(),
                housekeeping);
        this.application = new OrderedApplication(
                server,
                executor,
                lock,
                owned,
                recovery.proposers(),
                recovery.position(),
                scheduled(snapshots),
                housekeeping::statusChanged,
                housekeeping::memberSilent);
        connect(database, executor);
    }

    /** Cuts torn files; before ZooKeeper loads them. */
    static void repairFiles(QuorumPeerConfig config, OrderingConfig ordering) throws IOException {
        FileTxnSnapLog files = new FileTxnSnapLog(config.getDataLogDir(), config.getDataDir());
        Recovery.repair(files, new CheckpointStore(checkpointDirectory(ordering)));
    }

    private static Path checkpointDirectory(OrderingConfig ordering) {
        return ordering.orderingDirectory().resolve(CHECKPOINT_DIRECTORY);
    }

    /**
     * Starts a replica on a peer that has loaded its files and opened its client port.
     *
     * @throws IOException if files or ports cannot be used
     */
    static ReplicaLife start(
            PassiveQuorumPeer peer,
            QuorumPeerConfig config,
            OrderingConfig ordering,
            OrderingFactory factory,
            FailureHandler failureHandler)
            throws IOException {
        ReplicaLife life = new ReplicaLife(peer, config, ordering, failureHandler);
        try {
            life.open(factory);
            return life;
        } catch (IOException | RuntimeException e) {
            life.close();
            throw e;
        }
    }

    OrderedZooKeeperServer server() {
        return server;
    }

    private ClusterIdentity identity() throws IOException {
        ClusterIdentity found = ClusterIdentity.read(ordering.orderingDirectory());
        if (found != null && found.replicaId() != ordering.replicaId()) {
            throw new IOException(ordering.orderingDirectory() + " holds the data of replica " + found.replicaId()
                    + ", but myid is " + ordering.replicaId() + "; correct myid or the directories");
        }
        return found;
    }

    private SnapshotSchedule snapshots(OrderedDatabase database, CheckpointStore checkpoints) {
        SnapshotWriter writer = new SnapshotWriter(
                files,
                database,
                checkpoints,
                Math.max(LEAST_SNAPSHOTS_KEPT, config.getSnapRetainCount()),
                config.getPurgeInterval() > 0,
                this::checkpointTaken,
                recovery.forcedZxid());
        return new SnapshotSchedule(
                database, writer, failureHandler, recovery.side().zxid(), ordering.replicaId());
    }

    private static OrderedApplication.Snapshots scheduled(SnapshotSchedule schedule) {
        return new OrderedApplication.Snapshots() {
            @Override
            public boolean due(long zxid) {
                return schedule.due(zxid);
            }

            @Override
            public void start(CheckpointRequest request) {
                schedule.start(request);
            }
        };
    }

    private void checkpointTaken(long position) {
        TotalOrder started = order.get();
        // A snapshot taken while the log is still replayed is not reported; the next one is, with its own position.
        if (started != null) {
            started.checkpointTaken(position);
        }
    }

    private OrderingStatus status() {
        TotalOrder started = order.get();
        return started == null ? new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0) : started.status();
    }

    private Housekeeping housekeeping() {
        long period = Math.min(LONGEST_PERIOD_MILLIS, Math.max(1, peer.getTickTime() / 2));
        SessionKeeper keeper = new SessionKeeper(
                recovery.side().sessions(),
                owned,
                CLOCK_MILLIS,
                proposer::wallClockMillis,
                ordering.replicaId(),
                server.getMinSessionTimeout() / 4,
                expire -> proposer.propose(expire.sessionId(), expire));
        Serving serving = new Serving(server, proposer, CLOCK_MILLIS, (long) peer.getSyncLimit() * peer.getTickTime());
        return new Housekeeping(
                new Housekeeping.Parts(
                        server,
                        recovery.side(),
                        proposer,
                        this::status,
                        keeper,
                        serving,
                        new RoleView(peer)::show,
                        new ContainerReaper(peer.database(), gate)::setActive,
                        new DigestAuditor(peer.database().getDataTree(), proposer, CLOCK_MILLIS),
                        List.copyOf(ordering.members().keySet()),
                        executionProfile,
                        period,
                        UUID::randomUUID,
                        this::clusterNamed),
                failureHandler,
                new HousekeepingThread(ordering.replicaId()));
    }

    private void connect(OrderedDatabase database, CommandExecutor executor) {
        database.onConnectionClosed(gate::closed);
        long sessionBase = Math.max(System.currentTimeMillis(), recovery.side().agreedTimeMillis());
        SessionIds ids = new SessionIds(
                ordering.replicaId(), sessionBase, recovery.side().sessions());
        server.connect(
                new ReplicatedSessionTracker(recovery.side().sessions(), owned, ids, database),
                gate,
                proposer,
                executor::quotaRefused,
                this::snapshotNow);
        server.observe(this::status);
        server.setZxid(database.getDataTreeLastProcessedZxid());
    }

    private void open(OrderingFactory factory) throws IOException {
        Files.createDirectories(ordering.orderingDirectory());
        if (ClusterIdentity.read(ordering.orderingDirectory()) == null) {
            new ClusterIdentity(ordering.replicaId(), null).write(ordering.orderingDirectory());
        }
        server.startup();
        peer.activate(server);
        runningOrder = factory.start(application, failureHandler);
        order.set(runningOrder.totalOrder());
        proposer.connect(runningOrder.totalOrder());
        gauges = OrderingGauges.register(runningOrder.totalOrder());
        startAdminServer();
        housekeeping.start();
    }

    private void startAdminServer() throws IOException {
        adminServer = AdminServerFactory.createAdminServer();
        adminServer.setZooKeeperServer(server);
        try {
            adminServer.start();
        } catch (AdminServerException e) {
            // As ZooKeeper does: a replica without its AdminServer still serves clients.
            LOG.warn("AdminServer could not be started: {}", e.getMessage(), e);
        }
    }

    /** Executor thread: the order names the cluster that this directory belongs to. */
    private void clusterNamed(UUID clusterId) {
        try {
            ClusterIdentity known = ClusterIdentity.read(ordering.orderingDirectory());
            if (known != null && known.clusterId() != null && !known.clusterId().equals(clusterId)) {
                throw new IllegalStateException(ordering.orderingDirectory() + " belongs to cluster "
                        + known.clusterId() + ", but the other members form cluster " + clusterId);
            }
            new ClusterIdentity(ordering.replicaId(), clusterId).write(ordering.orderingDirectory());
            LOG.info("This replica belongs to cluster {}", clusterId);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "identity in " + ordering.orderingDirectory() + " could not be written: " + e.getMessage(), e);
        }
    }

    private void digestMismatch(long zxid) {
        failureHandler.failed(
                "the tree of this replica at zxid 0x" + Long.toHexString(zxid)
                        + " is not what its transaction log says;"
                        + " replace this replica's data directories by those of a healthy member",
                null);
    }

    private File snapshotNow() throws IOException {
        CheckpointRequest request = application.captureCheckpoint();
        if (request == null) {
            throw new IOException("the replica is in the middle of a batch; ask again");
        }
        return snapshots.takeNow(request);
    }

    @Override
    public void close() {
        server.setServing(false);
        housekeeping.close();
        if (runningOrder != null) {
            runningOrder.close();
        }
        snapshots.close();
        if (gauges != null) {
            gauges.unregister();
        }
        closeQuietly();
        server.shutdown(true);
    }

    private void closeQuietly() {
        try {
            recovery.transactions().close();
            if (adminServer != null) {
                adminServer.shutdown();
            }
        } catch (IOException | AdminServerException e) {
            LOG.warn("While stopping: {}", e.getMessage(), e);
        }
    }
}
