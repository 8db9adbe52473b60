package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.ImportedState;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.guard.TransactionLimit;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this replica proposes about the cluster as a whole: its own start, and as the leader the cluster's name, the
 * configuration that is to be replicated, and that a silent member's sessions are ownerless. Used by the background,
 * except where something else is said.
 */
public final class ClusterFormation {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterFormation.class);

    private final Self self;
    private final OrderedZooKeeperServer server;
    private final ReplicatedState replicated;
    private final PatientProposer proposer;
    private final EffectiveEnsemble ensemble;
    private final Naming naming;
    private final LostOwners lostOwners;

    /** This replica's first command has been executed. */
    private boolean inOrder;

    /** The last start behind which this replica, as the leader, has asked for the configuration to be replicated. */
    private long replicatedBehindMillis;

    /**
     * @param self this replica
     * @param server says whether clients are served
     * @param replicated the replicated state
     * @param proposer the way into the order
     * @param ensemble the ensemble in force
     * @param naming keeps the name of the cluster
     * @param clockMillis a monotonic clock
     */
    public ClusterFormation(
            Self self,
            OrderedZooKeeperServer server,
            ReplicatedState replicated,
            PatientProposer proposer,
            EffectiveEnsemble ensemble,
            Naming naming,
            LongSupplier clockMillis) {
        this.self = self;
        this.server = server;
        this.replicated = replicated;
        this.proposer = proposer;
        this.ensemble = ensemble;
        this.naming = naming;
        this.lostOwners =
                new LostOwners(replicated, id -> ensemble.effective().servers().containsKey(id), clockMillis, proposer);
    }

    /**
     * What the directory held before there was an order; any thread. Before the cluster is formed only a directory
     * without data is replaced by another server's state, which does not say what this one had.
     */
    private ImportedState imported() {
        ImportedState noted = replicated.importedStates().of(self.replicaId());
        return isFormed() ? null : noted == null ? ImportedState.EMPTY : noted;
    }

    /** Before anything else is executed: what this start has to say, as a task for the background. */
    Runnable start() {
        ImportedState imported = imported();
        return () -> proposer.propose(
                0,
                new Command.ReplicaStarted(
                        proposer.wallClockMillis(),
                        self.executionProfile(),
                        imported,
                        naming.goesWithout(),
                        TransactionLimit.BYTES,
                        AuthenticationSchemes.ownSchemes(),
                        Release.name(),
                        self.levels()));
    }

    /** Whether the order has named the cluster; any thread. */
    boolean isFormed() {
        return replicated.clusterId() != null;
    }

    /** Apply thread: this replica's first command has been executed. */
    void caughtUp() {
        naming.levelInForce(replicated.features().level());
        naming.caughtUp(replicated.clusterId());
    }

    /** Apply thread: a feature level is in force. */
    void levelInForce(FeatureLevel level) {
        naming.levelInForce(level);
    }

    /** Apply thread: the order names the cluster. */
    void named(UUID clusterId, UUID replaces) {
        naming.named(clusterId, replaces);
    }

    /** This replica's first command has been executed. */
    void started() {
        inOrder = true;
    }

    /** Carries out what the operator wants of the feature level. */
    void raiseIfWanted(FeatureLevels levels) {
        naming.wantedLevel(levels::raise);
    }

    /** Whether nobody is to be served before another life has begun. */
    boolean goesOnAlone() {
        return naming.goesOnAlone();
    }

    /** Ends a request to go on alone that has been carried out, perhaps by an earlier start. */
    void endRequest() {
        naming.endRequestIfNamed(replicated.clusterId());
    }

    /** This replica leads. */
    void tick() {
        nameCluster();
        replicateConfiguration();
        if (isFormed() && server.isServing()) {
            lostOwners.tick();
        }
    }

    /** The order says so, on its thread as in {@link #silent}. */
    void statusChanged(OrderingStatus changed) {
        lostOwners.statusChanged(changed);
    }

    /** The order says to the leader that a member has gone silent, or is heard again; ordering thread. */
    void silent(int member, boolean isSilent) {
        lostOwners.silent(member, isSilent);
    }

    private void nameCluster() {
        boolean mayName = naming.goesOnAlone() ? isOnlyMember() : !isFormed() || server.isServing();
        if (!inOrder || !mayName) {
            return;
        }
        String configuration = server.isReconfigEnabled() ? ensemble.effective().text() : "";
        List<Integer> participants = ensemble.effective().participants();
        long formedWith = NodeOwners.said(self.executionProfile());
        FeatureLevel level =
                replicated.features().forFounding(ensemble.effective().servers().keySet(), self.levels());
        Command.ClusterFormed formed =
                naming.due(replicated, formedWith, self.members(), participants, configuration, level);
        if (formed != null) {
            if (naming.goesOnAlone()) {
                // The name ends the request, so it comes behind all that belongs to it.
                self.members().stream()
                        .filter(member -> member != self.replicaId())
                        .forEach(this::orphan);
            }
            proposer.propose(0, formed);
        }
    }

    private boolean isOnlyMember() {
        Membership membership = replicated.membership();
        return membership != null && membership.replicaIds().equals(List.of(self.replicaId()));
    }

    /** Once behind each start: only what a server says with it can make it due. */
    private void replicateConfiguration() {
        EnsembleConfig current = ensemble.effective();
        long lastStartMillis = replicated.lastStartMillis();
        if (server.isServing() && lastStartMillis != replicatedBehindMillis && replicated.mayReplicate(current)) {
            replicatedBehindMillis = lastStartMillis;
            proposer.propose(0, new Command.ReplicateConfiguration(proposer.wallClockMillis(), current.text()));
        }
    }

    /** A member has gone silent, or is none any more. */
    void orphan(int member) {
        orphan(member, "is silent");
    }

    /** This replica serves nobody. */
    void giveUpOwnSessions() {
        orphan(self.replicaId(), "serves nobody");
    }

    private void orphan(int member, String reason) {
        long incarnation = replicated.incarnationOf(member);
        if (incarnation != Long.MIN_VALUE) {
            LOG.info("Replica {} {}: its sessions become ownerless", member, reason);
            proposer.propose(
                    "orphan " + member, 0, new Command.Orphan(proposer.wallClockMillis(), member, incarnation));
        }
    }
}
