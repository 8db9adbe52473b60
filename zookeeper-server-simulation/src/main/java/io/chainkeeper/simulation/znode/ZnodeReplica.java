package io.chainkeeper.simulation.znode;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.ThreadlessReplica;
import io.chainkeeper.server.bootstrap.ThreadlessSettings;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.transport.PeerAddress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.UUID;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ClientCnxnLimitException;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.RequestRecord;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/** The server's own executor, sessions and maintenance as the application of a replica. */
public final class ZnodeReplica implements StateMachine {
    /** ZooKeeper's tick. */
    static final int TICK_TIME_MILLIS = 50;

    private static final int MIN_SESSION_TIMEOUT_MILLIS = 2 * TICK_TIME_MILLIS;
    private static final int MAX_SESSION_TIMEOUT_MILLIS = 100 * TICK_TIME_MILLIS;
    static final long PATIENCE_MILLIS = 6L * TICK_TIME_MILLIS;
    private static final int DIGEST_AUDIT_SECONDS = 1;
    private static final long FIRST_WALL_CLOCK_MILLIS = 1_700_000_000_000L;
    private static final long DIGEST_MULTIPLIER = 0xD6E8FEB86659FD93L;

    /**
     * State of a tree and what is beside it.
     *
     * @param position covered
     * @param begun what belongs to the position, null for nothing
     * @param state with a tree of this or a later position, null while it is not complete, and for nothing
     */
    record TreeCheckpoint(long position, CheckpointRequest begun, ThreadlessReplica.State state) implements Checkpoint {
        static final TreeCheckpoint NOTHING = new TreeCheckpoint(0, null, null);
    }

    private final int id;
    private final Cluster cluster;
    private final ServerConnections connections = new ServerConnections();
    private final ThreadlessReplica replica;
    private final Application application;
    private final SessionEvidence evidence;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private ReplicaHost host;
    private long position;
    private EnsembleConfig told;
    private boolean changesAnything;

    /**
     * @param id replica id
     * @param wallClockOffsetMillis by how much its wall clock is wrong
     * @param cluster where it lives
     * @param files take what is appended
     * @param checkpoint to recover from
     * @param evidence sees what is proposed about sessions
     */
    ZnodeReplica(
            int id,
            long wallClockOffsetMillis,
            Cluster cluster,
            FileTxnSnapLog files,
            TreeCheckpoint checkpoint,
            SessionEvidence evidence) {
        this.id = id;
        this.cluster = cluster;
        this.evidence = evidence;
        this.position = checkpoint.position();
        ThreadlessSettings settings = new ThreadlessSettings(
                id,
                cluster.file(id),
                TICK_TIME_MILLIS,
                MIN_SESSION_TIMEOUT_MILLIS,
                MAX_SESSION_TIMEOUT_MILLIS,
                PATIENCE_MILLIS,
                DIGEST_AUDIT_SECONDS,
                ReadConsistency.LINEARIZABLE);
        try {
            replica = new ThreadlessReplica(
                    settings, new Time(wallClockOffsetMillis), files, checkpoint.state(), this::failed);
        } catch (IOException e) {
            throw new InvariantViolated("replica " + id + " cannot recover: " + e.getMessage());
        }
        replica.server().setServerCnxnFactory(connections);
        application = replica.application();
    }

    /** Switches on what ZooKeeper has switched off by default; before the first replica is made. */
    public static void enableEverything() {
        System.setProperty("zookeeper.enforceQuota", "true");
        System.setProperty("zookeeper.extendedTypesEnabled", "true");
        QuorumPeerConfig.setReconfigEnabled(true);
    }

    private void failed(String message, Throwable cause) {
        InvariantViolated violated = new InvariantViolated("replica " + id + " stops: " + message);
        violated.initCause(cause);
        throw violated;
    }

    /** The replica's clocks, and its maintenance thread. */
    private final class Time implements ThreadlessReplica.Surroundings {
        private final long wallClockOffsetMillis;
        private long nextRunMicros;

        private Time(long wallClockOffsetMillis) {
            this.wallClockOffsetMillis = wallClockOffsetMillis;
        }

        @Override
        public long monotonicMillis() {
            return cluster.clockMicros(id) / 1000;
        }

        @Override
        public long wallClockMillis() {
            return FIRST_WALL_CLOCK_MILLIS + wallClockOffsetMillis + monotonicMillis();
        }

        @Override
        public UUID newClusterId() {
            return new UUID(id, cluster.clockMicros(id));
        }

        @Override
        public void execute(Runnable task) {
            tasks.addLast(task);
            cluster.later(
                    host,
                    cluster.delays().handOverMicros(),
                    () -> tasks.removeFirst().run());
        }

        /** A run that comes late does not move the next ones. */
        @Override
        public void everyMillis(long periodMillis, Runnable task) {
            nextRunMicros = cluster.clockMicros(id);
            planRun(periodMillis, task);
        }

        @Override
        public void afterMillis(long delayMillis, Runnable task) {
            cluster.later(host, cluster.realMicros(id, delayMillis * 1000), task);
        }

        private void planRun(long periodMillis, Runnable task) {
            long untilMicros = Math.max(0, nextRunMicros - cluster.clockMicros(id));
            cluster.later(host, cluster.realMicros(id, untilMicros), () -> {
                task.run();
                nextRunMicros += periodMillis * 1000;
                planRun(periodMillis, task);
            });
        }
    }

    /** The order, with an eye on what is proposed about sessions. */
    private record WatchedOrder(ReplicaHost order, SessionEvidence evidence) implements TotalOrder {
        @Override
        public void propose(Proposal proposal) {
            try {
                if (CommandCodec.decode(proposal.command()) instanceof Command.Expire expire) {
                    evidence.expiryProposed(order.id(), expire);
                }
            } catch (MalformedMessageException e) {
                throw new InvariantViolated("a proposed command does not decode: " + e.getMessage());
            }
            order.propose(proposal);
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            order.replica().reads();
            order.readBarrier(waiter);
        }

        @Override
        public OrderingStatus status() {
            return order.status();
        }

        @Override
        public Map<String, Long> gauges() {
            return order.gauges();
        }

        @Override
        public int streamCount() {
            return order.streamCount();
        }

        @Override
        public void checkpointTaken(long covered) {
            order.checkpointTaken(covered);
        }

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
            order.configure(ensemble, addresses);
        }
    }

    @Override
    public void started(ReplicaHost ready) {
        host = ready;
        replica.start(new WatchedOrder(host, evidence));
    }

    // ---------------------------------------------------------------- connections

    ServerConnection accept(long number, ClientLink link) throws IOException {
        return new ServerConnection(number, link, replica.server(), connections);
    }

    /** A connect request arrives. */
    void connectRequest(ServerConnection connection, ConnectRequest request) throws IOException {
        if (!isServing()) {
            throw new IOException("not serving");
        }
        try {
            replica.server().processConnectRequest(connection, request);
        } catch (ClientCnxnLimitException e) {
            throw new IOException("too many connections", e);
        }
    }

    /** A request of a connected client arrives. */
    void packet(ServerConnection connection, RequestHeader header, RequestRecord record) throws IOException {
        replica.server().processPacket(connection, header, record);
        if (connection.isOpen()) {
            evidence.heard(id, connection.getSessionId());
        }
    }

    /** Put into words only if somebody listens. */
    private record Answer(ServerConnection connection, int xid, long zxid) {
        @Override
        public String toString() {
            return "to " + connection + ", xid " + xid + ", zxid 0x" + Long.toHexString(zxid) + ", session 0x"
                    + Long.toHexString(connection.getSessionId());
        }
    }

    /** Whether clients are let in. */
    boolean isServing() {
        return replica.server().isRunning();
    }

    /** A reply leaves. */
    void answered(ServerConnection connection, int xid, long zxid) {
        host.answers(new Answer(connection, xid, zxid));
    }

    ThreadlessReplica replica() {
        return replica;
    }

    DataTree tree() {
        return replica.server().getZKDatabase().getDataTree();
    }

    // ---------------------------------------------------------------- execution

    @Override
    public long recoveredPosition() {
        return application.recoveredPosition();
    }

    @Override
    public ProposerTable proposerTable() {
        return application.proposerTable();
    }

    @Override
    public Membership recoveredMembership() {
        return application.recoveredMembership();
    }

    @Override
    public void positionBegins(long at) {
        changesAnything = false;
        application.positionBegins(at);
    }

    @Override
    public void membershipChanged(long at, Membership changed) {
        changesAnything = true;
        application.membershipChanged(at, changed);
    }

    @Override
    public void apply(long at, ProposedCommand command, Proposal own) {
        changesAnything = true;
        application.apply(at, command, own);
    }

    @Override
    public void positionApplied(long at) {
        application.positionApplied(at);
        position = at;
        tellConfiguration();
        if (replica.treeIsOfThisPosition()) {
            checkEphemerals();
        }
    }

    private void tellConfiguration() {
        EnsembleConfig configuration = replica.replicatedState().configuration();
        if (configuration != null && configuration != told) {
            told = configuration;
            evidence.configurations().executed(id, configuration);
        }
    }

    /** An ephemeral node lives no longer than its session. */
    private void checkEphemerals() {
        for (long owner : tree().getSessions()) {
            if (replica.replicatedState().sessions().get(owner) == null) {
                InvariantViolated.check(
                        tree().getEphemerals(owner).isEmpty(),
                        "replica %d: ephemerals %s outlive session 0x%x at position %d",
                        id,
                        tree().getEphemerals(owner),
                        owner,
                        position);
            }
        }
    }

    @Override
    public void batchEnd() {
        application.batchEnd();
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        application.statusChanged(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        application.memberSilent(member, silent);
    }

    @Override
    public void superseded(long incarnation) {
        throw new InvariantViolated("later starts are the simulator's business");
    }

    @Override
    public void stateNeeded(int fromPeer, long needed) {
        throw new InvariantViolated("states are the simulator's business");
    }

    // ---------------------------------------------------------------- state

    @Override
    public Membership membership() {
        return replica.replicatedState().membership();
    }

    @Override
    public long position() {
        return position;
    }

    /** An empty position leaves everything as it was; what it does not leave so is seen at the next one. */
    @Override
    public long digest() {
        return changesAnything ? stateDigest() : NO_DIGEST;
    }

    /** Digest of the tree and of what is beside it, or {@link #NO_DIGEST}. */
    long stateDigest() {
        if (!replica.treeIsOfThisPosition() || replica.replicatedState().clusterId() == null) {
            return NO_DIGEST; // before the cluster is formed each tree shows what its own server's file says
        }
        long digest = tree().getTreeDigest();
        digest = digest * DIGEST_MULTIPLIER + tree().lastProcessedZxid;
        digest = digest * DIGEST_MULTIPLIER + replica.replicatedState().encode().hashCode();
        digest = digest * DIGEST_MULTIPLIER + proposerTable().encode().hashCode();
        return digest == NO_DIGEST ? 0 : digest;
    }

    @Override
    public Checkpoint beginCheckpoint() {
        return new TreeCheckpoint(position, replica.captureCheckpoint(), null);
    }

    @Override
    public Checkpoint completeCheckpoint(Checkpoint begun) {
        CheckpointRequest request = ((TreeCheckpoint) begun).begun();
        return new TreeCheckpoint(begun.position(), request, replica.complete(request));
    }

    @Override
    public void crashed(Collection<Proposal> proposals, Collection<TotalOrder.ReadWaiter> waiters) {
        connections.all().forEach(ServerConnection::processGone);
    }
}
