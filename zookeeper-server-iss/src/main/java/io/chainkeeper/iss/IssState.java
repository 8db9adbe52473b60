package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.Refused;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import io.chainkeeper.ordering.prefix.Prefix;
import io.chainkeeper.ordering.prefix.PrefixWatch;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The acceptor's and learner's state, shared by the parts of the protocol of one replica. The only class that appends
 * accepted and decided values, promises and epochs, and that delivers.
 *
 * <p>What the log holds, in the order of its records, so that a crash which cuts off the end cuts the newest:
 *
 * <ul>
 *   <li>Of each position up to {@link #prefix} the decided value, appended before any record whose head says that the
 *       prefix reaches there. Initial leaders' nil may be missing from the durable part; nothing contradicts it. {@link
 *       Recovery} says what a start from a checkpoint ahead of the log makes of that.
 *   <li>The configuration of an epoch only behind the decided values of all epochs before it.
 * </ul>
 *
 * <p>Delivery waits: for the record of a value (so no checkpoint ever covers a position of which the log holds an older
 * value), and, at the last position of an epoch, until a quorum of the next one has its configuration on disk (so it
 * cannot be lost while any checkpoint needs it).
 */
final class IssState {
    /** Metadata record: the configuration of the newest epoch that this replica was in. */
    static final int EPOCH = 1;

    /** Positional record: an accepted value. Head: {@link AcceptedHead}; body: the value. */
    static final int ACCEPTED = 2;

    /** Metadata record: the promises in an epoch's segments. Kind {@link ReplicaIdentity#DISK} lies between. */
    static final int PROMISES = 4;

    /** Positional record: a decided value that was accepted otherwise, or not at all. Head and body as accepted. */
    static final int DECIDED = 5;

    private record Undelivered(long position, ByteSlice value, long prefixHash, Slot slot, long sequence) {}

    private record Unrecorded(long position, Slot slot) {}

    final ProtocolContext context;
    final IssSettings settings;
    final SafetyRules rules;
    final Effects effects;
    final int self;
    final ReplicaIdentity identity;

    /** Hashes of what is decided here, and which replicas hold another order. */
    final PrefixWatch agreement;

    final Peers peers;

    /** Decided values near the end of the order; every one whose record is not durable is among them. */
    final RecentValues recent;

    private final ArrayDeque<Undelivered> undelivered = new ArrayDeque<>();

    /** Positions of the present epoch that initial leaders have skipped and whose nil the log does not hold yet. */
    private final ArrayDeque<Unrecorded> unrecorded = new ArrayDeque<>();

    private Consumer<ByteSlice> toldDecided = value -> {};

    Ensemble ensemble;

    /** Whether this replica is going to stop, and no longer wants to lead. */
    boolean leaving;

    /** The epoch that this replica takes part in; null while it does not know it. */
    Epoch epoch;

    /**
     * The epoch that the log ends in, as long as values before it are lacking here; else null. This replica may have
     * promised and accepted in that epoch. So it takes part in none before it, and in this one with what the log knows.
     */
    Epoch awaited;

    /** Everything up to here is decided and known here. */
    long prefix;

    /** Everything up to here has been handed to the application. */
    long delivered;

    long durableSequence;
    long now;

    IssState(ProtocolContext context, IssSettings settings, SafetyRules rules, Effects effects) {
        this.context = context;
        this.settings = settings;
        this.peers = new Peers(settings);
        this.recent = new RecentValues(settings);
        this.rules = rules;
        this.effects = effects;
        this.self = context.replicaId();
        this.ensemble = context.ensemble();
        this.agreement = new PrefixWatch(self);
        this.identity = new ReplicaIdentity(context, effects, settings.minQuorumSize(), rules.switches());
    }

    // ---------------------------------------------------------------- who takes part

    boolean votesIn(EpochConfig config) {
        Member member = config.membership().find(self);
        return member != null && identity.votesAs(member);
    }

    boolean isVoter() {
        return epoch != null && epoch.isVoter();
    }

    /** Whether a replica is to be told values: a member, or configured. */
    boolean mayLearn(int id) {
        return ensemble.contains(id)
                || epoch != null && epoch.config().membership().contains(id);
    }

    /** Sends to every replica that is to be told and can be reached, once this record is durable. */
    void broadcast(long logSequence, IssMessage message) {
        for (int id = 1; id < Peers.IDS; id++) {
            if (peers.linkUp[id] && mayLearn(id)) {
                effects.sendAfter(logSequence, id, message);
            }
        }
    }

    Status status(boolean wantsEnd, boolean resend) {
        boolean durable = epoch != null && epoch.isVoter() && epoch.sequence() <= durableSequence;
        return new Status(
                epoch == null ? 0 : epoch.number(),
                agreement.hashes().latest(),
                delivered,
                epoch == null ? prefix : epoch.inUse(),
                durable ? epoch.number() : 0,
                identity.isDurable() ? identity.disk() : 0,
                isVoter(),
                epoch != null && epoch.maySpeak(),
                wantsEnd,
                resend);
    }

    /** Tells decided values of consecutive positions. */
    Learn telling(long from, List<ByteSlice> values) {
        Prefix order = agreement.hashes().upTo(from + values.size() - 1);
        return new Learn(from, order, delivered, values);
    }

    // ---------------------------------------------------------------- the log

    private long append(long position, int kind, Ballot ballot, ByteSlice value) {
        recordSkips();
        return append(position, kind, ballot, prefix, value);
    }

    private long append(long position, int kind, Ballot ballot, long known, ByteSlice value) {
        return effects.append(new LogRecord(position, kind, new AcceptedHead(ballot, known).encode(), value));
    }

    private long append(int kind, ByteSlice head) {
        recordSkips();
        return effects.append(new LogRecord(LogRecord.METADATA, kind, head, ByteSlice.EMPTY));
    }

    /**
     * Appends the initial leaders' nil that is in the prefix but not in the log. Nobody waits for it, so it goes there
     * with the next record that somebody waits for, instead of keeping the disk busy just before.
     */
    void recordSkips() {
        while (!unrecorded.isEmpty()) {
            Unrecorded next = unrecorded.remove();
            long sequence = append(next.position(), DECIDED, Ballot.NONE, next.position(), BatchCodec.NO_OP);
            next.slot().recorded(sequence);
            recent.recorded(next.position(), sequence);
        }
    }

    /** Accepts a value; returns the log record that an acknowledgement rests on. */
    long accept(Segment segment, int index, Ballot ballot, ByteSlice value) {
        InvariantViolated.check(
                !ballot.lessThan(segment.promised), "accepting in %s, promised %s", ballot, segment.promised);
        InvariantViolated.check(epoch.isVoter(), "replica %d accepts without a vote", self);
        segment.raise(ballot);
        Slot slot = segment.slot(index);
        InvariantViolated.check(
                !slot.isDecided() || value.equals(decidedValue(segment, index)),
                "%s is proposed at position %d, where something else is decided",
                value,
                segment.position(index));
        long position = segment.position(index);
        slot.accept(ballot, value, append(position, ACCEPTED, ballot, value));
        epoch.used(position, value, false);
        if (position <= delivered) {
            slot.release();
        }
        return slot.sequence();
    }

    /**
     * Tells a proposer that a higher ballot is promised here, once the disk holds that: a replica whose disk hangs
     * would else raise its own ballot in memory again and again, and end whatever the others propose without it.
     */
    void refuse(int proposer, Segment segment, Ballot ballot) {
        Refused refusal = new Refused(epoch.number(), segment.number(), ballot, segment.promised);
        effects.sendAfter(segment.promiseSequence, proposer, refusal);
    }

    /** Promises a ballot for a segment; the promise rests on {@link Segment#promiseSequence}. */
    void promise(Segment segment, Ballot ballot) {
        InvariantViolated.check(!ballot.lessThan(segment.promised), "promise %s after %s", ballot, segment.promised);
        segment.raise(ballot);
        segment.progressTick = now;
        segment.promiseSequence = append(PROMISES, epoch.encodePromises());
        segment.recordedPromise = ballot;
    }

    // ---------------------------------------------------------------- epochs

    /** Begins an epoch. Its configuration goes to the log before anything that is done in it. */
    void enter(EpochConfig config, boolean maySpeak) {
        InvariantViolated.check(prefix >= config.first() - 1, "%s begins although only %d is decided", config, prefix);
        epoch = new Epoch(config, self, votesIn(config), maySpeak, prefix, now);
        epoch.appended(append(EPOCH, config.encode()));
        if (prefix >= config.first()) {
            epoch.held(); // others that are in it have told what is decided there
        }
        identity.joined();
        noteHolders();
    }

    /**
     * The record of this start that says that this replica is in the epoch. What an earlier start recorded is recorded
     * once more before anything is to rest on it ({@link io.chainkeeper.ordering.PromiseRule}).
     */
    long epochSequence() {
        if (epoch.sequence() == 0) {
            epoch.appended(append(EPOCH, epoch.config().encode()));
        }
        return epoch.sequence();
    }

    /** Goes on with the epoch that the log ends in. */
    void resume(Epoch recovered) {
        epoch = recovered;
        awaited = null;
        for (Segment segment : recovered.segments()) {
            segment.progressTick = now;
        }
    }

    /**
     * Whether a position lies before an epoch that this replica was in. If so it is decided, no matter who tells so.
     */
    boolean isBeforeAwaited(long position) {
        return awaited != null && position < awaited.config().first();
    }

    /** The membership after the user has given up all other members. */
    Membership survivors() {
        return new Membership(1, List.of(new Member(self, identity.disk())));
    }

    /** An epoch, in which nobody else decides if the user has given up all other members. */
    EpochConfig survived(EpochConfig config) {
        return context.start() == Start.SOLE_SURVIVOR ? config.with(survivors()) : config;
    }

    /** As {@link #survived}, of the epoch that the log ends in; from now on the log says so too. */
    EpochConfig recordSurvived(EpochConfig config) {
        EpochConfig survived = survived(config);
        append(EPOCH, survived.encode());
        return survived;
    }

    /** Looks whether a quorum has the epoch's configuration on disk. */
    void noteHolders() {
        if (epoch == null || epoch.isHeld()) {
            return;
        }
        int holders = 0;
        for (Member member : epoch.config().membership().members()) {
            int id = member.replicaId();
            boolean holds = id == self
                    ? epoch.isVoter() && epoch.sequence() <= durableSequence
                    : peers.status(id).durableEpoch() >= epoch.number();
            holders += holds ? 1 : 0;
        }
        boolean othersDelivered = peers.maxDelivered() >= epoch.config().first() - 1;
        if (holders >= epoch.config().membership().quorum() || othersDelivered) {
            epoch.held();
        }
    }

    /**
     * Whether a leader still lacks the epoch on its disk when one that is silent would have been missed long ago. It
     * lives, and says so, but it proposes nothing: its disk hangs, or it is epochs behind.
     */
    boolean hangsAtBeginning(int leader) {
        return lacksEpochOnDisk(leader) && epoch.ticks(now) > 2L * settings.suspicionTicks();
    }

    private boolean lacksEpochOnDisk(int leader) {
        Status status = peers.status(leader);
        return peers.hasTold(leader) && status.epoch() <= epoch.number() && status.durableEpoch() < epoch.number();
    }

    /** The next tick from which on {@link #hangsAtBeginning} says so unless something else happens before. */
    long dueHangTick(int leader) {
        long due = now - epoch.ticks(now) + 2L * settings.suspicionTicks() + 1;
        return lacksEpochOnDisk(leader) && due > now ? due : Long.MAX_VALUE;
    }

    // ---------------------------------------------------------------- decisions

    /** How a decision became known. */
    enum Source {
        /** The initial leader has skipped. */
        SKIP,
        /** A quorum has told this replica, which proposed it, that they have accepted, in the same ballot. */
        BALLOT,
        /** A quorum has accepted, in whatever ballot, behind the epoch's configuration in their logs. */
        QUORUM,
        /** Another replica that knows the decision has told it, but not how it came about. */
        HEARSAY
    }

    /** What is decided at a position of the present epoch; null if that is no longer in memory. */
    ByteSlice decidedValue(Segment segment, int index) {
        Slot slot = segment.slot(index);
        return slot.value() == null ? recent.value(segment.position(index)) : slot.value();
    }

    /** A position of the present epoch is decided. */
    void decide(Segment segment, int index, ByteSlice value, Source source) {
        Slot slot = segment.slot(index);
        long position = segment.position(index);
        if (slot.isDecided()) {
            InvariantViolated.check(
                    slot.value() == null || slot.value().equals(value),
                    "agreement: %s is decided at position %d, where %s is decided",
                    value,
                    position,
                    slot.value());
            return;
        }
        boolean contradicted =
                contradicts(segment, slot, value) && rules.isOn(SafetyRule.CONTRADICTED_BALLOT_IS_GIVEN_UP);
        boolean overtaken = overtakes(segment, index, source) && rules.isOn(SafetyRule.OVERTAKEN_LEADER_STOPS);
        if (contradicted || overtaken) {
            segment.giveUp();
        }
        slot.decide(value, source == Source.SKIP, source == Source.BALLOT);
        epoch.used(position, value, true);
        segment.progressTick = now;
        if (source == Source.BALLOT || source == Source.QUORUM || !isNil(value)) {
            epoch.held();
        }
    }

    /** Whether this replica has proposed another value in the ballot that it still proposes in. */
    private static boolean contradicts(Segment segment, Slot slot, ByteSlice value) {
        boolean proposed = slot.hasValue() && slot.ballot().equals(segment.proposing());
        return proposed && !value.equals(slot.value());
    }

    /** Whether others have finished a segment in which this replica, its initial leader, has not proposed all. */
    private static boolean overtakes(Segment segment, int index, Source source) {
        return segment.proposing().equals(segment.initial) && index >= segment.next && source != Source.SKIP;
    }

    /** Takes note of what is decided without a gap; returns whether the epoch is complete. */
    boolean advance() {
        while (epoch != null && epoch.config().contains(prefix + 1)) {
            Slot slot = epoch.slot(prefix + 1);
            if (!slot.isDecided()) {
                break;
            }
            take(slot.value(), slot);
        }
        return epoch != null && prefix == epoch.config().last();
    }

    /** The next position is decided, in an epoch that this replica does not know. */
    void learn(ByteSlice value) {
        take(value, null);
    }

    /** Sets what is told each value as soon as the place of the value in the order is known. */
    void tellDecided(Consumer<ByteSlice> told) {
        toldDecided = told;
    }

    private void take(ByteSlice value, Slot slot) {
        prefix++;
        long hash = agreement.append(value);
        toldDecided.accept(value);
        boolean recorded = slot != null && slot.isRecorded();
        if (!recorded && slot != null && slot.isSkipped()) {
            unrecorded.add(new Unrecorded(prefix, slot));
            recent.add(prefix, value, Long.MAX_VALUE);
            undelivered.add(new Undelivered(prefix, value, hash, slot, 0));
            return;
        }
        long sequence = recorded ? slot.sequence() : append(prefix, DECIDED, Ballot.NONE, value);
        if (!recorded && slot != null) {
            slot.recorded(sequence);
        }
        recent.add(prefix, value, sequence);
        undelivered.add(new Undelivered(prefix, value, hash, slot, sequence));
    }

    /** A decided value that the log held when this replica started. */
    void recovered(ByteSlice value) {
        prefix++;
        undelivered.add(new Undelivered(prefix, value, agreement.append(value), null, 0));
    }

    /** Delivers what may be. */
    void deliver() {
        while (!undelivered.isEmpty() && mayDeliver(undelivered.peek())) {
            Undelivered next = undelivered.remove();
            delivered = next.position();
            if (next.slot() != null) {
                next.slot().release();
            }
            effects.deliver(next.position(), next.value(), next.prefixHash());
        }
        recent.trim(delivered, durableSequence);
    }

    private boolean mayDeliver(Undelivered next) {
        if (next.sequence() > durableSequence && rules.isOn(SafetyRule.VALUE_IS_DURABLE_BEFORE_DELIVERY)) {
            return false;
        }
        boolean endsEpoch = epoch != null && next.position() == epoch.config().first() - 1;
        return !endsEpoch || epoch.isHeld() || !rules.isOn(SafetyRule.NEXT_EPOCH_IS_HELD_BEFORE_DELIVERY);
    }

    void tellOccupancy(Occupancy occupancy) {
        recent.tellOccupancy(occupancy, delivered, durableSequence);
        if (epoch != null) {
            EpochConfig config = epoch.config();
            long longest = Math.max(settings.maxSegmentPositions(), EpochConfig.INITIAL_SEGMENT_POSITIONS);
            occupancy.holds("segment_positions", config.segmentPositions(), longest, Slack.NONE);
        }
    }

    /** How many values are known to be decided and not delivered yet. */
    int undelivered() {
        return undelivered.size();
    }

    void checkInvariants() {
        InvariantViolated.check(delivered <= prefix, "delivered %d, decided only up to %d", delivered, prefix);
        if (epoch != null) {
            InvariantViolated.check(
                    prefix >= epoch.config().first() - 1, "%s, decided only up to %d", epoch.config(), prefix);
        }
    }

    static boolean isNil(ByteSlice value) {
        return value.equals(BatchCodec.NO_OP);
    }
}
