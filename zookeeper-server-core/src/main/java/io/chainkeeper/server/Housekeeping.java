package io.chainkeeper.server;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.execution.ExecutionEvents;
import io.chainkeeper.server.execution.SideState;
import io.chainkeeper.server.execution.StateDigest;
import io.chainkeeper.server.request.Proposer;
import io.chainkeeper.server.session.SessionKeeper;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread for everything that happens by time or is proposed by the server itself: session expiry, opening and
 * closing for clients, the first commands of a start, orphaning of silent members. Proposing may wait, so neither the
 * executor nor the ordering loop may do it; they leave it to this thread.
 */
final class Housekeeping implements ExecutionEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private final OrderedZooKeeperServer server;
    private final SideState side;
    private final Proposer proposer;
    private final Supplier<OrderingStatus> status;
    private final SessionKeeper keeper;
    private final Serving serving;
    private final RoleView roleView;
    private final ContainerReaper reaper;
    private final DigestAuditor auditor;
    private final DivergenceGuard divergence;
    private final List<Integer> members;
    private final long executionProfile;
    private final long periodMillis;
    private final ClusterNaming naming;
    private final int replicaId;
    private final FailureHandler failureHandler;
    private final ScheduledExecutorService thread;

    Housekeeping(Parts parts, FailureHandler failureHandler, int replicaId) {
        this.server = parts.server();
        this.side = parts.side();
        this.proposer = parts.proposer();
        this.status = parts.status();
        this.keeper = parts.keeper();
        this.serving = parts.serving();
        this.roleView = parts.roleView();
        this.reaper = parts.reaper();
        this.auditor = parts.auditor();
        this.divergence = parts.divergence();
        this.members = parts.members();
        this.executionProfile = parts.executionProfile();
        this.periodMillis = parts.periodMillis();
        this.naming = parts.naming();
        this.replicaId = replicaId;
        this.failureHandler = failureHandler;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread created = new Thread(task, "housekeeping-" + replicaId);
            created.setDaemon(true);
            return created;
        });
    }

    /**
     * What it works with.
     *
     * @param server the server
     * @param side the side state
     * @param proposer the way into the order
     * @param status the order's view of its leader
     * @param keeper ends sessions
     * @param serving lets clients in
     * @param roleView shows the role to monitoring
     * @param reaper deletes empty containers
     * @param auditor has digests compared
     * @param divergence acts when they differ
     * @param members replica ids, ascending
     * @param executionProfile hash of this replica's settings
     * @param periodMillis of ticks
     * @param naming keeps the name of the cluster
     */
    record Parts(
            OrderedZooKeeperServer server,
            SideState side,
            Proposer proposer,
            Supplier<OrderingStatus> status,
            SessionKeeper keeper,
            Serving serving,
            RoleView roleView,
            ContainerReaper reaper,
            DigestAuditor auditor,
            DivergenceGuard divergence,
            List<Integer> members,
            long executionProfile,
            long periodMillis,
            ClusterNaming naming) {}

    /** Proposes this start and begins to tick. */
    void start() {
        submit(() -> proposer.propose(0, new Command.ReplicaStarted(System.currentTimeMillis(), executionProfile)));
        thread.scheduleAtFixedRate(guarded(this::tick), 0, periodMillis, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        OrderingStatus current = status.get();
        roleView.show(current);
        serving.tick(current.role(), this::submit);
        boolean leading = current.role() == Role.LEADER;
        if (leading) {
            nameCluster();
            auditor.tick();
        }
        reaper.setActive(leading && server.isServing());
        keeper.tick(server.isServing(), leading, current.epoch(), periodMillis);
    }

    private void nameCluster() {
        if (!server.isServing()) {
            return;
        }
        Command.ClusterFormed formed = naming.due(side, executionProfile, members);
        if (formed != null) {
            proposer.propose(0, formed);
        }
        if (naming.requestIsFulfilled(side.membership())) {
            members.stream().filter(member -> member != replicaId).forEach(this::orphan);
            naming.endRequest();
        }
    }

    @Override
    public void selfStarted() {
        naming.caughtUp(side.clusterId());
        submit(() -> {
            serving.started();
            tick();
        });
    }

    @Override
    public void clusterFormed(UUID clusterId) {
        naming.named(clusterId);
    }

    @Override
    public void sessionLost(long sessionId) {
        server.closeConnectionOf(sessionId);
    }

    @Override
    public void digestTaken(long auditPosition, StateDigest digest) {
        submit(() -> auditor.report(auditPosition, digest));
    }

    @Override
    public void auditJudged(AuditVerdict verdict) {
        divergence.judged(verdict);
    }

    /** The ordering loop says that the leader changed. */
    void statusChanged(OrderingStatus changed) {
        submit(this::tick);
    }

    /** The ordering loop, at the leader, says that a member went silent or came back. */
    void memberSilent(int member, boolean silent) {
        if (silent) {
            submit(() -> orphan(member));
        }
    }

    private void orphan(int member) {
        long incarnation = side.incarnationOf(member);
        if (incarnation != Long.MIN_VALUE) {
            LOG.info("Replica {} is silent: its sessions become ownerless", member);
            proposer.propose(0, new Command.Orphan(System.currentTimeMillis(), member, incarnation));
        }
    }

    private void submit(Runnable task) {
        try {
            thread.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            LOG.debug("Stopping: nothing more is done in the background");
        }
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (ReplicaStoppedException e) {
                LOG.debug("The order has stopped: {}", e.getMessage());
            } catch (RuntimeException e) {
                failureHandler.failed("housekeeping failed: " + e.getMessage(), e);
            }
        };
    }

    @Override
    public void close() {
        // Queued behind whatever this thread does at the moment; nothing else may touch the reaper.
        thread.execute(() -> reaper.setActive(false));
        thread.shutdown();
    }
}
