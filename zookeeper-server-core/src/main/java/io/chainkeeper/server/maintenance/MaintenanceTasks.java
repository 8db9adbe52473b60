package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.ImportedState;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.execution.ExecutionEvents;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.guard.TransactionLimit;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.reconfig.PendingReconfig;
import io.chainkeeper.server.reconfig.Reconfigurer;
import io.chainkeeper.server.session.SessionKeeper;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.StateDigest;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that happens by time or is proposed by the server itself: session expiry, opening and closing for clients,
 * the first commands of a start, orphaning of silent members. Proposing may wait, so neither the executor nor the
 * ordering loop may do it; they leave it to the {@link Background}.
 */
public final class MaintenanceTasks implements ExecutionEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceTasks.class);

    /** How long those who are configured no more are fed, to let them learn that. */
    private static final int DEPARTURE_PERIODS = 10;

    private final OrderedZooKeeperServer server;
    private final ReplicatedState state;
    private final Proposer proposer;
    private final Supplier<OrderingStatus> status;
    private final SessionKeeper keeper;
    private final ServingPolicy serving;
    private final EffectiveEnsemble ensemble;
    private final Runnable configurationView;
    private final Reconfigurer reconfigurer;
    private final Consumer<OrderingStatus> roleView;
    private final Consumer<Boolean> reaper;
    private final DigestAuditor auditor;
    private final Divergence divergence;
    private final List<Integer> members;
    private final long executionProfile;
    private final long periodMillis;
    private final Naming naming;
    private final int replicaId;
    private final Replacement replacement;
    private final FailureHandler failureHandler;
    private final Background background;

    /** This replica's first command has been executed. */
    private boolean inOrder;

    /** The state of this position or a later one has to replace this replica's own; 0 if it is the cluster's. */
    private long foreignFrom;

    /** The last start behind which this replica, as the leader, has asked for the configuration to be replicated. */
    private long replicatedBehindMillis;

    private List<Integer> sources = List.of();
    private int nextSource;

    /**
     * @param parts what it works with
     * @param failureHandler told when a task fails
     * @param background runs the tasks
     */
    public MaintenanceTasks(Parts parts, FailureHandler failureHandler, Background background) {
        this.server = parts.server();
        this.state = parts.state();
        this.proposer = parts.proposer();
        this.status = parts.status();
        this.keeper = parts.keeper();
        this.serving = parts.serving();
        this.ensemble = parts.ensemble();
        this.configurationView = parts.configurationView();
        this.reconfigurer = parts.reconfigurer();
        this.roleView = parts.roleView();
        this.reaper = parts.reaper();
        this.auditor = parts.auditor();
        this.divergence = parts.divergence();
        this.members = parts.members();
        this.executionProfile = parts.executionProfile();
        this.periodMillis = parts.periodMillis();
        this.naming = parts.naming();
        this.replicaId = parts.replicaId();
        this.replacement = parts.replacement();
        this.failureHandler = failureHandler;
        this.background = background;
    }

    /** Runs tasks one at a time, in the order they were given in. Safe for use by any thread. */
    public interface Background {
        /** @param task run soon, unless {@link #close} has been called */
        void execute(Runnable task);

        /**
         * Called once.
         *
         * @param periodMillis between two runs, measured from start to start
         * @param task run at once and then again and again
         */
        void everyMillis(long periodMillis, Runnable task);

        /**
         * @param delayMillis how long to wait
         * @param task run once after that, unless {@link #close} has been called
         */
        void afterMillis(long delayMillis, Runnable task);

        /** Runs what was given before and nothing more. */
        void close();
    }

    /** Acts when the replicas' states differ. */
    public interface Divergence {
        /** Executor thread: the reports have decided something. */
        void judged(AuditVerdict verdict);

        /** Background, now and then: asks until the right state has come. */
        void tick();
    }

    /** Gets a state in the place of one that is not the cluster's. */
    @FunctionalInterface
    public interface Replacement {
        /** Background, again and again: asks a member for the state of this position or a later one. Never waits. */
        void wanted(int fromPeer, long position);
    }

    /** Keeps the name of the cluster. */
    public interface Naming {
        /** Any thread: replicas that the cluster may be formed without, by the user's decision. */
        List<Integer> goesWithout();

        /** Executor thread: this replica has caught up with the order, in which the cluster has this name or none. */
        void caughtUp(UUID clusterId);

        /** Executor thread: the order names the cluster. */
        void named(UUID clusterId);

        /** Background, at the leader: what is to be ordered about the name, or null. */
        Command.ClusterFormed due(
                ReplicatedState state,
                long executionProfile,
                List<Integer> members,
                List<Integer> participants,
                String configuration);

        /** Background: whether the order says that this replica goes on alone, and the request for it is left over. */
        boolean requestIsFulfilled(Membership membership);

        /** Background: nothing of the request is left to do. */
        void endRequest();
    }

    /**
     * What it works with.
     *
     * @param server the server
     * @param state the replicated state
     * @param proposer the way into the order
     * @param status the order's view of its leader
     * @param keeper ends sessions
     * @param serving lets clients in
     * @param ensemble the configured ensemble
     * @param configurationView shows it to monitoring, client port and files
     * @param reconfigurer changes it
     * @param roleView shows the role to monitoring
     * @param reaper deletes empty containers while told to
     * @param auditor has digests compared
     * @param divergence acts when they differ
     * @param members replica ids, ascending
     * @param executionProfile hash of this replica's settings
     * @param periodMillis of ticks
     * @param naming keeps the name of the cluster
     * @param replicaId this replica
     * @param replacement gets another member's state
     */
    public record Parts(
            OrderedZooKeeperServer server,
            ReplicatedState state,
            Proposer proposer,
            Supplier<OrderingStatus> status,
            SessionKeeper keeper,
            ServingPolicy serving,
            EffectiveEnsemble ensemble,
            Runnable configurationView,
            Reconfigurer reconfigurer,
            Consumer<OrderingStatus> roleView,
            Consumer<Boolean> reaper,
            DigestAuditor auditor,
            Divergence divergence,
            List<Integer> members,
            long executionProfile,
            long periodMillis,
            Naming naming,
            int replicaId,
            Replacement replacement) {}

    /** Proposes this start and begins to tick. */
    public void start() {
        ImportedState former =
                state.clusterId() == null ? state.importedStates().of(replicaId) : null;
        submit(() -> proposer.propose(
                0,
                new Command.ReplicaStarted(
                        proposer.wallClockMillis(),
                        executionProfile,
                        former,
                        naming.goesWithout(),
                        TransactionLimit.BYTES,
                        AuthenticationSchemes.ownSchemes())));
        background.everyMillis(periodMillis, guarded(this::tick));
    }

    private void tick() {
        OrderingStatus current = status.get();
        configurationView.run();
        roleView.accept(current);
        if (foreignFrom > 0) {
            fetchState();
            return;
        }
        // Whoever waits for a server to serve may count on its vote, and on the state that all begin with.
        boolean awaitsAdmission = current.role() == Role.OBSERVER && ensemble.participates();
        boolean waits = awaitsAdmission || state.clusterId() == null;
        serving.tick(current, ensemble.contained(), waits, this::submit);
        divergence.tick();
        reconfigurer.tick();
        boolean leading = current.role() == Role.LEADER;
        if (leading) {
            nameCluster();
            replicateConfiguration();
        }
        if (leading && state.clusterId() != null) {
            auditor.tick();
        }
        reaper.accept(leading && server.isServing());
        keeper.tick(server.isServing(), leading && state.clusterId() != null, current.epoch(), periodMillis);
        server.expireLocalSessions();
    }

    /** One source after the other, until one answers. */
    private void fetchState() {
        List<Integer> from = sources.isEmpty() ? members : sources;
        nextSource = (nextSource + 1) % from.size();
        int source = from.get(nextSource);
        if (source != replicaId) {
            replacement.wanted(source, foreignFrom);
        }
    }

    private void nameCluster() {
        if (state.clusterId() == null ? !inOrder : !server.isServing()) {
            return;
        }
        String configuration = server.isReconfigEnabled() ? ensemble.effective().text() : "";
        List<Integer> participants = ensemble.effective().participants();
        long formedWith = NodeOwners.said(executionProfile);
        Command.ClusterFormed formed = naming.due(state, formedWith, members, participants, configuration);
        if (formed != null) {
            proposer.propose(0, formed);
        }
        if (naming.requestIsFulfilled(state.membership())) {
            members.stream().filter(member -> member != replicaId).forEach(this::orphan);
            naming.endRequest();
        }
    }

    /** Once behind each start: only what a server says with it can make it due. */
    private void replicateConfiguration() {
        EnsembleConfig current = ensemble.effective();
        long lastStartMillis = state.lastStartMillis();
        if (server.isServing() && lastStartMillis != replicatedBehindMillis && state.mayReplicate(current)) {
            replicatedBehindMillis = lastStartMillis;
            proposer.propose(0, new Command.ReplicateConfiguration(proposer.wallClockMillis(), current.text()));
        }
    }

    @Override
    public void selfStarted() {
        naming.caughtUp(state.clusterId());
        submit(() -> {
            serving.started();
            inOrder = true;
            tick();
        });
    }

    @Override
    public void clusterFormed(UUID clusterId) {
        naming.named(clusterId);
        submit(this::tick);
    }

    @Override
    public void stateRefused(String reason) {
        failureHandler.failed(reason, null);
    }

    @Override
    public void stateNotTaken(long position, List<Integer> from) {
        submit(() -> {
            // Asked for with the next tick: those who have it are writing it at this moment.
            sources = from;
            foreignFrom = position;
        });
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

    @Override
    public void membershipChanged() {
        submit(reconfigurer::tick);
    }

    @Override
    public void ensembleChanged() {
        ensemble.changed();
        submit(this::tick);
        later(ensemble::departed);
    }

    @Override
    public void planExecuted(EnsemblePlan plan, boolean accepted) {
        submit(() -> reconfigurer.planExecuted(plan, accepted));
    }

    @Override
    public void planProgressed() {
        submit(reconfigurer::progressed);
    }

    /** Executor thread: a client asks for another ensemble. */
    public void reconfig(PendingReconfig asked, Aside aside) {
        submit(() -> reconfigurer.start(asked, aside));
    }

    private void later(Runnable task) {
        background.afterMillis(DEPARTURE_PERIODS * periodMillis, guarded(task));
    }

    /** The ordering loop says that the leader changed. */
    public void statusChanged(OrderingStatus changed) {
        submit(this::tick);
    }

    /** The ordering loop, at the leader, says that a member went silent or came back. */
    public void memberSilent(int member, boolean silent) {
        if (silent) {
            submit(() -> orphan(member));
        }
    }

    private void orphan(int member) {
        long incarnation = state.incarnationOf(member);
        if (incarnation != Long.MIN_VALUE) {
            LOG.info("Replica {} is silent: its sessions become ownerless", member);
            proposer.propose(0, new Command.Orphan(proposer.wallClockMillis(), member, incarnation));
        }
    }

    /** @param task run on the background's thread; its failure stops the replica; not run after {@link #close} */
    public void submit(Runnable task) {
        background.execute(guarded(task));
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
        // Queued behind whatever is being done at the moment; nothing else may touch the reaper.
        background.execute(() -> {
            reaper.accept(false);
            serving.close();
        });
        background.close();
    }
}
