package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.time.Trace;

/** An application with somebody before it who notes what is executed, and passes on what is the world's business. */
record WatchedApplication(
        ReplicaHost host,
        StateMachine application,
        int checkpointEveryPositions,
        World world,
        Trace trace,
        OrderChecker checker)
        implements Application {
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
    public void positionBegins(long position) {
        trace.record(host.id(), "executes", position, null);
        application.positionBegins(position);
    }

    @Override
    public void membershipChanged(long position, Membership membership) {
        application.membershipChanged(position, membership);
    }

    @Override
    public void apply(long position, ProposedCommand command, Proposal own) {
        if (own != null) {
            host.applied(command, own);
        }
        application.apply(position, command, own);
    }

    @Override
    public void positionApplied(long position) {
        application.positionApplied(position);
        long digest = application.digest();
        if (digest != StateMachine.NO_DIGEST) {
            checker.executed(host.id(), position, digest);
        }
        if (!application.keepsFiles() && checkpointEveryPositions > 0 && position % checkpointEveryPositions == 0) {
            host.takeCheckpoint();
        }
    }

    @Override
    public void batchBegin() {
        application.batchBegin();
    }

    @Override
    public void batchEnd() {
        application.batchEnd();
    }

    @Override
    public void executionFailed() {
        application.executionFailed();
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        trace.record(host.id(), "is now", status.epoch(), status);
        world.statusChanged(host, status);
        application.statusChanged(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        trace.record(host.id(), silent ? "reports silent" : "reports back", member, null);
        if (host.replica().follows(HostRule.SESSIONS_OF_THE_SILENT_ARE_ORPHANED)) {
            application.memberSilent(member, silent);
        }
    }

    @Override
    public void superseded(long incarnation) {
        if (application.keepsFiles() && host.replica().follows(HostRule.SUPERSEDED_REPLICA_STARTS_ABOVE)) {
            application.superseded(incarnation);
        } else {
            world.superseded(host, incarnation);
        }
    }

    @Override
    public void checkpointWanted() {
        if (application.keepsFiles()) {
            application.checkpointWanted();
        } else {
            host.wantCheckpoint();
        }
    }

    @Override
    public void stateNeeded(int fromPeer, long position) {
        if (application.keepsFiles()) {
            application.stateNeeded(fromPeer, position);
        } else {
            world.stateWanted(host, fromPeer, position);
        }
    }
}
