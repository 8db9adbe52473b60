package io.chainkeeper.chain;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProtocolContext;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The acceptor's state, shared by the parts of the protocol of one replica: ballots, watermarks, values. The only class
 * that appends accepted values and promises.
 *
 * <p>Invariants, checked after every input: {@code delivered == maxDecided <= maxAccepted}; the own entry of the
 * acknowledgement vector never exceeds {@code maxAccepted}; a followed ballot is the promised one.
 */
final class ReplicaState {
    /** Metadata record: the promised ballot. */
    static final int PROMISE = 1;

    /** Positional record: an accepted value. Head: ballot and maxDecided at the time; body: the value. */
    static final int ACCEPTED = 2;

    private static final int BALLOT_BYTES = 12;

    private record Pending(long logSequence, long instance) {}

    final ProtocolContext context;
    final ChainSettings settings;
    final Effects effects;
    final int selfIndex;
    final AcceptedValues values = new AcceptedValues();
    final boolean[] linkUp;

    /** Acceptances of the current ballot whose record is not durable yet. */
    private final ArrayDeque<Pending> pendingAcks = new ArrayDeque<>();

    Progress progress;
    Role role = Role.LOOKING;

    /** The highest ballot that this acceptor promised or accepted in; lower ones are refused. */
    Ballot promised = Ballot.NONE;

    /** The ballot that this replica leads or follows; {@link Ballot#NONE} while it does neither. */
    Ballot ballot = Ballot.NONE;

    /** First instance that {@link #ballot} proposes. */
    long start;

    /** Index of the leader of {@link #ballot}; -1 while there is none. */
    int leaderIndex = -1;

    /** Every instance up to here is decided here, or accepted in {@link #ballot}. */
    long maxAccepted;

    /** Every instance up to here is decided and delivered. */
    long maxDecided;

    /** Highest instance accepted here over a value of an older ballot. */
    private long overwritten;

    /** Highest log sequence that is durable. */
    long durableSequence;

    /** Ticks since start. */
    long now;

    ReplicaState(ProtocolContext context, ChainSettings settings, Effects effects) {
        this.context = context;
        this.settings = settings;
        this.effects = effects;
        this.selfIndex = context.ensemble().participants().indexOf(context.replicaId());
        this.linkUp = new boolean[context.ensemble().participants().size()];
        this.progress = new Progress(context.ensemble().participants().size());
    }

    int memberCount() {
        return context.ensemble().participants().size();
    }

    int idOf(int index) {
        return context.ensemble().participants().get(index);
    }

    int indexOf(int replicaId) {
        return context.ensemble().participants().indexOf(replicaId);
    }

    boolean isLeader() {
        return role == Role.LEADER;
    }

    /** Place in the chain of the followed ballot: 0 is the head, the leader. */
    int chainPosition(int index) {
        return Math.floorMod(index - leaderIndex, memberCount());
    }

    /** Follows or leads a ballot from now on: what was accepted in older ballots no longer counts unless decided. */
    void enter(Ballot next, long firstInstance, Role nextRole) {
        InvariantViolated.check(!next.lessThan(promised), "ballot %s entered below the promise %s", next, promised);
        promised = next;
        ballot = next;
        start = firstInstance;
        leaderIndex = indexOf(next.replica());
        role = nextRole;
        maxAccepted = maxDecided;
        pendingAcks.clear();
        progress = new Progress(memberCount());
        progress.raiseMaxDecided(maxDecided);
        progress.raiseAck(selfIndex, maxDecided);
        keepAcceptedInBallot();
    }

    /** After a restart in the middle of a ballot: what the log holds of it was accepted, and still is. */
    private void keepAcceptedInBallot() {
        while (values.contains(maxAccepted + 1)
                && values.get(maxAccepted + 1).accepted().equals(ballot)) {
            maxAccepted++;
            pendingAcks.add(new Pending(values.get(maxAccepted).logSequence(), maxAccepted));
        }
        // Below its start a ballot hands on only what was decided before.
        progress.raiseMaxDecided(Math.min(maxAccepted, start - 1));
        durable(durableSequence);
    }

    /** Leads and follows nobody from now on. */
    void leave() {
        ballot = Ballot.NONE;
        leaderIndex = -1;
        role = Role.LOOKING;
        maxAccepted = maxDecided;
        pendingAcks.clear();
    }

    /** Promises a ballot; returns the log sequence that the promise rests on. */
    long promise(Ballot next) {
        InvariantViolated.check(promised.lessThan(next), "promise %s does not exceed %s", next, promised);
        promised = next;
        ByteBuffer head = ByteBuffer.allocate(BALLOT_BYTES);
        head.putLong(next.round()).putInt(next.replica());
        return effects.append(new LogRecord(LogRecord.METADATA, PROMISE, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    /** Accepts the next instance in the current ballot; acknowledged when its record is durable. */
    void accept(long instance, ByteSlice value) {
        InvariantViolated.check(instance == maxAccepted + 1, "instance %d accepted after %d", instance, maxAccepted);
        InvariantViolated.check(ballot.equals(promised), "accepting in %s, promised %s", ballot, promised);
        ByteBuffer head = ByteBuffer.allocate(BALLOT_BYTES + Long.BYTES);
        head.putLong(ballot.round()).putInt(ballot.replica()).putLong(maxDecided);
        long sequence = effects.append(new LogRecord(instance, ACCEPTED, ByteSlice.of(head.array()), value));
        if (values.contains(instance)) {
            overwritten = instance;
        }
        values.put(instance, new AcceptedValues.Accepted(ballot, value, sequence));
        maxAccepted = instance;
        pendingAcks.add(new Pending(sequence, instance));
    }

    /** Records are durable: acknowledge what they hold. */
    void durable(long logSequence) {
        InvariantViolated.check(
                logSequence >= durableSequence, "durable sequence fell from %d to %d", durableSequence, logSequence);
        durableSequence = logSequence;
        while (!pendingAcks.isEmpty() && pendingAcks.peek().logSequence() <= logSequence) {
            progress.raiseAck(selfIndex, pendingAcks.remove().instance());
        }
    }

    /**
     * How far the vector and what others said allow to decide. What others made durable need not be durable here,
     * except where the log holds a value of an older ballot: after a crash a checkpoint could cover that instance, and
     * the old value would pass for the decided one.
     */
    long decidable() {
        progress.raiseMaxDecided(progress.ackedByQuorum(settings.quorum()));
        long decidable = Math.min(progress.maxDecided(), maxAccepted);
        return maxDecided < overwritten ? Math.min(decidable, progress.ack(selfIndex)) : decidable;
    }

    void checkInvariants() {
        InvariantViolated.check(
                maxDecided <= maxAccepted, "decided up to %d but accepted up to %d", maxDecided, maxAccepted);
        InvariantViolated.check(
                role == Role.LOOKING || ballot.equals(promised),
                "%s of ballot %s although %s is promised",
                role,
                ballot,
                promised);
        InvariantViolated.check(
                progress.ack(selfIndex) <= maxAccepted || role == Role.LOOKING,
                "acknowledged %d but accepted only up to %d",
                progress.ack(selfIndex),
                maxAccepted);
    }

    static Ballot ballotOf(ByteBuffer head) {
        return new Ballot(head.getLong(), head.getInt());
    }
}
