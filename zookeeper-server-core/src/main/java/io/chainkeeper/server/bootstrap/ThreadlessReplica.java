package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.maintenance.Divergence;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.storage.RecoveredTransactions;
import io.chainkeeper.server.transfer.Waiting;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import io.chainkeeper.server.zookeeper.SnapshotNow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * A replica that one caller drives, for the simulator and for micro-benchmarks: the {@link ReplicaAssembly} that ships,
 * without a thread, clock, port or file of its own. The caller calls everything from one thread and says what time it
 * is.
 */
public final class ThreadlessReplica {
    private static final int QUORUM_PORT = 2888;
    private static final int ELECTION_PORT = 3888;
    private static final long NOT_SHOWN = -1;

    private final FailureHandler failureHandler;
    private final ReplicaCore core;
    private final ReplicaAssembly assembly;
    private final long recoveredZxid;

    /** What a replica otherwise has threads, clocks and chance for. */
    public interface Surroundings {
        /** @return a clock that never runs backwards */
        long monotonicMillis();

        /** @return milliseconds since 1970 */
        long wallClockMillis();

        /** @return a name for a new cluster */
        UUID newClusterId();

        /** @param task maintenance; to be run after this call has returned, in the order of these calls */
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
        if (state != null) {
            byte[] tree = state.tree().toByteArray();
            peer.database().deserializeSnapshot(BinaryInputArchive.getArchive(new ByteArrayInputStream(tree)));
            peer.database().setlastProcessedZxid(state.treeZxid());
        }
        this.recoveredZxid = peer.database().getDataTreeLastProcessedZxid();
        RecoveredReplica recovered = new RecoveredReplica(
                state == null ? 0 : state.position(),
                replicatedState(state),
                proposers(state),
                new RecoveredTransactions(files, recoveredZxid, recoveredZxid),
                configuration(settings.ensemble()));
        DiskSpaceGuard unwatched = new DiskSpaceGuard(
                List.of(), 0, settings.ensemble().participants().size());
        ReplicaRuntime runtime = new Driven(surroundings);
        this.core = new ReplicaCore(replicaSettings(settings), runtime, peer, recovered, unwatched, failureHandler);
        this.assembly = new ReplicaAssembly(core, new NoFiles(surroundings));
    }

    private static ReplicaSettings replicaSettings(ThreadlessSettings settings) {
        return new ReplicaSettings(
                settings.replicaId(),
                settings.ensemble().participants(),
                settings.reads(),
                false,
                Math.max(1, settings.tickTimeMillis() / 2),
                settings.patienceMillis(),
                settings.patienceMillis(),
                settings.digestAuditSeconds());
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
            throw new IOException("replicated state: " + e.getMessage(), e);
        }
    }

    private static ProposerTable proposers(State state) throws IOException {
        try {
            return state == null ? new ProposerTable() : ProposerTable.decode(state.proposers());
        } catch (MalformedMessageException e) {
            throw new IOException("proposer table: " + e.getMessage(), e);
        }
    }

    /** @return what executes the order; recovered, to be given to it */
    public Application application() {
        return assembly.application();
    }

    /**
     * Begins to take requests and to look after time.
     *
     * @param startedOrder the order below
     */
    public void start(TotalOrder startedOrder) {
        core.server().startWithoutThreads();
        assembly.connect(startedOrder);
        assembly.start();
    }

    /** @return the server that connections talk to */
    public OrderedZooKeeperServer server() {
        return core.server();
    }

    /** @return the replicated state beside the tree */
    public ReplicatedState replicatedState() {
        return core.recovered().state();
    }

    /** @return whether the tree is of the position executed last, and not still ahead of it after a recovery */
    public boolean treeIsOfThisPosition() {
        return replicatedState().zxid() >= recoveredZxid;
    }

    /**
     * Begins a checkpoint between two positions.
     *
     * @return what belongs to the position executed last; {@link #complete} makes a state of it, now or later
     */
    public CheckpointRequest captureCheckpoint() {
        return assembly.application().captureCheckpoint().getNow(null);
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
            core.database().serializeSnapshot(BinaryOutputArchive.getArchive(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("tree could not be serialized: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while the tree was being serialized", e);
        }
        return new State(
                begun.position(),
                begun.proposers(),
                begun.replicatedState(),
                core.database().getDataTreeLastProcessedZxid(),
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

    private record Driven(Surroundings surroundings) implements ReplicaRuntime, Background {
        @Override
        public Scheduler scheduler() {
            throw new IllegalStateException("only the maintenance of this replica works in the background");
        }

        @Override
        public Waiting waiting() {
            throw new IllegalStateException("this replica answers no other");
        }

        @Override
        public ReplicaFront front(ReplicaCore core, OrderView view) {
            throw new IllegalStateException("this replica has no ports");
        }

        @Override
        public UUID newClusterId() {
            return surroundings.newClusterId();
        }

        @Override
        public long monotonicMillis() {
            return surroundings.monotonicMillis();
        }

        @Override
        public long wallClockMillis() {
            return surroundings.wallClockMillis();
        }

        @Override
        public Background maintenance(int replicaId) {
            return this;
        }

        @Override
        public Aside aside(Consumer<Runnable> submit) {
            return Aside.AT_ONCE;
        }

        @Override
        public Consumer<Boolean> containerReaper(ZKDatabase database, RequestProcessor requests) {
            return new DrivenReaper(database, requests, surroundings)::look;
        }

        @Override
        public boolean execute(Runnable task) {
            surroundings.execute(task);
            return true;
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

    /** No file, no port, and whoever drives this replica starts it anew with another state or a later incarnation. */
    private final class NoFiles implements ReplicaEnvironment {
        private final Surroundings surroundings;

        private NoFiles(Surroundings surroundings) {
            this.surroundings = surroundings;
        }

        @Override
        public Checkpoints checkpoints() {
            return new NoCheckpoints();
        }

        @Override
        public SnapshotNow snapshots() {
            return () -> {
                throw new IOException("a replica without files takes no snapshots");
            };
        }

        @Override
        public Naming naming() {
            return new NameInOrder(surroundings::wallClockMillis, surroundings::newClusterId);
        }

        @Override
        public Divergence divergence() {
            return new Alarm();
        }

        @Override
        public ServingPolicy.WithoutOrder withoutOrder() {
            return ServingPolicy.WithoutOrder.NOBODY;
        }

        @Override
        public Path configurationFile() {
            return null;
        }

        @Override
        public long shownConfiguration() {
            return NOT_SHOWN;
        }

        @Override
        public boolean isLinked(int member) {
            return true;
        }

        @Override
        public long transferredBytes() {
            return 0;
        }

        @Override
        public void showRole(OrderingStatus status) {}

        @Override
        public void stateNeeded(int fromPeer, long position) {}

        @Override
        public void replaceState(int fromPeer, long position) {}

        @Override
        public void superseded(long incarnation) {}
    }
}
