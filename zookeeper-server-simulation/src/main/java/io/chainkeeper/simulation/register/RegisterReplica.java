package io.chainkeeper.simulation.register;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.State;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.order.OrderChecker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Registers as the application of a replica: clients call it directly, without sessions. */
public final class RegisterReplica implements StateMachine {
    private static final class Write extends Proposal {
        private final ClientOperation operation;

        private Write(int stream, ClientOperation operation) {
            super(stream, operation.command().encode());
            this.operation = operation;
        }

        @Override
        public String toString() {
            return operation.toString();
        }
    }

    /** The first command of a start, as the server orders one. */
    private static final class Started extends Proposal {
        private Started() {
            super(0, RegisterCommand.NOTHING.encode());
        }

        @Override
        public String toString() {
            return "started";
        }
    }

    /** Put into words only if somebody listens. */
    private record Answer(ClientOperation operation, Outcome outcome) {
        @Override
        public String toString() {
            return operation + " -> " + outcome;
        }
    }

    private record Read(RegisterReplica replica, ClientOperation operation, long asked)
            implements TotalOrder.ReadWaiter {
        @Override
        public void barrierReached() {
            replica.checker.readAnswered(replica.host.id(), replica.position(), asked);
            replica.answerRead(operation);
        }

        @Override
        public String toString() {
            return operation.toString();
        }
    }

    private final RegisterMachine machine;
    private final long recoveredPosition;
    private final Map<ClientOperation, Outcome> answers = new LinkedHashMap<>();
    private final boolean readsWait;
    private final OrderChecker checker;
    private final List<Read> waitingReads = new ArrayList<>();
    private boolean hasStarted;
    private ReplicaHost host;

    /**
     * @param checkpoint to recover from
     * @param readsWait whether reads wait until a command of this start has taken effect, as the server's do
     * @param checker judges what reads see
     */
    public RegisterReplica(RegisterMachine.Checkpoint checkpoint, boolean readsWait, OrderChecker checker) {
        machine = new RegisterMachine(checkpoint);
        recoveredPosition = checkpoint.position();
        this.readsWait = readsWait;
        this.checker = checker;
    }

    /** The registers of a replica that has them, and runs. */
    public static RegisterReplica of(ReplicaHost host) {
        return (RegisterReplica) host.application();
    }

    @Override
    public void started(ReplicaHost ready) {
        host = ready;
        if (readsWait) {
            host.propose(new Started(), host.order()::propose);
        }
    }

    /** A client asks for something. */
    public void submit(long session, ClientOperation operation) {
        if (operation.isRead() && readsWait && !hasStarted) {
            waitingReads.add(new Read(this, operation, checker.readAsked()));
        } else if (operation.isRead()) {
            read(new Read(this, operation, checker.readAsked()));
        } else {
            host.propose(
                    new Write((int) Math.floorMod(session, (long) host.order().streamCount()), operation),
                    host.order()::propose);
        }
    }

    private void read(Read read) {
        host.replica().reads();
        host.readBarrier(read);
    }

    /** Its registers. */
    public RegisterMachine machine() {
        return machine;
    }

    @Override
    public long recoveredPosition() {
        return recoveredPosition;
    }

    @Override
    public ProposerTable proposerTable() {
        return machine.proposers();
    }

    @Override
    public Membership recoveredMembership() {
        return machine.membership();
    }

    @Override
    public void positionBegins(long position) {
        // Its checkpoints are taken between positions.
    }

    @Override
    public void membershipChanged(long position, Membership membership) {
        machine.membershipChanged(membership);
    }

    @Override
    public void apply(long position, ProposedCommand command, Proposal own) {
        Outcome outcome = machine.apply(command);
        if (own instanceof Write write) {
            answers.put(write.operation, outcome);
        }
        hasStarted |= own instanceof Started;
    }

    @Override
    public void positionApplied(long position) {
        machine.positionApplied(position);
        answers.forEach(this::answer);
        answers.clear();
        if (hasStarted && !host.isClosed()) {
            waitingReads.forEach(this::read);
            waitingReads.clear();
        }
    }

    private void answerRead(ClientOperation operation) {
        State state = machine.read(operation.key());
        answer(operation, Outcome.read(state.value(), state.version()));
    }

    private void answer(ClientOperation operation, Outcome outcome) {
        host.answers(new Answer(operation, outcome));
        operation.answered(outcome);
    }

    @Override
    public void batchEnd() {
        // Answers are given at once.
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        // Registers know no leader.
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        // Registers know no members.
    }

    @Override
    public void superseded(long incarnation) {
        throw new InvariantViolated("later starts are the simulator's business");
    }

    @Override
    public void stateNeeded(int fromPeer, long position) {
        throw new InvariantViolated("states are the simulator's business");
    }

    @Override
    public Membership membership() {
        return machine.membership();
    }

    @Override
    public long position() {
        return machine.position();
    }

    @Override
    public long digest() {
        return machine.digest();
    }

    @Override
    public Checkpoint beginCheckpoint() {
        return machine.checkpoint();
    }

    @Override
    public Checkpoint completeCheckpoint(Checkpoint begun) {
        return begun;
    }

    @Override
    public void crashed(Collection<Proposal> proposals, Collection<TotalOrder.ReadWaiter> waiters) {
        for (Proposal proposal : proposals) {
            if (proposal instanceof Write write) {
                write.operation.abandoned();
            }
        }
        waitingReads.forEach(read -> read.operation().abandoned());
        waiters.forEach(waiter -> ((Read) waiter).operation().abandoned());
    }
}
