package io.chainkeeper.chain;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;

/**
 * Rebuilds a replica's state from its log.
 *
 * <p>Known as decided is everything up to the checkpoint, up to the latest membership that was decided here, and up to
 * the highest {@code maxDecided} in the head of any record.
 */
final class Recovery {
    private final ReplicaState state;

    /** Everything up to here is known to be decided. */
    private long decided;

    /** Values from here on are kept in memory. */
    private long memoryFirst;

    Recovery(ReplicaState state) {
        this.state = state;
    }

    void recover(RecoveredState recovered) {
        LogRecord promise = recovered.metadata(ReplicaState.PROMISE);
        if (promise != null) {
            state.promised = Ballot.get(promise.head().asByteBuffer());
        }
        state.identity.start(recovered, promise == null);
        beginMembership(recovered);
        readHeads(recovered);
        readValues(recovered);
        if (state.context.start() == Start.SOLE_SURVIVOR) {
            Member survivor = new Member(state.self, state.identity.disk());
            state.memberships.force(new Membership(1, List.of(survivor)));
        }
        promiseAsTheStateDoes(recovered.metadata(LogRecord.PROMISE_OF_STATE_KIND));
    }

    private void beginMembership(RecoveredState recovered) {
        if (recovered.membership() != null) {
            state.memberships.replaceFrom(recovered.appliedPosition() + 1, recovered.membership());
        } else {
            List<Integer> initial = state.identity.initialParticipants();
            state.memberships.begin(
                    Membership.initial(state.settings.minQuorumSize(), initial), state.identity.isFounder());
        }
    }

    /** What was promised by accepting, and how far all is decided. */
    private void readHeads(RecoveredState recovered) {
        LogRecord membership = recovered.metadata(ReplicaState.MEMBERSHIP_DECIDED);
        decided = recovered.appliedPosition();
        if (membership != null) {
            decided = Math.max(decided, membership.head().asByteBuffer().getLong());
        }
        recovered.forEachHead(1, record -> {
            AcceptedHead head = AcceptedHead.of(record);
            if (state.promised.lessThan(head.ballot())) {
                state.promised = head.ballot();
            }
            decided = Math.max(decided, head.decided());
        });
    }

    private void readValues(RecoveredState recovered) {
        long applied = recovered.appliedPosition();
        memoryFirst = Math.max(
                Math.max(recovered.firstPosition(), 1),
                Math.min(decided, recovered.lastPosition()) - state.settings.minMemoryInstances() + 1);
        // A checkpoint may be ahead of the log: what others had decided can be executed before the own log is durable.
        boolean empty = recovered.lastPosition() < Math.max(memoryFirst, decided);
        state.values.clear(empty ? decided + 1 : memoryFirst);
        state.maxDecided = applied;
        state.agreement.hashes().begin(applied, recovered.appliedPrefixHash());
        if (!empty) {
            recovered.forEachPosition(Math.min(applied + 1, memoryFirst), this::readValue);
        }
        state.lackUpTo(decided);
        state.maxAccepted = state.maxDecided;
    }

    private void readValue(LogRecord record) {
        long instance = record.position();
        if (instance >= memoryFirst) {
            Ballot accepted = AcceptedHead.of(record).ballot();
            if (instance != state.values.last() + 1) {
                // The log has a hole where an earlier start found a checkpoint ahead of it.
                state.values.clear(instance);
            }
            state.values.put(instance, new AcceptedValues.Accepted(accepted, record.body(), 0));
        }
        if (instance == state.maxDecided + 1 && instance <= decided) {
            state.noteMembership(instance, record.body());
            state.deliver(instance, record.body());
            state.memberships.trim(instance);
        }
        state.values.trim(Math.min(state.values.last(), decided), 0, state.settings);
    }

    /**
     * A state that was installed was decided by ballots that its sender had promised and this replica perhaps had not,
     * so this replica promises what the sender had promised.
     */
    private void promiseAsTheStateDoes(LogRecord ofSender) {
        if (ofSender == null) {
            return;
        }
        InvariantViolated.check(
                ofSender.head().length() == Ballot.BYTES,
                "the state that was installed here came with a promise of %d bytes, not one of this protocol",
                ofSender.head().length());
        Ballot promised = Ballot.get(ofSender.head().asByteBuffer());
        if (state.promised.lessThan(promised)) {
            state.promise(promised);
        }
    }
}
