package io.chainkeeper.chain;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import io.chainkeeper.ordering.prefix.PrefixWatch;
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

    /** Arrays indexed by replica id have this length. */
    static final int IDS = Membership.MAX_REPLICA_ID + 1;

    /**
     * Metadata record: the latest instance decided here that is a membership. Without this record, members that all
     * crash could have to ask a member that the order has replaced since, and whose disk is gone.
     */
    static final int MEMBERSHIP_DECIDED = 4;

    /** Positional record: an accepted value. Head: {@link AcceptedHead}; body: the value. */
    static final int ACCEPTED = 2;

    private record Pending(long logSequence, long instance) {}

    final ProtocolContext context;
    final ChainSettings settings;
    final SafetyRules rules;
    final Effects effects;
    final int self;
    final AcceptedValues values;
    final boolean[] linkUp = new boolean[IDS];
    final ReplicaIdentity identity;

    /** Hashes of what is decided here, and which replicas hold another order. */
    final PrefixWatch agreement;

    /** Acceptances of the current ballot whose record is not durable yet. */
    private final ArrayDeque<Pending> pendingAcks = new ArrayDeque<>();

    Progress progress = new Progress();
    Memberships memberships;

    /** The configured ensemble. */
    Ensemble ensemble;

    /** Whether this replica is going to stop, and no longer wants to lead. */
    boolean leaving;

    private Role role = Role.LOOKING;

    /** The highest ballot that this acceptor promised or accepted in; lower ones are refused. */
    Ballot promised = Ballot.NONE;

    /** The log record of that promise; 0 as long as this start has not recorded it. */
    private long promiseSequence;

    /** The newest log record that the own entry of the acknowledgement vector rests on; 0 if none of this start. */
    private long acknowledgedSequence;

    /** The ballot that this replica leads or follows; {@link Ballot#NONE} while it does neither. */
    Ballot ballot = Ballot.NONE;

    /** First instance that {@link #ballot} proposes. */
    long start;

    /** Leader of {@link #ballot}; 0 while there is none. */
    int leader;

    private final ChainOrder order;

    /** Every instance up to here is decided here, or accepted in {@link #ballot}. */
    long maxAccepted;

    /** Every instance up to here is decided and delivered. */
    long maxDecided;

    /** Every instance up to here is decided here, or durably accepted in {@link #ballot}. */
    private long maxDurable;

    /**
     * Everything up to here is known to be decided, but the log has a hole: an earlier start found a checkpoint ahead
     * of the log, and that checkpoint is gone. Until the state of another replica closes the hole, this replica
     * promises as far as it can tell what it has accepted, but neither stands nor accepts. Not above {@link
     * #maxDecided} if there is no hole.
     */
    private long lacksUpTo;

    /** Highest instance accepted here over a value of an older ballot. */
    private long overwritten;

    /** Highest log sequence that is durable. */
    long durableSequence;

    /** Ticks since start. */
    long now;

    ReplicaState(ProtocolContext context, ChainSettings settings, SafetyRules rules, Effects effects) {
        this.context = context;
        this.settings = settings;
        this.values = new AcceptedValues(settings);
        this.rules = rules;
        this.effects = effects;
        this.self = context.replicaId();
        this.ensemble = context.ensemble();
        this.agreement = new PrefixWatch(self);
        this.identity = new ReplicaIdentity(context, effects, settings.minQuorumSize(), rules.switches());
        this.memberships = new Memberships(1, Membership.initial(settings.minQuorumSize(), ensemble.participants()));
        this.order = new ChainOrder(this);
    }

    // ---------------------------------------------------------------- the role

    Role role() {
        return role;
    }

    boolean isLeader() {
        return role == Role.LEADER;
    }

    boolean isFollower() {
        return role == Role.FOLLOWER;
    }

    /** Whether this replica neither leads nor hears a leader. */
    boolean isLooking() {
        return role == Role.LOOKING;
    }

    /**
     * Leads a ballot from now on if this replica has prepared it, else follows it: what was accepted in older ballots
     * no longer counts unless decided.
     */
    void enter(Ballot next, long firstInstance) {
        InvariantViolated.check(!next.lessThan(promised), "ballot %s entered below the promise %s", next, promised);
        if (promised.lessThan(next)) {
            promise(next); // also so as not to forget that there is a cluster: a blank disk may found another one
        }
        ballot = next;
        start = firstInstance;
        leader = next.replica();
        become(leader == self ? Role.LEADER : Role.FOLLOWER);
        beginAccepting();
        progress = new Progress();
        progress.raiseMaxDecided(maxDecided);
        keepAcceptedInBallot();
    }

    /** The leader has fallen silent. Its ballot stays the present one until another is promised. */
    void missLeader() {
        InvariantViolated.check(isFollower(), "%s misses a leader", role);
        become(Role.LOOKING);
    }

    /** The leader that had fallen silent is heard again, and no other ballot was promised since. */
    void followAgain() {
        become(Role.FOLLOWER);
        acknowledge(); // of what became durable meanwhile
    }

    /** Leads and follows nobody from now on. */
    void leave() {
        ballot = Ballot.NONE;
        leader = 0;
        become(Role.LOOKING);
        beginAccepting();
    }

    /**
     * The only place where the role changes. A replica that leads or follows a ballot has promised that ballot and none
     * higher. Only the replica that prepared a ballot leads it, and a leader was a candidate before, which follows
     * nobody.
     */
    private void become(Role next) {
        boolean isAllowed = switch (next) {
            case LEADER -> role == Role.LOOKING && leader == self && ballot.equals(promised);
            case FOLLOWER -> leader != 0 && leader != self && ballot.equals(promised);
            default -> next == Role.LOOKING;
        };
        InvariantViolated.check(
                isAllowed, "%s becomes %s of ballot %s although %s is promised", role, next, ballot, promised);
        role = next;
    }

    // ---------------------------------------------------------------- what is lacking

    /** At the start: so much is known to be decided. */
    void lackUpTo(long decided) {
        boolean othersKnow = rules.isOn(SafetyRule.HOLE_IS_FILLED_BY_A_STATE)
                && context.start() != ProtocolContext.Start.SOLE_SURVIVOR
                && ensemble.participants().size() + ensemble.observers().size() > 1;
        InvariantViolated.check(
                maxDecided == decided || othersKnow,
                "the acceptor log knows instance %d as decided but holds values only up to %d, and there is no other"
                        + " replica that could tell the rest. Restore this replica's data directories from a backup"
                        + " that belongs together",
                decided,
                maxDecided);
        lacksUpTo = decided;
    }

    /** Whether values are lacking here that only the state of another replica can bring. */
    boolean lacksState() {
        return maxDecided < lacksUpTo;
    }

    /** The first instance that the order can bring, if others still have it. */
    long firstAfterLacking() {
        return lacksUpTo + 1;
    }

    // ---------------------------------------------------------------- who takes part

    /** The membership in force at the first instance that is not decided here. */
    Membership membership() {
        return memberships.at(maxDecided + 1);
    }

    /**
     * Whether this replica votes. Only what is decided makes it a voter: a joiner that acknowledged before its
     * admission was decided would count in a quorum that its admission rests on.
     */
    boolean isVoter() {
        return votesIn(membership());
    }

    /**
     * Whether this replica votes, or may do so without knowing it yet. In the second case it must know who votes on the
     * first instance that it would propose: judged by the wrong membership, an admission that was decided would look
     * like one that cannot have been decided, and this replica would propose something else in its place.
     */
    boolean mayStand() {
        if (lacksState()) {
            return false;
        }
        boolean may = isVoter();
        boolean isKnown = memberships.isKnownAt(maxDecided + 1);
        if (!isKnown && rules.isOn(SafetyRule.CANDIDATE_KNOWS_THE_MEMBERSHIP)) {
            return may;
        }
        for (long i = Math.max(maxDecided + 1, values.first()); i <= values.last() && !may; i++) {
            ByteSlice value = values.get(i).value();
            may = BatchCodec.isMembership(value) && votesIn(BatchCodec.membershipIn(value));
        }
        return may;
    }

    private boolean votesIn(Membership membership) {
        Member member = membership.find(self);
        return member != null && identity.votesAs(member);
    }

    /** Whether a replica is to be given values: a member, or configured. */
    boolean mayLearn(int id) {
        return ensemble.contains(id)
                || membership().contains(id)
                || memberships.latest().contains(id);
    }

    /** All replicas in the order of the chain; this replica is always among them. */
    int[] chain() {
        return order.replicas();
    }

    /** Place of a replica in the chain of the followed ballot: 0 is the head, the leader; -1 if it has no place. */
    int chainPosition(int id) {
        return order.position(id);
    }

    /** Whether a replica stands in the chain as a member, so that what it is fed comes round to the leader. */
    boolean isMember(int id) {
        return memberships.latest().contains(id) || membership().contains(id);
    }

    // ---------------------------------------------------------------- accepting and deciding

    private void beginAccepting() {
        maxAccepted = maxDecided;
        maxDurable = maxDecided;
        pendingAcks.clear();
        memberships.forgetAbove(maxDecided + 1);
    }

    /** After a restart in the middle of a ballot: what the log holds of it was accepted, and still is. */
    private void keepAcceptedInBallot() {
        while (values.contains(maxAccepted + 1)
                && rules.countsAsAccepted(values.get(maxAccepted + 1).accepted(), ballot)) {
            AcceptedValues.Accepted kept = values.get(maxAccepted + 1);
            maxAccepted++;
            noteMembership(maxAccepted, kept.value());
            pendingAcks.add(new Pending(kept.logSequence(), maxAccepted));
        }
        // Below its start a ballot hands on only what was decided before.
        progress.raiseMaxDecided(Math.min(maxAccepted, start - 1));
        durable(durableSequence);
        acknowledge();
    }

    /** The value of the next instance is known to be the decided one. The only place that delivers. */
    void deliver(long instance, ByteSlice value) {
        InvariantViolated.check(instance == maxDecided + 1, "instance %d decided after %d", instance, maxDecided);
        maxDecided = instance;
        effects.deliver(instance, value, agreement.append(value));
    }

    /** A value puts a membership in force from the next instance on, or does not. */
    void noteMembership(long instance, ByteSlice value) {
        if (BatchCodec.isMembership(value)) {
            memberships.put(instance + 1, BatchCodec.membershipIn(value));
        }
    }

    /** Remembers that a membership is decided. */
    void keepMembershipDecided(long instance) {
        if (!rules.isOn(SafetyRule.DECIDED_MEMBERSHIP_IS_RECORDED)) {
            return;
        }
        ByteSlice head =
                ByteSlice.of(ByteBuffer.allocate(Long.BYTES).putLong(instance).array());
        effects.append(new LogRecord(LogRecord.METADATA, MEMBERSHIP_DECIDED, head, ByteSlice.EMPTY));
    }

    /**
     * The record of this start that the promise of the present ballot rests on. What an earlier start recorded is
     * recorded once more ({@link io.chainkeeper.ordering.PromiseRule}).
     */
    long promiseSequence() {
        if (promiseSequence == 0) {
            promise(promised);
        }
        return promiseSequence;
    }

    /** The record that everything rests on which is said in the present ballot. */
    long basis() {
        return Math.max(promiseSequence(), acknowledgedSequence);
    }

    /** Promises a ballot; the promise rests on {@link #promiseSequence}. */
    void promise(Ballot next) {
        InvariantViolated.check(!next.lessThan(promised), "promise %s after %s", next, promised);
        promised = next;
        ByteSlice head =
                ByteSlice.of(next.put(ByteBuffer.allocate(Ballot.BYTES)).array());
        promiseSequence = effects.append(new LogRecord(LogRecord.METADATA, PROMISE, head, ByteSlice.EMPTY));
    }

    /** Accepts the next instance in the current ballot; acknowledged when its record is durable. */
    void accept(long instance, ByteSlice value) {
        InvariantViolated.check(instance == maxAccepted + 1, "instance %d accepted after %d", instance, maxAccepted);
        InvariantViolated.check(ballot.equals(promised), "accepting in %s, promised %s", ballot, promised);
        ByteSlice head = new AcceptedHead(ballot, maxDecided).encode();
        long sequence = effects.append(new LogRecord(instance, ACCEPTED, head, value));
        if (values.contains(instance)) {
            overwritten = instance;
        }
        values.put(instance, new AcceptedValues.Accepted(ballot, value, sequence));
        maxAccepted = instance;
        noteMembership(instance, value);
        pendingAcks.add(new Pending(sequence, instance));
    }

    /** Records are durable: acknowledge what they hold. */
    void durable(long logSequence) {
        InvariantViolated.check(
                logSequence >= durableSequence, "durable sequence fell from %d to %d", durableSequence, logSequence);
        durableSequence = logSequence;
        while (!pendingAcks.isEmpty() && pendingAcks.peek().logSequence() <= logSequence) {
            Pending durable = pendingAcks.remove();
            maxDurable = durable.instance();
            acknowledgedSequence = Math.max(acknowledgedSequence, durable.logSequence());
        }
        acknowledge();
    }

    /** Says in this replica's entry of the vector what is durable, as far as it votes. */
    void acknowledge() {
        if (role == Role.LOOKING || !isVoter()) {
            return;
        }
        long mine = maxDurable;
        boolean mayLeave = memberships.latestFrom() > maxDecided + 1;
        if (mayLeave && rules.isOn(SafetyRule.LEAVER_ACKNOWLEDGES_NOTHING_BEYOND)) {
            // This replica may be about to leave the membership: it has no say in what comes after.
            for (long i = maxDecided + 1; i <= mine; i++) {
                if (!votesIn(memberships.at(i))) {
                    mine = i - 1;
                }
            }
        }
        progress.raiseAck(self, mine);
    }

    /**
     * How far the vector and what others said allow to decide. What others made durable need not be durable here,
     * except where the log holds a value of an older ballot: after a crash a checkpoint could cover that instance, and
     * the old value would pass for the decided one. The promise must be durable: a replica that comes back with the
     * checkpoint but without the promise would follow a lower ballot and tell there that all this is decided. Only a
     * voter recognises a quorum, because it knows the memberships.
     */
    long decidable() {
        if (!rules.mayDeliver(promiseSequence <= durableSequence)) {
            return maxDecided;
        }
        if (isVoter() || !rules.isOn(SafetyRule.ONLY_VOTERS_COUNT_QUORUMS)) {
            progress.raiseMaxDecided(memberships.reachedByQuorum(progress::ack, maxDecided + 1, maxAccepted));
        }
        long decidable = Math.min(progress.maxDecided(), maxAccepted);
        return waitsForOwnRecord() ? Math.min(decidable, maxDurable) : decidable;
    }

    private boolean waitsForOwnRecord() {
        return maxDecided < overwritten && rules.isOn(SafetyRule.OVERWRITTEN_VALUE_IS_DURABLE_BEFORE_DELIVERY);
    }

    /** Whether more is known to be decided than may be executed before the own disk holds it. */
    boolean isHeldUpByDisk() {
        return waitsForOwnRecord() && maxDecided < Math.min(progress.maxDecided(), maxAccepted);
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
                progress.ack(self) <= maxAccepted || role == Role.LOOKING,
                "acknowledged %d but accepted only up to %d",
                progress.ack(self),
                maxAccepted);
    }
}
