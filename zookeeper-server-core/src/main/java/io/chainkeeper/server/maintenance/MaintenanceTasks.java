package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.execution.ExecutionEvents;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.PendingReconfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.StateDigest;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Everything that happens by time or is proposed by the server itself: session expiry, opening and closing for clients,
 * the first commands of a start, orphaning of silent members. None of it waits for room in the order: what has to be
 * ordered is offered, and offered again with the next tick, since this is also what ends the serving of clients when
 * nothing gets on in the order. The executor and the protocol host leave all of it to the {@link Background}.
 */
public final class MaintenanceTasks implements ExecutionEvents, AutoCloseable {
    /** How long those who are configured no more are fed, to let them learn that. */
    private static final int DEPARTURE_PERIODS = 10;

    private final MaintenanceSchedule schedule;
    private final OrderedZooKeeperServer server;
    private final Supplier<OrderingStatus> status;
    private final MaintenanceListener listener;
    private final ClusterFormation cluster;
    private final EnsembleTasks ensemble;
    private final ClientTasks clients;
    private final AuditTasks audits;
    private final StateReplacement replacement;
    private final PatientProposer owed;

    /** What is to be done when there is an order again. Not much: most of it comes of what is executed, too. */
    private final Deque<Runnable> postponed = new ArrayDeque<>();

    /**
     * @param schedule when they run
     * @param server told of sessions that it may no longer serve
     * @param status the order's view of its leader
     * @param listener told of roles and starts
     * @param cluster proposes what concerns the cluster as a whole
     * @param ensemble what is done about the ensemble
     * @param clients what is done for clients
     * @param audits what is done so that the states are the same
     * @param replacement gets another member's state
     * @param owed proposes what all of these have to have ordered
     */
    public MaintenanceTasks(
            MaintenanceSchedule schedule,
            OrderedZooKeeperServer server,
            Supplier<OrderingStatus> status,
            MaintenanceListener listener,
            ClusterFormation cluster,
            EnsembleTasks ensemble,
            ClientTasks clients,
            AuditTasks audits,
            StateReplacement replacement,
            PatientProposer owed) {
        this.schedule = schedule;
        this.server = server;
        this.status = status;
        this.listener = listener;
        this.cluster = cluster;
        this.ensemble = ensemble;
        this.clients = clients;
        this.audits = audits;
        this.replacement = replacement;
        this.owed = owed;
    }

    /** Proposes this start and begins to tick. */
    public void start() {
        submit(cluster.start());
        schedule.everyPeriod(this::tick);
    }

    private void tick() {
        OrderingStatus current = status.get();
        ensemble.view().run();
        listener.showRole(current);
        if (replacement.isUnderWay()) {
            replacement.tick();
            return;
        }
        // Whoever waits for a server to serve may count on its vote, and on the state that all begin with.
        boolean awaitsAdmission =
                current.role() == Role.OBSERVER && ensemble.effective().participates();
        boolean waits = awaitsAdmission || !cluster.isFormed() || cluster.goesOnAlone();
        clients.letIn(current, ensemble.effective().contained(), waits, this::submit);
        boolean leading = current.role() == Role.LEADER;
        if (!clients.areServedWithoutOrder()) {
            whatMayBeProposed(leading);
        }
        clients.tick(current, cluster.isFormed(), schedule.periodMillis());
    }

    private void whatMayBeProposed(boolean leading) {
        owed.tick();
        while (!postponed.isEmpty()) {
            postponed.poll().run();
        }
        audits.divergence().tick();
        ensemble.reconfigurer().tick();
        cluster.endRequest();
        if (leading) {
            cluster.tick();
        }
        if (leading && cluster.isFormed()) {
            audits.auditor().tick();
        }
        cluster.raiseIfWanted(ensemble.levels());
        ensemble.levels().tick(leading && cluster.isFormed() && server.isServing());
    }

    @Override
    public void selfStarted() {
        cluster.caughtUp();
        schedule.submit(() -> {
            clients.started();
            cluster.started();
            tick();
        });
    }

    @Override
    public void memberStarted(int member) {
        listener.memberStarted(member);
    }

    @Override
    public void clusterFormed(UUID clusterId, UUID replaces) {
        cluster.named(clusterId, replaces);
        schedule.submit(this::tick);
    }

    @Override
    public void featureLevelInForce(FeatureLevel level) {
        cluster.levelInForce(level);
    }

    @Override
    public void stateRefused(String reason) {
        schedule.failed(reason);
    }

    @Override
    public void stateNotTaken(long position, List<Integer> from) {
        schedule.submit(() -> replacement.begin(position, from));
    }

    @Override
    public void sessionLost(long sessionId) {
        server.closeConnectionOf(sessionId);
    }

    @Override
    public void digestTaken(long auditPosition, StateDigest digest) {
        submit(() -> audits.auditor().report(auditPosition, digest));
    }

    @Override
    public void auditJudged(AuditVerdict verdict) {
        audits.divergence().judged(verdict);
    }

    @Override
    public void membershipChanged() {
        ensemble.effective().changed();
        if (cluster.goesOnAlone()) {
            schedule.submit(this::tick);
        } else {
            submit(ensemble.reconfigurer()::tick);
        }
    }

    @Override
    public void ensembleChanged() {
        ensemble.effective().changed();
        schedule.submit(this::tick);
        schedule.afterPeriods(DEPARTURE_PERIODS, ensemble.effective()::departed);
    }

    @Override
    public void planExecuted(EnsemblePlan plan, boolean accepted) {
        submit(() -> ensemble.reconfigurer().planExecuted(plan, accepted));
    }

    @Override
    public void planProgressed() {
        submit(ensemble.reconfigurer()::progressed);
    }

    /**
     * Apply thread: a client asks for another ensemble.
     *
     * @param asked its request, in its turn
     * @param aside looks names up
     */
    public void reconfig(PendingReconfig asked, Aside aside) {
        submit(() -> ensemble.reconfigurer().start(asked, aside));
    }

    /**
     * The protocol host says that the leader changed.
     *
     * @param changed what it says now
     */
    public void statusChanged(OrderingStatus changed) {
        cluster.statusChanged(changed);
        schedule.submit(this::tick);
    }

    /**
     * The protocol host says so, at the leader.
     *
     * @param member replica id
     * @param silent whether it went silent, else it came back
     */
    public void memberSilent(int member, boolean silent) {
        cluster.silent(member, silent);
        if (silent) {
            submit(() -> cluster.orphan(member));
        }
    }

    /**
     * @param task run on the background's thread, but not while clients are served without the order; its failure stops
     *     the replica; not run after {@link #close}
     */
    public void submit(Runnable task) {
        schedule.submit(() -> {
            if (clients.areServedWithoutOrder()) {
                postponed.add(task);
            } else {
                task.run();
            }
        });
    }

    @Override
    public void close() {
        schedule.close(clients::close);
    }
}
