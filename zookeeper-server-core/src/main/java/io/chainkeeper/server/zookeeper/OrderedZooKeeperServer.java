package io.chainkeeper.server.zookeeper;

import io.chainkeeper.command.AccessRules;
import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.connection.ClientConnections;
import io.chainkeeper.server.connection.OrderedServerStats;
import io.chainkeeper.server.guard.ClientRights;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.state.EnsembleConfig;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.QuotaExceededException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ClientCnxnLimitException;
import org.apache.zookeeper.server.DataTree.ProcessTxnResult;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestRecord;
import org.apache.zookeeper.server.RequestThrottler;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ServerStats;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServerBean;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider.MatchValues;
import org.apache.zookeeper.server.quorum.BufferStats;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumZooKeeperServer;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;
import org.apache.zookeeper.txn.CreateSessionTxn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper's server with its request pipeline replaced: requests enter through {@link RequestEntry} and come back from
 * the order to the apply thread. Lives as long as the process; whether clients are let in is a matter of {@link
 * #setServing}.
 */
public final class OrderedZooKeeperServer extends QuorumZooKeeperServer {
    private static final Logger LOG = LoggerFactory.getLogger(OrderedZooKeeperServer.class);
    private static final String DIVERGED = "diverged";
    private static final String LEADER = "leader";
    private static final String FOLLOWER = "follower";
    private static final String OBSERVER = "observer";
    private static final String SERVER_STATE = "server_state";

    private final OrderedServerStats stats = new OrderedServerStats(this);
    private final FailureHandler failureHandler;
    private volatile Supplier<OrderingStatus> status;
    private final Object servingLock = new Object();
    private volatile boolean serving;
    private volatile boolean diverged;
    private volatile boolean draining;
    private volatile boolean throttlerUsed;
    private RequestEntry entry;
    private Proposer proposer;
    private SnapshotNow snapshots;
    private ExecutionInProgress execution;
    private final BufferStats proposalSizes = new BufferStats();
    private ServerMonitoring monitoring;

    /**
     * @param peer has the settings and the configuration
     * @param database the recovered tree
     * @param failureHandler told when a critical thread of ZooKeeper's fails
     */
    public OrderedZooKeeperServer(QuorumPeer peer, ZKDatabase database, FailureHandler failureHandler) {
        super(
                peer.getTxnFactory(),
                peer.getTickTime(),
                peer.getMinSessionTimeout(),
                peer.getMaxSessionTimeout(),
                peer.getClientPortListenBacklog(),
                database,
                peer);
        this.failureHandler = failureHandler;
        this.status = () -> new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);
    }

    /** Wires the parts that need this object themselves; called once, before {@link #startup()}. */
    public void connect(
            ReplicatedSessionTracker tracker,
            RequestEntry requestEntry,
            Proposer orderProposer,
            ExecutionInProgress inProgress,
            SnapshotNow snapshotNow) {
        sessionTracker = tracker;
        entry = requestEntry;
        proposer = orderProposer;
        execution = inProgress;
        snapshots = snapshotNow;
    }

    /** Takes requests from now on, as after {@link #startup()}, without any of ZooKeeper's threads or monitoring. */
    public void startWithoutThreads() {
        startSessionTracker();
        setupRequestProcessors();
        setState(State.RUNNING);
    }

    /** @param orderingStatus this replica's view of the order, from now on; any thread asks it */
    public void observe(Supplier<OrderingStatus> orderingStatus) {
        status = orderingStatus;
    }

    /**
     * Has this server shown in metrics and JMX; before {@link #startup()}.
     *
     * @param serverMonitoring told when they are to be registered
     */
    public void monitor(ServerMonitoring serverMonitoring) {
        monitoring = serverMonitoring;
        stats.appendWhenLeading(() -> "Proposal sizes last/min/max: " + proposalSizes, proposalSizes::reset);
    }

    /** @return sizes of the commands executed, as ZooKeeper's leader shows those of its proposals */
    public BufferStats proposalSizes() {
        return proposalSizes;
    }

    @Override
    protected void setupRequestProcessors() {
        firstProcessor = entry;
    }

    @Override
    protected void createSessionTracker() {
        // Set by connect(), because it works on replicated state that recovery brings back.
    }

    /** @return whether clients may use this replica at the moment */
    public boolean isServing() {
        return serving;
    }

    /**
     * Lets clients in, or closes all their connections. Does not let them in after {@link #diverge} or {@link #drain}.
     * Safe for use by any thread.
     *
     * @param open whether clients may use this replica
     */
    public void setServing(boolean open) {
        synchronized (servingLock) {
            serving = open && !diverged && !draining;
        }
        if (!open) {
            ClientConnections.closeAll(getServerCnxnFactory());
            ClientConnections.closeAll(getSecureServerCnxnFactory());
            proposer.reconsider();
        }
    }

    /** No new clients from now on: this replica stops. Those that are there stay until they are let go. Any thread. */
    public void drain() {
        draining = true;
    }

    /** @return whether {@link #drain} has been called */
    public boolean isDraining() {
        return draining;
    }

    /** This replica's state is wrong: no client is served any more, but monitoring still gets its answers. */
    public void diverge() {
        synchronized (servingLock) {
            diverged = true;
        }
        setServing(false);
    }

    /** @return whether {@link #diverge} has been called */
    public boolean hasDiverged() {
        return diverged;
    }

    /** Closes this replica's connection of a session that it may no longer serve. */
    public void closeConnectionOf(long sessionId) {
        for (ServerCnxnFactory factory :
                new ServerCnxnFactory[] {getServerCnxnFactory(), getSecureServerCnxnFactory()}) {
            if (factory != null) {
                factory.closeSession(sessionId, DisconnectReason.CLIENT_RECONNECT);
            }
        }
    }

    /** Connections and four-letter words ask this before they let a client in. */
    @Override
    public boolean isRunning() {
        return (serving || diverged) && super.isRunning();
    }

    @Override
    public void processConnectRequest(ServerCnxn connection, ConnectRequest request)
            throws IOException, ClientCnxnLimitException {
        if (diverged) {
            throw new ServerCnxn.CloseRequestException(
                    "this replica's state differs from that of the majority", DisconnectReason.SERVER_SHUTDOWN);
        }
        if (draining) {
            throw new ServerCnxn.CloseRequestException(
                    "this replica is going to stop", DisconnectReason.SERVER_SHUTDOWN);
        }
        long sessionId = request.getSessionId();
        if (sessionId != 0 && !checkPasswd(sessionId, request.getPasswd())) {
            RenewalTokens.take(connThrottle());
            // ZooKeeper closes the session's own connection before it looks at the password of the new one.
            LOG.warn(
                    "Refusing {}: wrong password for session 0x{}",
                    connection.getRemoteSocketAddress(),
                    Long.toHexString(sessionId));
            finishSessionInit(connection, false);
            return;
        }
        super.processConnectRequest(connection, request);
    }

    @Override
    public void processPacket(ServerCnxn connection, RequestHeader header, RequestRecord request) throws IOException {
        try {
            super.processPacket(connection, header, request);
        } catch (RuntimeException e) {
            if (header.getType() != OpCode.auth && header.getType() != OpCode.sasl) {
                throw e;
            }
            throw new IOException("an authentication that cannot be understood: " + e, e);
        }
    }

    /** Skips the throttler's queue and thread while its limits are off. */
    @Override
    public void submitRequest(Request request) {
        if (throttlerUsed || RequestThrottler.getMaxRequests() > 0 || getThrottledOpWaitTime() > 0) {
            // Once something was queued there is no way around the queue any more without reordering.
            throttlerUsed = true;
            super.submitRequest(request);
        } else if (!request.mustDrop()) {
            submitRequestNow(request);
        } else {
            requestFinished(request);
        }
    }

    /**
     * @param sessionId any session
     * @return whether this replica is the only one that knows it
     */
    public boolean isLocalSession(long sessionId) {
        return upgradeableSessionTracker.isLocalSession(sessionId);
    }

    /** ZooKeeper takes every new session for a local one; one whose id could be chosen again is to be ordered. */
    @Override
    protected void setLocalSessionFlag(Request request) {
        super.setLocalSessionFlag(request);
        request.setLocalSession(request.isLocalSession() && isLocalSession(request.sessionId));
    }

    /** A {@code reconfig} is planned for its session by all replicas, so it makes the session known to them too. */
    @Override
    public Request checkUpgradeSession(Request request) throws IOException, KeeperException {
        if (request.type != OpCode.reconfig) {
            return super.checkUpgradeSession(request);
        }
        int timeoutMillis = upgradeableSessionTracker.upgradeSession(request.sessionId);
        RequestRecord record = RequestRecord.fromRecord(new CreateSessionTxn(timeoutMillis));
        return timeoutMillis < 0 ? null : new Request(null, request.sessionId, 0, OpCode.createSession, record, null);
    }

    /** Ends the local sessions whose clients were silent for their timeout. */
    public void expireLocalSessions() {
        ((ReplicatedSessionTracker) sessionTracker).expiredLocalSessions().forEach(this::closeSession);
    }

    @Override
    protected void revalidateSession(ServerCnxn connection, long sessionId, int timeoutMillis) {
        entry.opened(connection);
        if (isLocalSession(sessionId)) {
            ((ReplicatedSessionTracker) sessionTracker).resumeLocalSession(sessionId, timeoutMillis);
            finishSessionInit(connection, true);
            return;
        }
        try {
            Command.Attach attach = new Command.Attach(proposer.wallClockMillis(), sessionId, timeoutMillis);
            if (!proposer.propose(attach, connection, this::isServing)) {
                connection.close(DisconnectReason.SERVER_SHUTDOWN);
            }
        } catch (ReplicaStoppedException e) {
            connection.close(DisconnectReason.SERVER_SHUTDOWN);
        }
    }

    /**
     * Apply thread: answers a createSession that could not be executed.
     *
     * @param request the client's request
     */
    public void refuseSession(Request request) {
        decInProcess();
        requestFinished(request);
        finishSessionInit(request.cnxn, false);
    }

    @Override
    public ProcessTxnResult processTxn(Request request) {
        return LocalRefusal.isRefused(request) ? new ProcessTxnResult() : super.processTxn(request);
    }

    /** During execution: what the proposer found counts, because quota sizes are not replicated exactly. */
    @Override
    public void checkQuota(String path, byte[] before, byte[] data, int type) throws QuotaExceededException {
        if (execution.quotaRefused()) {
            throw new QuotaExceededException(path);
        }
    }

    /** During execution: the settings of the server whose client asks count, see {@link ClientRights}. */
    @Override
    public void checkACL(ServerCnxn cnxn, List<ACL> acl, int perm, List<Id> ids, String path, List<ACL> setAcls)
            throws NoAuthException {
        AccessRules ordered = execution == null ? null : execution.access();
        if (ordered == null) {
            super.checkACL(cnxn, acl, perm, execution == null ? ids : execution.counted(ids), path, setAcls);
        } else {
            MatchValues values = new MatchValues(path, null, null, perm, setAcls);
            if (!ClientRights.permit(this, ordered, values, acl, execution.counted(ids))) {
                throw new NoAuthException();
            }
        }
    }

    /**
     * Checks a quota against this replica's tree.
     *
     * @param path the node
     * @param before its data, null if it does not exist
     * @param data its new data
     * @param type ZooKeeper's create or setData
     * @throws QuotaExceededException if the quota would be exceeded
     */
    public void checkQuotaAsProposer(String path, byte[] before, byte[] data, int type) throws QuotaExceededException {
        super.checkQuota(path, before, data, type);
    }

    /**
     * Apply thread: a {@code reconfig} has been executed, now or before the last restart.
     *
     * @param configuration what it has made of the configuration
     * @param timeMillis its agreed time
     */
    public void configurationExecuted(EnsembleConfig configuration, long timeMillis) {
        ((OrderedDatabase) getZKDatabase()).configurationExecuted(configuration, timeMillis);
    }

    /**
     * Apply thread: the cluster is formed with a configuration.
     *
     * @param first the configuration
     * @param treeIsAhead whether the recovered tree holds transactions that come later
     */
    public void firstConfiguration(EnsembleConfig first, boolean treeIsAhead) {
        ((OrderedDatabase) getZKDatabase()).firstConfiguration(first, treeIsAhead);
    }

    /**
     * Apply thread: shows a new configuration to ZooKeeper's own code.
     *
     * @param verifier the configuration
     */
    public void showConfiguration(QuorumVerifier verifier) {
        self.setQuorumVerifier(verifier, false);
    }

    /**
     * Apply thread: notes a new epoch in ZooKeeper's own files, before the first transaction of that epoch is
     * logged.
     *
     * @param epoch the epoch
     */
    public void beginEpoch(long epoch) {
        try {
            self.setAcceptedEpoch(epoch);
            self.setCurrentEpoch(epoch);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "epoch files in " + getTxnLogFactory().getSnapDir() + ": " + e, e);
        }
    }

    @Override
    public File takeSnapshot(boolean syncSnap, boolean isSevere) throws IOException {
        return snapshots.take().toFile();
    }

    @Override
    public long restoreFromSnapshot(InputStream snapshot) throws IOException {
        throw new IOException("a replica's tree can only be changed through the order; restore is not supported");
    }

    @Override
    public String getState() {
        if (diverged) {
            return DIVERGED;
        }
        Role role = status.get().role();
        if (role == Role.LOOKING) {
            return "looking";
        }
        if (role == Role.OBSERVER || self.getLearnerType() == LearnerType.OBSERVER) {
            return OBSERVER;
        }
        return role == Role.LEADER ? LEADER : FOLLOWER;
    }

    @Override
    public ServerStats serverStats() {
        // The superclass asks for it while it is being constructed.
        return stats == null ? super.serverStats() : stats;
    }

    @Override
    public void dumpMonitorValues(BiConsumer<String, Object> response) {
        String state = getState();
        super.dumpMonitorValues((name, value) -> response.accept(name, SERVER_STATE.equals(name) ? state : value));
        if (OBSERVER.equals(state)) {
            response.accept("observer_master_id", (long) status.get().leader());
        }
    }

    @Override
    protected void registerMetrics() {
        super.registerMetrics();
        monitoring.registerMetrics();
    }

    @Override
    protected void unregisterMetrics() {
        super.unregisterMetrics();
        if (monitoring != null) {
            monitoring.unregisterMetrics();
        }
    }

    @Override
    public long getServerId() {
        return self.getMyId();
    }

    /** Shows this server's numbers again, after a read-only server has shown its own. */
    public void showMetrics() {
        super.registerMetrics();
        getTxnLogFactory().setServerStats(serverStats());
    }

    @Override
    protected void registerJMX() {
        monitoring.registerBeans();
    }

    @Override
    protected void unregisterJMX() {
        if (monitoring != null) {
            monitoring.unregisterBeans();
        }
    }

    /**
     * Sets the bean below which connections register theirs.
     *
     * @param bean this server's, null if it has none
     */
    public void showBelow(ZooKeeperServerBean bean) {
        jmxServerBean = bean;
    }

    /** A critical thread of ZooKeeper's reports its failure as a state. */
    @Override
    protected void setState(State newState) {
        super.setState(newState);
        if (newState == State.ERROR) {
            failureHandler.failed("a critical thread of the server failed; its exception is in the log above", null);
        }
    }
}
