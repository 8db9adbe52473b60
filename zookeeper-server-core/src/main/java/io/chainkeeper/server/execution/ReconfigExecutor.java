package io.chainkeeper.server.execution;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.txn.SetDataTxn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes what changes the configured ensemble. What becomes of a {@code reconfig} depends on the replicated state
 * only: its plan says that the accepting replica found it valid and allowed. So it can be followed without the tree
 * when the tree is ahead already. Used by the apply thread only.
 */
final class ReconfigExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(ReconfigExecutor.class);

    private final int replicaId;
    private final OwnedSessions owned;
    private final OrderedZooKeeperServer server;
    private final ReplicatedState state;
    private final ExecutionEvents events;

    ReconfigExecutor(
            int replicaId,
            OrderedZooKeeperServer server,
            ReplicatedState state,
            OwnedSessions owned,
            ExecutionEvents events) {
        this.replicaId = replicaId;
        this.owned = owned;
        this.server = server;
        this.state = state;
        this.events = events;
    }

    /** The cluster is formed with this content of {@code /zookeeper/config}, if any. */
    void formed(String text, boolean treeIsAhead) {
        if (text.isEmpty()) {
            return;
        }
        try {
            begin(EnsembleConfig.parse(text), treeIsAhead);
        } catch (IllegalArgumentException e) {
            LOG.error("Forming the cluster without a configuration: {}", e.getMessage());
        }
    }

    /** The configuration is replicated from here on, because a server takes {@code reconfig} now. */
    void replicate(Command.ReplicateConfiguration command, boolean treeIsAhead) {
        EnsembleConfig first;
        try {
            first = checked(command.configuration());
        } catch (IllegalArgumentException e) {
            LOG.error("Ignoring a configuration that is to be replicated: {}", e.getMessage());
            return;
        }
        if (state.mayReplicate(first)) {
            LOG.info("From here on the configuration is replicated: {}", command.configuration());
            begin(first, treeIsAhead);
        }
    }

    /** The last of the configured servers takes {@code reconfig} no more: each goes by its own file again. */
    void endUnlessEnabled() {
        if (state.replicatesInVain()) {
            LOG.info("No server has reconfigEnabled any more: the configuration is that of each server's own file");
            state.dropPlan();
            state.configured(null, 0);
            events.ensembleChanged();
        }
    }

    /** What a member orders although it cannot be one would stop every server, and again after each restart. */
    private EnsembleConfig checked(String text) {
        EnsembleConfig configuration = EnsembleConfig.parse(text);
        if (configuration.participants().isEmpty()) {
            throw new IllegalArgumentException("it has no participant");
        }
        boolean has255 = configuration.servers().containsKey(Membership.MAX_REPLICA_ID);
        String refusal = NodeOwners.refusal(state.executionProfile(), has255);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        return configuration;
    }

    private void begin(EnsembleConfig first, boolean treeIsAhead) {
        state.configured(first, 0);
        server.firstConfiguration(first, treeIsAhead);
        events.ensembleChanged();
    }

    void plan(Command.PlanEnsemble command, ProposedCommand proposed) {
        EnsemblePlan plan;
        try {
            EnsembleConfig configuration = checked(command.configuration());
            plan = new EnsemblePlan(
                    proposed.proposer(), proposed.incarnation(), command.sessionId(), command.cxid(), configuration);
        } catch (IllegalArgumentException e) {
            LOG.error("Ignoring a planned configuration of replica {}: {}", proposed.proposer(), e.getMessage());
            return;
        }
        EnsembleConfig current = state.configuration();
        boolean accepted = state.plan() == null
                && current != null
                && current.version() == plan.configuration().version()
                && owned(plan);
        if (accepted) {
            LOG.info("Replica {} plans the configuration {}", plan.proposer(), command.configuration());
            state.planned(plan);
            events.ensembleChanged();
        }
        events.planExecuted(plan, accepted);
    }

    void drop(Command.DropPlan command) {
        EnsemblePlan plan = state.plan();
        if (plan != null && plan.isOf(command.sessionId(), command.cxid())) {
            drop(plan, "it was given up");
        }
    }

    void progress(Command.PlanProgress command) {
        EnsemblePlan plan = state.plan();
        if (plan != null && plan.isOf(command.sessionId(), command.cxid())) {
            events.planProgressed();
        }
    }

    /** Sessions may have changed: a plan does not outlive its client at its proposer. */
    void dropUnlessOwned() {
        EnsemblePlan plan = state.plan();
        if (plan != null && !owned(plan)) {
            drop(plan, "its session is gone or not at replica " + plan.proposer() + " any more");
        }
    }

    private void drop(EnsemblePlan plan, String reason) {
        LOG.info("The configuration that replica {} planned is dropped: {}", plan.proposer(), reason);
        state.dropPlan();
        events.ensembleChanged();
    }

    private boolean owned(EnsemblePlan plan) {
        SessionState session = state.sessions().get(plan.sessionId());
        return session != null
                && session.owner() == plan.proposer()
                && session.ownerIncarnation() == plan.incarnation();
    }

    /**
     * Finds out what becomes of a request.
     *
     * @param sessionId of the request
     * @param cxid of the request
     * @param proposer replica that proposed it
     * @return the error, null if it is to be executed
     */
    KeeperException refusal(long sessionId, int cxid, int proposer) {
        SessionState session = state.sessions().get(sessionId);
        if (session == null) {
            return new KeeperException.SessionExpiredException();
        }
        if (session.owner() != proposer) {
            return new KeeperException.SessionMovedException();
        }
        EnsemblePlan plan = state.plan();
        if (plan != null && !plan.isOf(sessionId, cxid)) {
            return new KeeperException.ReconfigInProgress();
        }
        if (plan == null || !plan.reached(state.membership(), state.configuration())) {
            return new KeeperException.NewConfigNoQuorum();
        }
        return null;
    }

    /**
     * Prepares the transaction of a request.
     *
     * @param request with its header
     * @param proposer replica that proposed it
     * @param zxid that it takes
     * @throws KeeperException if it is refused
     */
    void prepare(Request request, int proposer, long zxid) throws KeeperException {
        KeeperException refusal = refusal(request.sessionId, request.cxid, proposer);
        if (refusal != null) {
            throw refusal;
        }
        EnsembleConfig next = next(zxid);
        byte[] text = next.text().getBytes(StandardCharsets.UTF_8);
        request.setTxn(new SetDataTxn(ZooDefs.CONFIG_NODE, text, -1));
        if (request.qv != null) {
            // ZooKeeper's final processor answers with what its peer has.
            request.qv.setVersion(next.version());
            server.showConfiguration(request.qv);
        }
    }

    private EnsembleConfig next(long zxid) {
        // The zxid, as in ZooKeeper; more only if a new cluster was formed from the files of an older one.
        long version = Math.max(zxid, state.configuration().version() + 1);
        return state.plan().configuration().withVersion(version);
    }

    /**
     * A request has been executed or refused, now or before the last restart.
     *
     * @param refused whether it was refused
     * @param sessionId of the request
     * @param cxid of the request
     * @param zxid that it took
     * @param timeMillis its agreed time
     */
    void executed(boolean refused, long sessionId, int cxid, long zxid, long timeMillis) {
        EnsemblePlan plan = state.plan();
        if (plan == null || !plan.isOf(sessionId, cxid)) {
            return;
        }
        if (refused) {
            drop(plan, "the request could not be executed");
            return;
        }
        EnsembleConfig before = state.configuration();
        EnsembleConfig next = next(zxid);
        LOG.info("The ensemble is configured anew, version {}", Zxids.text(next.version()));
        state.configured(next, zxid);
        server.configurationExecuted(next, timeMillis);
        state.dropPlan();
        before.servers().keySet().stream()
                .filter(id -> !next.servers().containsKey(id))
                .forEach(this::abandonSessionsOf);
        events.ensembleChanged();
        endUnlessEnabled();
    }

    /** Nobody listens any more whether a server that has been removed hears its clients. */
    private void abandonSessionsOf(int removed) {
        for (long sessionId : state.sessions().orphan(removed, Long.MAX_VALUE)) {
            if (removed == replicaId) {
                owned.forget(sessionId);
            }
        }
    }

    /**
     * @param proposer replica id
     * @return whether it may not own sessions: it has been removed, or not been added yet
     */
    boolean isOutside(int proposer) {
        EnsembleConfig current = state.configuration();
        return current != null && !current.servers().containsKey(proposer);
    }
}
