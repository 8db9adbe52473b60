package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.execution.CommandExecutor;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.maintenance.AuditTasks;
import io.chainkeeper.server.maintenance.Background;
import io.chainkeeper.server.maintenance.ClientTasks;
import io.chainkeeper.server.maintenance.ClusterFormation;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.maintenance.DigestAuditor;
import io.chainkeeper.server.maintenance.Divergence;
import io.chainkeeper.server.maintenance.EnsembleTasks;
import io.chainkeeper.server.maintenance.MaintenanceSchedule;
import io.chainkeeper.server.maintenance.MaintenanceTasks;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.maintenance.Self;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.maintenance.StateReplacement;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.ClientPort;
import io.chainkeeper.server.reconfig.ConfigurationView;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
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
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.storage.RecoveredTransactions;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.FinalRequestProcessor;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * The parts of a replica that execute the order and look after sessions, put together as {@link ReplicaLife} does, but
 * without a thread, clock, port or file of their own: whoever drives it calls everything from one thread and says what
 * time it is. For simulation.
 */
public final class ThreadlessReplica {
    private static final int QUORUM_PORT = 2888;
    private static final int ELECTION_PORT = 3888;
    private static final long NOT_SHOWN = -1;

    private final FailureHandler failureHandler;
    private final OrderedZooKeeperServer server;
    private final ReplicatedState replicated;
    private final Proposer proposer;
    private final MaintenanceTasks maintenance;
    private final OrderedApplication application;
    private final EffectiveEnsemble ensemble;
    private final long recoveredZxid;
    private TotalOrder order;

    /** What a replica otherwise has threads, clocks and chance for. */
    public interface Surroundings {
        /** @return a clock that never runs backwards */
        long monotonicMillis();

        /** @return milliseconds since 1970 */
        long wallClockMillis();

        /** @return a name for a new cluster */
        UUID newClusterId();

        /** @param task housekeeping; to be run after this call has returned, in the order of these calls */
        void execute(Runnable task);

        /**
         * Called once, by {@link ThreadlessReplica#start}.
         *
         * @param periodMillis between two runs
         * @param task to be run again and again
         */
        void everyMillis(long periodMillis, Runnable task);

        /**
         * @param delayMillis how long to wait
         * @param task to be run once after that
         */
        void afterMillis(long delayMillis, Runnable task);
    }

    /**
     * The state of a replica. The tree may be that of a later position than the rest, as a fuzzy snapshot's is.
     *
     * @param position executed
     * @param proposers see {@link ProposerTable#encode}
     * @param replicatedState see {@link ReplicatedState#encode}
     * @param treeZxid last transaction that the tree holds
     * @param tree ZooKeeper's serialized tree and session timeouts
     */
    public record State(long position, ByteSlice proposers, ByteSlice replicatedState, long treeZxid, ByteSlice tree) {}

    /**
     * Recovers a replica.
     *
     * @param settings who it is
     * @param surroundings its time
     * @param files given to ZooKeeper's classes, which append to them and commit; nothing is read from them
     * @param state to continue from, null for none
     * @param failureHandler told when this replica must stop
     * @throws IOException if the state does not decode
     */
    public ThreadlessReplica(
            ThreadlessSettings settings,
            Surroundings surroundings,
            FileTxnSnapLog files,
            State state,
            FailureHandler failureHandler)
            throws IOException {
        this.failureHandler = failureHandler;
        PassiveQuorumPeer peer = peer(settings, files);
        OrderedDatabase database = peer.database();
        if (state != null) {
            byte[] tree = state.tree().toByteArray();
            database.deserializeSnapshot(BinaryInputArchive.getArchive(new ByteArrayInputStream(tree)));
            database.setlastProcessedZxid(state.treeZxid());
        }
        this.recoveredZxid = database.getDataTreeLastProcessedZxid();
        this.replicated = replicatedState(state);
        this.ensemble = ensemble(settings, database, peer.isReconfigEnabled());
        this.server = new OrderedZooKeeperServer(peer, database, failureHandler);
        this.proposer = new Proposer(surroundings::wallClockMillis);
        FinalRequestProcessor finalProcessor = new FinalRequestProcessor(server);
        ExecutionLock lock = new ExecutionLock();
        DiskSpaceGuard unwatched = new DiskSpaceGuard(
                List.of(), 0, settings.ensemble().participants().size());
        RequestRouter router =
                new RequestRouter(server, finalProcessor, lock, settings.reads(), proposer, unwatched, replicated);
        database.getDataTree().addDigestWatcher(this::digestMismatch);
        OwnedSessions owned = new OwnedSessions(surroundings::monotonicMillis);
        long executionProfile = ExecutionProfile.of(peer.isReconfigEnabled());
        DrivenReaper reaper = new DrivenReaper(database, router, surroundings);
        this.maintenance = maintenance(settings, surroundings, owned, executionProfile, reaper);
        CommandExecutor executor = new CommandExecutor(
                settings.replicaId(),
                executionProfile,
                server,
                finalProcessor,
                replicated,
                owned,
                new RecoveredTransactions(files, recoveredZxid, recoveredZxid),
                settings.ensemble().participants(),
                maintenance);
        this.application = new OrderedApplication(
                server,
                executor,
                lock,
                owned,
                proposers(state),
                state == null ? 0 : state.position(),
                new NoCheckpoints(),
                maintenance::statusChanged,
                maintenance::memberSilent,
                (fromPeer, position) -> {}, // whoever drives this replica starts it anew with another state
                incarnation -> {}); // or as a later incarnation
        database.onConnectionClosed(router::closed);
        router.onReconfig(asked -> maintenance.reconfig(asked, Aside.AT_ONCE));
        SessionIds ids = replicated.sessionIds(settings.replicaId(), surroundings.wallClockMillis());
        connect(new ReplicatedSessionTracker(replicated.sessions(), owned, ids, database, false), router, executor);
    }

    private void connect(ReplicatedSessionTracker tracker, RequestRouter router, CommandExecutor executor) {
        server.connect(tracker, router, proposer, executor.requests(), () -> {
            throw new IOException("a replica without files takes no snapshots");
        });
        server.setZxid(recoveredZxid);
    }

    private static PassiveQuorumPeer peer(ThreadlessSettings settings, FileTxnSnapLog files) throws IOException {
        PassiveQuorumPeer peer = PassiveQuorumPeer.create(running -> {}, failure -> {}, files);
        peer.setMyid(settings.replicaId());
        peer.setTickTime(settings.tickTimeMillis());
        peer.setMinSessionTimeout(settings.minSessionTimeoutMillis());
        peer.setMaxSessionTimeout(settings.maxSessionTimeoutMillis());
        peer.setZKDatabase(null);
        return peer;
    }

    private EffectiveEnsemble ensemble(ThreadlessSettings settings, OrderedDatabase database, boolean reconfigEnabled) {
        EnsembleConfig own = configuration(settings.ensemble());
        EnsembleConfig recovered = database.recoverConfiguration(own, replicated, reconfigEnabled);
        boolean fileIsNewest = recovered.version() <= own.version();
        return new EffectiveEnsemble(settings.replicaId(), fileIsNewest ? own : recovered, fileIsNewest, replicated);
    }

    /**
     * What stands in the configuration of a replica before any {@code reconfig}. Nothing listens at these addresses:
     * the order is linked by whoever drives the replicas.
     *
     * @param ensemble who takes part
     * @return their configuration, version 0
     */
    public static EnsembleConfig configuration(Ensemble ensemble) {
        SortedMap<Integer, EnsembleConfig.Server> servers = new TreeMap<>();
        ensemble.participants().forEach(id -> servers.put(id, server(id, false)));
        ensemble.observers().forEach(id -> servers.put(id, server(id, true)));
        return new EnsembleConfig(0, servers);
    }

    private static EnsembleConfig.Server server(int id, boolean observer) {
        return new EnsembleConfig.Server("127.0.0." + id, QUORUM_PORT, ELECTION_PORT, observer, null, 0);
    }

    private static ReplicatedState replicatedState(State state) throws IOException {
        try {
            return state == null ? ReplicatedState.initial(0) : ReplicatedState.decode(state.replicatedState());
        } catch (MalformedMessageException e) {
            throw new IOException("side state: " + e.getMessage(), e);
        }
    }

    private static ProposerTable proposers(State state) throws IOException {
        try {
            return state == null ? new ProposerTable() : ProposerTable.decode(state.proposers());
        } catch (MalformedMessageException e) {
            throw new IOException("proposer table: " + e.getMessage(), e);
        }
    }

    private MaintenanceTasks maintenance(
            ThreadlessSettings settings,
            Surroundings surroundings,
            OwnedSessions owned,
            long executionProfile,
            DrivenReaper reaper) {
        Self self = new Self(settings.replicaId(), settings.ensemble().participants(), executionProfile);
        DigestAuditor auditor = new DigestAuditor(
                server, replicated, proposer, surroundings::monotonicMillis, settings.digestAuditSeconds());
        Naming naming = new NameInOrder(surroundings::wallClockMillis, surroundings::newClusterId);
        return new MaintenanceTasks(
                new MaintenanceSchedule(
                        new Driven(surroundings), Math.max(1, settings.tickTimeMillis() / 2), failureHandler),
                server,
                () -> order.status(),
                status -> {},
                new ClusterFormation(self, server, replicated, proposer, ensemble, naming),
                ensembleTasks(settings, surroundings),
                clientTasks(settings, surroundings, owned, reaper),
                new AuditTasks(auditor, new Alarm()),
                new StateReplacement(self, (from, position) -> {})); // as above: all that are driven begin empty
    }

    private EnsembleTasks ensembleTasks(ThreadlessSettings settings, Surroundings surroundings) {
        ConfigurationView view = new ConfigurationView(server.self, null, NOT_SHOWN, ensemble);
        ClientPort clientPort = new ClientPort(() -> null, () -> 0, Aside.AT_ONCE);
        Reconfigurer reconfigurer = new Reconfigurer(
                replicated,
                new ReconfigPlanner(server, replicated, () -> order.status(), id -> true, settings.replicaId()),
                proposer,
                surroundings::monotonicMillis,
                surroundings::wallClockMillis,
                settings.patienceMillis(),
                () -> 0);
        return new EnsembleTasks(ensemble, () -> view.show(clientPort, Aside.AT_ONCE), reconfigurer);
    }

    private ClientTasks clientTasks(
            ThreadlessSettings settings, Surroundings surroundings, OwnedSessions owned, DrivenReaper reaper) {
        SessionKeeper keeper = new SessionKeeper(
                replicated.sessions(),
                owned,
                surroundings::monotonicMillis,
                proposer::wallClockMillis,
                settings.replicaId(),
                settings.minSessionTimeoutMillis() / 4,
                proposer::stuckMillis,
                expire -> proposer.propose(expire.sessionId(), expire));
        ServingPolicy serving = new ServingPolicy(
                server,
                proposer,
                surroundings::monotonicMillis,
                settings.patienceMillis(),
                ServingPolicy.WithoutOrder.NOBODY);
        return new ClientTasks(server, serving, keeper, reaper::look);
    }

    private void digestMismatch(long zxid) {
        failureHandler.failed(
                "the tree at zxid 0x" + Long.toHexString(zxid) + " is not what its transactions say", null);
    }

    /** @return what executes the order; recovered, to be given to it */
    public Application application() {
        return application;
    }

    /**
     * Begins to take requests and to look after time.
     *
     * @param startedOrder the order below
     */
    public void start(TotalOrder startedOrder) {
        order = startedOrder;
        server.observe(startedOrder::status);
        server.startWithoutThreads();
        proposer.connect(startedOrder);
        ensemble.connect(startedOrder);
        maintenance.start();
    }

    /** @return the server that connections talk to */
    public OrderedZooKeeperServer server() {
        return server;
    }

    /** @return the replicated state beside the tree */
    public ReplicatedState replicatedState() {
        return replicated;
    }

    /** @return whether the tree is of the position executed last, and not still ahead of it after a recovery */
    public boolean treeIsOfThisPosition() {
        return replicated.zxid() >= recoveredZxid;
    }

    /**
     * Begins a checkpoint between two positions.
     *
     * @return what belongs to the position executed last; {@link #complete} makes a state of it, now or later
     */
    public CheckpointRequest captureCheckpoint() {
        return application.captureCheckpoint().getNow(null);
    }

    /**
     * Adds the tree as it is now.
     *
     * @param begun captured now or earlier
     * @return a state to recover from
     */
    public State complete(CheckpointRequest begun) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            server.getZKDatabase().serializeSnapshot(BinaryOutputArchive.getArchive(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("tree could not be serialized: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while the tree was being serialized", e);
        }
        return new State(
                begun.position(),
                begun.proposers(),
                begun.replicatedState(),
                server.getZKDatabase().getDataTreeLastProcessedZxid(),
                ByteSlice.of(bytes.toByteArray()));
    }

    /** Checkpoints are taken by whoever drives the replica. */
    private static final class NoCheckpoints implements Checkpoints {
        @Override
        public Due due(long zxid) {
            return Due.NOTHING;
        }

        @Override
        public void start(Due what, CheckpointRequest request) {
            throw new IllegalStateException("a checkpoint that never is due was started");
        }
    }

    /** Deletes containers and nodes whose time has passed as {@link ContainerReaper} does, by the given clock. */
    private static final class DrivenReaper extends ContainerManager {
        private static final int NO_LIMIT_PER_MINUTE = Integer.MAX_VALUE;

        private final Surroundings surroundings;

        private DrivenReaper(ZKDatabase database, RequestProcessor proposer, Surroundings surroundings) {
            super(database, proposer, 0, NO_LIMIT_PER_MINUTE, 0);
            this.surroundings = surroundings;
        }

        private void look(boolean active) {
            if (active) {
                try {
                    checkContainers();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted while containers were looked at", e);
                }
            }
        }

        @Override
        protected long getMinIntervalMs() {
            return 0;
        }

        @Override
        protected long getElapsed(DataNode node) {
            return surroundings.wallClockMillis() - node.stat.getMtime();
        }
    }

    /** Replicas that are driven are equal, so any difference is an error of the program. */
    private final class Alarm implements Divergence {
        @Override
        public void judged(AuditVerdict verdict) {
            if (verdict.ownStateDiffers() || !verdict.differing().isEmpty()) {
                failureHandler.failed("the states of the replicas differ: " + verdict, null);
            }
        }

        @Override
        public void tick() {
            // There is no other state to be fetched.
        }
    }

    private record Driven(Surroundings surroundings) implements Background {
        @Override
        public void execute(Runnable task) {
            surroundings.execute(task);
        }

        @Override
        public void everyMillis(long periodMillis, Runnable task) {
            surroundings.everyMillis(periodMillis, task);
        }

        @Override
        public void afterMillis(long delayMillis, Runnable task) {
            surroundings.afterMillis(delayMillis, task);
        }

        @Override
        public void close() {
            // A replica that nobody drives any more has ended.
        }
    }
}
