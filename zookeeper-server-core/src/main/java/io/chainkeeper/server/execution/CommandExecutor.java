package io.chainkeeper.server.execution;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.command.ImportedState;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.guard.ClientRights;
import io.chainkeeper.server.proposal.AttachProposal;
import io.chainkeeper.server.proposal.ClientProposal;
import io.chainkeeper.server.proposal.NoOpProposal;
import io.chainkeeper.server.proposal.UpgradeProposal;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.state.ExecutionProfile;
import io.chainkeeper.server.state.ExecutionProfileMismatch;
import io.chainkeeper.server.state.ImportedStates;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.RecoveredTransactions;
import io.chainkeeper.server.zookeeper.ExecutionInProgress;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes commands in their order: advances the replicated state, gives zxids, and lets {@link RequestExecutor} change
 * the tree. Whether a command takes a zxid depends on the command and the replicated state only, so that after a
 * restart the commands whose transactions the tree already holds can be recognised without executing them. Used by the
 * apply thread only.
 */
public final class CommandExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(CommandExecutor.class);

    private final int replicaId;
    private final long executionProfile;
    private final boolean knows255;
    private final OrderedZooKeeperServer server;
    private final ReplicatedState state;
    private final OwnedSessions owned;
    private final ReconfigExecutor reconfigs;
    private final RequestExecutor requests;
    private final CountedSchemes schemes;
    private final RecoveredTransactions recovered;
    private final DigestAudits audits;
    private final FeatureExecutor features;
    private final ExecutionEvents events;
    private boolean beginsHere;
    private boolean foreign;

    /** Foreign, and the position whose state this replica can go on from has not been seen yet. */
    private boolean awaitsSchemes;

    /**
     * @param replicaId this replica
     * @param executionProfile the number that says this replica's settings
     * @param levels the feature levels that this replica knows
     * @param server whose tree is changed
     * @param finalProcessor applies transactions and answers clients
     * @param state the replicated state as of the recovered position
     * @param owned sessions served here
     * @param recovered transactions that the tree holds although their commands will be delivered again
     * @param configuredMembers who votes until the order says otherwise
     * @param events whom to tell
     */
    public CommandExecutor(
            int replicaId,
            long executionProfile,
            FeatureRange levels,
            OrderedZooKeeperServer server,
            RequestProcessor finalProcessor,
            ReplicatedState state,
            OwnedSessions owned,
            RecoveredTransactions recovered,
            List<Integer> configuredMembers,
            ExecutionEvents events) {
        this.replicaId = replicaId;
        this.executionProfile = executionProfile;
        this.knows255 = replicaId == Membership.MAX_REPLICA_ID || configuredMembers.contains(Membership.MAX_REPLICA_ID);
        this.server = server;
        this.state = state;
        this.owned = owned;
        this.reconfigs = new ReconfigExecutor(replicaId, server, state, owned, events);
        this.schemes = new CountedSchemes(state, AuthenticationSchemes.ownSchemes());
        this.requests = new RequestExecutor(server, reconfigs, schemes, finalProcessor);
        this.recovered = recovered;
        this.audits = new DigestAudits(server, state, recovered, configuredMembers, events);
        this.features = new FeatureExecutor(levels, state, events);
        this.events = events;
    }

    /** @return the replicated state */
    public ReplicatedState replicatedState() {
        return state;
    }

    /** @return what is being executed */
    public ExecutionInProgress requests() {
        return requests;
    }

    /** @return whether the state here is not the cluster's, so that nothing is executed any more */
    public boolean isForeign() {
        return foreign;
    }

    /** @return once: whether the cluster has just begun with data that only Apache ZooKeeper's files hold yet */
    public boolean pollBeginsHere() {
        boolean begins = beginsHere;
        beginsHere = false;
        return begins;
    }

    /**
     * Executes the next command.
     *
     * @param position of the batch that it is part of
     * @param proposed the command
     * @param own this replica's own proposal, or null
     */
    public void execute(long position, ProposedCommand proposed, Proposal own) {
        if (foreign && !awaitsSchemes) {
            return;
        }
        Command command;
        try {
            command = own instanceof ClientProposal client ? client.decoded() : CommandCodec.decode(proposed.command());
        } catch (MalformedMessageException e) {
            features.unreadable(position, proposed, e);
            return;
        }
        if (foreign) {
            awaitSchemes(position, command);
            return;
        }
        long time = state.advanceTime(command.wallClockMillis());
        if (command instanceof Command.ClientRequest request) {
            if (knowsWhatItTakes(position, request)) {
                executeRequest(request, proposed, own, time);
            }
        } else if (command instanceof Command.Attach attach) {
            attach(attach, proposed, (AttachProposal) own);
        } else if (command instanceof Command.Expire expire) {
            expire(expire, proposed.proposer(), time);
        } else if (command instanceof Command.Orphan orphan) {
            orphan(orphan.replica(), orphan.incarnation());
        } else if (command instanceof Command.ReplicaStarted started) {
            replicaStarted(started, proposed, own != null);
        } else if (command instanceof Command.ClusterFormed formed) {
            clusterFormed(position, formed);
        } else if (command instanceof Command.DigestReport report) {
            audits.report(proposed.proposer(), report);
        } else if (command instanceof Command.DigestAudit) {
            audits.audit(position);
        } else if (command instanceof Command.NoOp) {
            if (own instanceof NoOpProposal noOp) {
                noOp.cameBack();
            }
        } else {
            executePlanning(command, proposed);
        }
        reconfigs.dropUnlessOwned();
    }

    private void executePlanning(Command command, ProposedCommand proposed) {
        if (command instanceof Command.PlanEnsemble plan) {
            reconfigs.plan(plan, proposed);
        } else if (command instanceof Command.DropPlan drop) {
            reconfigs.drop(drop);
        } else if (command instanceof Command.ReplicateConfiguration replicate) {
            reconfigs.replicate(replicate, recovered.covers(state.nextZxid()));
        } else if (command instanceof Command.RaiseFeatureLevel raise) {
            features.raise(raise);
        } else {
            reconfigs.progress((Command.PlanProgress) command);
        }
    }

    /**
     * A position holds a membership.
     *
     * @param membership in force from the next position on
     */
    public void membershipChanged(Membership membership) {
        state.membershipChanged(membership);
        events.membershipChanged();
    }

    /**
     * This replica lacks a provider since its last start, and replays or catches up with what was ordered before the
     * order knew: nobody else's word can replace the provider's, but a state that holds the result can.
     */
    private boolean knowsWhatItTakes(long position, Command.ClientRequest request) {
        if (recovered.covers(state.nextZxid())) {
            return true;
        }
        String lacked = schemes.lacked(request, requests);
        if (lacked == null) {
            return true;
        }
        LOG.warn(
                "What was ordered at position {} needs the authentication provider of scheme {} ({}), which this server"
                        + " has no more: it fetches the state of another server. If none of them has executed that,"
                        + " start the servers with the provider (authProvider.*) once more",
                position,
                lacked,
                state.agreedSchemes().get(lacked));
        foreign = true;
        events.stateNotTaken(position, List.of());
        return false;
    }

    private void executeRequest(Command.ClientRequest command, ProposedCommand proposed, Proposal proposal, long time) {
        if (!ExecutableRequests.isOrdered(command.opcode())) {
            LOG.error(
                    "Ignoring a request that replica {} proposed: type {} changes nothing",
                    proposed.proposer(),
                    command.opcode());
            return;
        }
        ClientProposal own = proposal instanceof ClientProposal client ? client : null;
        long sessionId = command.sessionId();
        if (own != null) {
            own.beforeExecution();
        }
        boolean creates = command.opcode() == OpCode.createSession;
        if (creates && !createSession(command, proposed)) {
            LOG.warn(
                    "Refusing session 0x{}: malformed, or the id is in use or that of a time to live, or its server is"
                            + " not in the ensemble",
                    Long.toHexString(sessionId));
            refuseSession(proposal);
            return;
        }
        long zxid = takeZxid();
        boolean reconfigRefused = command.opcode() == OpCode.reconfig
                && reconfigs.refusal(sessionId, command.cxid(), proposed.proposer()) != null;
        if (recovered.covers(zxid)) {
            InvariantViolated.check(own == null, "own command maps to %s, which the tree holds", Zxids.text(zxid));
            recovered.verify(zxid, sessionId, command.cxid(), time);
        } else {
            Request request = own != null ? own.request() : requests.remoteRequest(command);
            if (creates && proposal != null) {
                owned.owned(sessionId, state.sessions().get(sessionId).timeoutMillis());
            }
            requests.execute(request, proposed.proposer(), decided(command), zxid, time);
        }
        if (command.opcode() == OpCode.closeSession) {
            state.sessions().remove(sessionId);
            owned.forget(sessionId);
        }
        if (command.opcode() == OpCode.reconfig) {
            reconfigs.executed(reconfigRefused, sessionId, command.cxid(), zxid, time);
        }
        if (own != null) {
            own.afterExecution();
        }
    }

    private Command.ClientRequest decided(Command.ClientRequest command) {
        if (SharedSettings.isNoHash(state.executionProfile())) {
            return command;
        }
        // Members of a cluster formed by an earlier release share those settings, and its commands do not say them.
        // Before the cluster is formed nobody serves clients, so no member proposes requests.
        return command.by(ClientRights.rules(), command.lackedSchemes() | AuthenticationSchemes.lackedDigest());
    }

    private boolean createSession(Command.ClientRequest command, ProposedCommand proposed) {
        ByteSlice payload = command.payload();
        boolean wellFormed = payload != null && payload.length() == Integer.BYTES;
        boolean isOwner = NodeOwners.mayBeSession(state.executionProfile(), command.sessionId());
        if (!wellFormed || !isOwner || reconfigs.isOutside(proposed.proposer())) {
            return false;
        }
        int timeoutMillis = payload.asByteBuffer().getInt();
        return state.createSession(command.sessionId(), timeoutMillis, proposed.proposer(), proposed.incarnation());
    }

    private void refuseSession(Proposal proposal) {
        if (proposal instanceof UpgradeProposal upgrade) {
            owned.forget(upgrade.sessionId());
            events.sessionLost(upgrade.sessionId());
        } else if (proposal instanceof ClientProposal own) {
            long sessionId = own.request().sessionId;
            SessionState existing = state.sessions().get(sessionId);
            if (existing == null || existing.owner() != replicaId) {
                owned.forget(sessionId);
            }
            server.refuseSession(own.request());
            own.afterExecution();
        }
    }

    private long takeZxid() {
        long zxid = state.nextZxid();
        if (Zxids.epoch(zxid) != Zxids.epoch(state.zxid()) && !recovered.covers(zxid)) {
            server.beginEpoch(Zxids.epoch(zxid));
        }
        state.tookZxid(zxid);
        return zxid;
    }

    private void attach(Command.Attach attach, ProposedCommand proposed, AttachProposal own) {
        long sessionId = attach.sessionId();
        if (reconfigs.isOutside(proposed.proposer())) {
            if (own != null) {
                own.connection().close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
            }
            return;
        }
        SessionState before =
                state.sessions().attach(sessionId, proposed.proposer(), proposed.incarnation(), attach.timeoutMillis());
        if (before != null && before.owner() == replicaId && proposed.proposer() != replicaId) {
            owned.forget(sessionId);
            events.sessionLost(sessionId);
        }
        if (own == null) {
            return;
        }
        if (before != null) {
            owned.owned(sessionId, attach.timeoutMillis());
        }
        server.finishSessionInit(own.connection(), before != null);
    }

    private void expire(Command.Expire expire, int proposer, long time) {
        long sessionId = expire.sessionId();
        if (!state.sessions().mayExpire(sessionId, expire.owner(), expire.epoch())) {
            LOG.info(
                    "Session 0x{} does not expire: it has been attached or closed since that was proposed",
                    Long.toHexString(sessionId));
            return;
        }
        long zxid = takeZxid();
        if (recovered.covers(zxid)) {
            recovered.verify(zxid, sessionId, 0, time);
        } else {
            LOG.info("Expiring session 0x{}", Long.toHexString(sessionId));
            if (proposer == replicaId) {
                ServerMetrics.getMetrics().STALE_SESSIONS_EXPIRED.add(1);
            }
            Request request = requests.closeRequest(sessionId);
            requests.execute(request, proposer, null, zxid, time);
        }
        state.sessions().remove(sessionId);
        owned.forget(sessionId);
    }

    private void orphan(int replica, long throughIncarnation) {
        for (long sessionId : state.sessions().orphan(replica, throughIncarnation)) {
            if (replica == replicaId) {
                owned.forget(sessionId);
                events.sessionLost(sessionId);
            }
        }
    }

    private void replicaStarted(Command.ReplicaStarted started, ProposedCommand proposed, boolean self) {
        orphan(proposed.proposer(), proposed.incarnation() - 1);
        state.started(proposed.proposer(), proposed.incarnation(), started.maxTransactionBytes());
        state.said(proposed.proposer(), started.executionProfile());
        features.started(proposed.proposer(), started);
        long before = state.executionProfile();
        state.knows(proposed.proposer(), started.executionProfile(), started.schemes());
        if (state.executionProfile() != before) {
            checkProfile();
        }
        reconfigs.endUnlessEnabled();
        if (started.former() != null && state.clusterId() == null) {
            state.importedStates()
                    .report(proposed.proposer(), held(proposed.proposer(), started), started.goesWithout());
        }
        if (self) {
            checkProfile();
            events.selfStarted();
            return;
        }
        events.memberStarted(proposed.proposer());
        if (!SharedSettings.mayBeLinked(executionProfile, started.executionProfile())) {
            LOG.warn(
                    "Replica {} has started with other settings that influence execution than this replica has",
                    proposed.proposer());
        }
    }

    /**
     * What a replica's directories held. Of its own a replica knows it by itself: the start that has reported something
     * may have found others, which were lost since.
     */
    private ImportedState held(int replica, Command.ReplicaStarted started) {
        ImportedState own = replica == replicaId ? state.importedStates().of(replicaId) : null;
        return own == null ? started.former() : own;
    }

    private void clusterFormed(long position, Command.ClusterFormed formed) {
        if (state.clusterId() != null && !state.clusterId().equals(formed.replaces())) {
            return;
        }
        if (formed.replaces() == null && !begin(position, formed)) {
            return;
        }
        if (!ExecutionProfile.hasFormerProviders(formed.executionProfile())) {
            lacksFormerProviders(position, formed);
            return;
        }
        state.formed(formed.clusterId(), formed.executionProfile(), formed.replaces() == null ? formed.level() : null);
        features.formed();
        checkProfile();
        FormedOwners.putInForce(state, server.getZKDatabase().getDataTree(), executionProfile, knows255);
        if (formed.replaces() == null) {
            reconfigs.formed(formed.configuration(), recovered.covers(state.nextZxid()));
            reconfigs.endUnlessEnabled();
        }
        events.clusterFormed(formed.clusterId(), formed.replaces());
    }

    /** Up to the first start that says schemes every replica has what the cluster was formed with. */
    private void lacksFormerProviders(long position, Command.ClusterFormed formed) {
        LOG.warn(
                "What was ordered from position {} on needs the authentication providers that the cluster was formed"
                        + " with: {}. This server fetches the state of another server instead. If none of them has"
                        + " executed that, start the servers with those providers (authProvider.*) once more",
                position,
                ExecutionProfile.differenceFromFormer(formed.executionProfile()));
        beginsHere = false;
        foreign = true;
        awaitsSchemes = true;
    }

    /** An older state than that would need the former providers as well. */
    private void awaitSchemes(long position, Command command) {
        if (command instanceof Command.ReplicaStarted started && started.schemes() != null) {
            awaitsSchemes = false;
            events.stateNotTaken(position, List.of());
        }
    }

    /** Returns whether this replica has the state that the cluster begins with. */
    private boolean begin(long position, Command.ClusterFormed formed) {
        ImportedStates imported = state.importedStates();
        ImportedState origin = formed.origin() == null ? ImportedState.EMPTY : formed.origin();
        ImportedState reported = imported.of(replicaId);
        ImportedState held = reported == null ? ImportedState.EMPTY : reported;
        String refusal = held.refusalOfReplacementBy(origin);
        if (refusal != null) {
            foreign = true;
            events.stateRefused(server.getTxnLogFactory().getSnapDir() + " " + refusal);
            return false;
        }
        if (!held.isSameAs(origin)) {
            LOG.info("The cluster begins with {}, this replica has {}: it fetches the state", origin, held);
            foreign = true;
            List<Integer> sources = new ArrayList<>();
            imported.reports().forEach((replica, state) -> {
                if (replica != replicaId && state.isSameAs(origin)) {
                    sources.add(replica);
                }
            });
            events.stateNotTaken(position, sources);
            return false;
        }
        beginsHere = origin.holdsData();
        imported.formed(origin);
        return true;
    }

    private void checkProfile() {
        if (!state.mayBeExecutedWith(executionProfile)) {
            throw new ExecutionProfileMismatch(ExecutionProfile.mismatchMessage(
                    state.executionProfile(), SharedSettings.under(state.executionProfile(), executionProfile)));
        }
    }
}
