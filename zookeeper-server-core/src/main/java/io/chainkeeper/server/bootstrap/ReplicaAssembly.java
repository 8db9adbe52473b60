package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.execution.CommandExecutor;
import io.chainkeeper.server.execution.OrderEvents;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.maintenance.AuditTasks;
import io.chainkeeper.server.maintenance.ClientTasks;
import io.chainkeeper.server.maintenance.ClusterFormation;
import io.chainkeeper.server.maintenance.DigestAuditor;
import io.chainkeeper.server.maintenance.EnsembleTasks;
import io.chainkeeper.server.maintenance.FeatureLevels;
import io.chainkeeper.server.maintenance.MaintenanceSchedule;
import io.chainkeeper.server.maintenance.MaintenanceTasks;
import io.chainkeeper.server.maintenance.Self;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.maintenance.StateReplacement;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.ClientPort;
import io.chainkeeper.server.reconfig.ConfigurationView;
import io.chainkeeper.server.reconfig.ReconfigPlanner;
import io.chainkeeper.server.reconfig.Reconfigurer;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.session.SessionIds;
import io.chainkeeper.server.session.SessionKeeper;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.RecoveredTransactions;
import java.util.function.LongSupplier;

/**
 * Puts together what executes the order, proposes to it and looks after time: one object graph for production, for the
 * simulator and for micro-benchmarks. They differ in the {@link ReplicaRuntime} that drives the graph and in the
 * {@link ReplicaEnvironment} around it, and in nothing else.
 */
final class ReplicaAssembly {
    private final ReplicaCore core;
    private final ReplicaEnvironment environment;
    private final Aside aside;
    private final ClientPort clientPort;
    private final PatientProposer owed;
    private final FeatureLevels levels;
    private final MaintenanceTasks maintenance;
    private final OrderedApplication application;

    /**
     * @param core what the environment has been built upon
     * @param environment what lies around this replica
     */
    ReplicaAssembly(ReplicaCore core, ReplicaEnvironment environment) {
        this.core = core;
        this.environment = environment;
        // Names are looked up, and the port is moved, only when maintenance runs.
        this.aside = core.runtime().aside(task -> maintenance().submit(task));
        this.clientPort = new ClientPort(core.server()::getServerCnxnFactory, core.runtime()::monotonicMillis, aside);
        this.owed = new PatientProposer(core.proposer());
        this.levels = new FeatureLevels(
                core.settings().levels(),
                core.settings().raising(),
                core.recovered().state(),
                core.ensemble(),
                owed,
                core.runtime()::monotonicMillis);
        this.maintenance = assembleMaintenance();
        CommandExecutor executor = commandExecutor();
        this.application = application(executor);
        connect(executor);
    }

    private MaintenanceTasks assembleMaintenance() {
        ReplicaSettings settings = core.settings();
        ReplicatedState state = core.recovered().state();
        Self self = new Self(settings.replicaId(), settings.members(), core.executionProfile(), settings.levels());
        ClusterFormation cluster = new ClusterFormation(
                self,
                core.server(),
                state,
                owed,
                core.ensemble(),
                environment.naming(),
                core.runtime()::monotonicMillis);
        return new MaintenanceTasks(
                new MaintenanceSchedule(
                        core.runtime().maintenance(settings.replicaId()),
                        settings.maintenancePeriodMillis(),
                        core.failureHandler()),
                core.server(),
                core::status,
                environment,
                cluster,
                ensembleTasks(),
                clientTasks(cluster),
                auditTasks(),
                new StateReplacement(self, environment::replaceState),
                owed);
    }

    private EnsembleTasks ensembleTasks() {
        ConfigurationView configuration = new ConfigurationView(
                core.peer(), environment.configurationFile(), environment.shownConfiguration(), core.ensemble());
        return new EnsembleTasks(core.ensemble(), () -> configuration.show(clientPort, aside), reconfigurer(), levels);
    }

    private ClientTasks clientTasks(ClusterFormation cluster) {
        LongSupplier clockMillis = core.runtime()::monotonicMillis;
        long patienceMillis = core.settings().servingPatienceMillis();
        ServingPolicy serving = new ServingPolicy(
                core.server(), core.proposer(), clockMillis, patienceMillis, environment.withoutOrder());
        return new ClientTasks(
                core.server(),
                serving,
                cluster,
                clockMillis,
                patienceMillis,
                sessionKeeper(),
                core.runtime().containerReaper(core.database(), core.router()),
                core.router()::takeUpHeld);
    }

    private AuditTasks auditTasks() {
        DigestAuditor auditor = new DigestAuditor(
                core.server(),
                core.recovered().state(),
                owed,
                core.runtime()::monotonicMillis,
                core.settings().digestAuditSeconds());
        return new AuditTasks(auditor, environment.divergence());
    }

    private SessionKeeper sessionKeeper() {
        return new SessionKeeper(
                core.recovered().state().sessions(),
                core.owned(),
                core.runtime()::monotonicMillis,
                core.proposer()::wallClockMillis,
                core.settings().replicaId(),
                core.server().getMinSessionTimeout() / 4,
                core.proposer()::stuckMillis,
                expire -> core.proposer().offer(expire.sessionId(), expire));
    }

    private Reconfigurer reconfigurer() {
        ReplicaSettings settings = core.settings();
        ReplicatedState state = core.recovered().state();
        return new Reconfigurer(
                state,
                new ReconfigPlanner(core.server(), state, core::status, environment::isLinked, settings.replicaId()),
                owed,
                core.runtime()::monotonicMillis,
                core.runtime()::wallClockMillis,
                settings.reconfigPatienceMillis(),
                environment::transferredBytes);
    }

    private CommandExecutor commandExecutor() {
        RecoveredTransactions transactions = core.recovered().transactions();
        return new CommandExecutor(
                core.settings().replicaId(),
                core.executionProfile(),
                core.settings().levels(),
                core.server(),
                core.finalProcessor(),
                core.recovered().state(),
                core.owned(),
                transactions,
                core.settings().members(),
                maintenance);
    }

    private OrderedApplication application(CommandExecutor executor) {
        return new OrderedApplication(
                core.server(),
                executor,
                core.lock(),
                core.peer().replies(),
                core.recovered().proposers(),
                core.recovered().position(),
                environment.checkpoints(),
                core.watch(),
                new OrderReports());
    }

    private void connect(CommandExecutor executor) {
        ReplicaSettings settings = core.settings();
        ReplicatedState state = core.recovered().state();
        core.database().getDataTree().addDigestWatcher(this::digestMismatch);
        core.database().onConnectionClosed(core.router()::closed);
        core.router().onReconfig(asked -> maintenance.reconfig(asked, aside));
        SessionIds ids = state.sessionIds(settings.replicaId(), core.runtime().wallClockMillis());
        core.server()
                .connect(
                        new ReplicatedSessionTracker(
                                state.sessions(), core.owned(), ids, core.database(), settings.localSessionsEnabled()),
                        core.router(),
                        core.proposer(),
                        executor.requests(),
                        environment.snapshots());
        core.server().observe(core::status);
        core.server().setZxid(core.database().getDataTreeLastProcessedZxid());
    }

    private void digestMismatch(long zxid) {
        core.failureHandler()
                .failed(
                        "the tree of this replica at zxid 0x" + Long.toHexString(zxid)
                                + " is not what its transaction log says;"
                                + " replace this replica's data directories by those of a healthy member",
                        null);
    }

    /** Takes the order that has been started below; called once. */
    void connect(TotalOrder started) {
        core.connect(started);
    }

    /** Proposes this start and begins to look after time; called once, when everything is connected. */
    void start() {
        maintenance.start();
    }

    OrderedApplication application() {
        return application;
    }

    MaintenanceTasks maintenance() {
        return maintenance;
    }

    FeatureLevels levels() {
        return levels;
    }

    ClientPort clientPort() {
        return clientPort;
    }

    /** Maintenance acts upon what the order says of its members, the environment upon what it says of this replica. */
    private final class OrderReports implements OrderEvents {
        @Override
        public void statusChanged(OrderingStatus status) {
            maintenance.statusChanged(status);
        }

        @Override
        public void memberSilent(int member, boolean silent) {
            maintenance.memberSilent(member, silent);
        }

        @Override
        public void stateNeeded(int fromPeer, long position) {
            environment.stateNeeded(fromPeer, position);
        }

        @Override
        public void checkpointWanted() {
            environment.checkpointWanted();
        }

        @Override
        public void superseded(long incarnation) {
            environment.superseded(incarnation);
        }
    }
}
