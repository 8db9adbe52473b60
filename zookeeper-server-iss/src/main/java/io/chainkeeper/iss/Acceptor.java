package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;

/**
 * Phase 2 at replicas that do not propose: acceptors, and replicas that only learn. An acceptor answers the proposer
 * when its record is durable. What a proposer says to be decided is decided here if the value was received in the same
 * ballot.
 */
final class Acceptor {
    private final IssState state;
    private final CatchUp catchUp;

    Acceptor(IssState state, CatchUp catchUp) {
        this.state = state;
        this.catchUp = catchUp;
    }

    void onAccept(int sender, Accept m) {
        Segment segment = segment(sender, m.segment(), m.ballot());
        if (isRefused(sender, segment, m.ballot())) {
            return;
        }
        int index = index(segment, m.position());
        if (isStillOpen(sender, segment, index, m.ballot(), m.value())) {
            long sequence = take(segment, index, m.ballot(), m.value());
            acknowledge(sender, segment, m.ballot(), sequence, index, index);
        }
        decidedTo(sender, segment, m.ballot(), m.decidedTo());
    }

    void onAcceptNil(int sender, AcceptNil m) {
        Segment segment = segment(sender, m.segment(), m.ballot());
        if (isRefused(sender, segment, m.ballot())) {
            return;
        }
        long sequence = 0;
        int from = index(segment, m.from());
        int to = index(segment, m.to());
        for (int index = from; index <= to; index++) {
            if (!isStillOpen(sender, segment, index, m.ballot(), BatchCodec.NO_OP)) {
                acknowledge(sender, segment, m.ballot(), sequence, from, index - 1);
                from = index + 1;
                continue;
            }
            sequence = Math.max(sequence, take(segment, index, m.ballot(), BatchCodec.NO_OP));
            if (!state.rules.isOn(SafetyRule.NIL_OF_A_TAKEOVER_NEEDS_A_QUORUM)) {
                state.decide(segment, index, BatchCodec.NO_OP, IssState.Source.QUORUM);
            }
        }
        acknowledge(sender, segment, m.ballot(), sequence, from, to);
    }

    /** The initial leader's nil: nobody else could ever propose anything but nil there, so it is decided. */
    void onSkip(int sender, Skip m) {
        Segment segment = state.epoch.segment(m.segment());
        InvariantViolated.check(
                sender == segment.leader(), "replica %d skips in the segment of %d", sender, segment.leader());
        int to = index(segment, m.to());
        for (int index = index(segment, m.from()); index <= to; index++) {
            Slot slot = segment.slot(index);
            boolean consistent = slot.isDecided() || !slot.hasValue() || IssState.isNil(slot.value());
            InvariantViolated.check(
                    consistent, "replica %d skips position %d, where it proposed", sender, segment.position(index));
            state.decide(segment, index, BatchCodec.NO_OP, IssState.Source.SKIP);
        }
    }

    void onDecided(int sender, Decided m) {
        decidedTo(sender, segment(sender, m.segment(), m.ballot()), m.ballot(), m.decidedTo());
    }

    private Segment segment(int sender, int number, Ballot ballot) {
        Segment segment = state.epoch.segment(number);
        InvariantViolated.check(
                ballot.replica() == sender && (ballot.round() > 0 || sender == segment.leader()),
                "replica %d proposes in ballot %s of %s",
                sender,
                ballot,
                segment);
        return segment;
    }

    private int index(Segment segment, long position) {
        EpochConfig config = state.epoch.config();
        InvariantViolated.check(
                config.contains(position) && config.segmentOf(position) == segment.number(),
                "position %d is not of %s",
                position,
                segment);
        return config.indexOf(position);
    }

    private boolean isRefused(int sender, Segment segment, Ballot ballot) {
        if (!ballot.lessThan(segment.promised)) {
            return false;
        }
        state.refuse(sender, segment, ballot);
        return true;
    }

    /**
     * Whether a value may be accepted. It may not where something else is known to be decided: the proposer of the
     * value has been deposed and does not know that. The proposer is told what was decided, if that is still in memory;
     * else the proposer is so far behind that it fetches everything when it hears how far this replica is.
     */
    private boolean isStillOpen(int sender, Segment segment, int index, Ballot ballot, ByteSlice value) {
        Slot slot = segment.slot(index);
        if (!slot.isDecided() || !state.rules.isOn(SafetyRule.DECIDED_POSITION_IS_CLOSED)) {
            return true;
        }
        ByteSlice decided = state.decidedValue(segment, index);
        if (value.equals(decided)) {
            return true;
        }
        InvariantViolated.check(
                decided == null || !slot.isDecidedBelow(ballot),
                "agreement: %s is proposed at position %d in %s, where %s is decided",
                value,
                segment.position(index),
                ballot,
                decided);
        if (decided == null) {
            state.effects.send(sender, state.status(false, false));
        } else {
            state.effects.send(sender, state.telling(segment.position(index), List.of(decided)));
        }
        return false;
    }

    /**
     * Accepts a value, or only remembers it; returns the record that an acknowledgement rests on. What is decided
     * already is accepted once more in a ballot that its record does not name, and so is what an earlier start has
     * accepted: an acknowledgement rests on a record of this start.
     */
    private long take(Segment segment, int index, Ballot ballot, ByteSlice value) {
        Slot slot = segment.slot(index);
        if (slot.hasValue() && slot.ballot().equals(ballot)) {
            checkSame(segment, index, value);
            if (slot.sequence() > 0) {
                return slot.sequence();
            }
        }
        if (state.epoch.isVoter()) {
            return state.accept(segment, index, ballot, value);
        }
        segment.raise(ballot);
        if (!slot.isDecided()) {
            slot.accept(ballot, value, -1);
            state.epoch.used(segment.position(index), value, false);
        }
        return 0;
    }

    private static void checkSame(Segment segment, int index, ByteSlice value) {
        ByteSlice known = segment.slot(index).value();
        InvariantViolated.check(
                known == null || known.equals(value),
                "agreement: %s is proposed at position %d, where %s is proposed in the same ballot",
                value,
                segment.position(index),
                known);
    }

    private void acknowledge(int proposer, Segment segment, Ballot ballot, long sequence, int from, int to) {
        if (from <= to && state.epoch.isVoter()) {
            long after = Math.max(sequence, state.epoch.sequence());
            long first = segment.position(from);
            long last = segment.position(to);
            state.effects.sendAfter(
                    after, proposer, new Accepted(state.epoch.number(), segment.number(), ballot, first, last));
        }
    }

    private void decidedTo(int sender, Segment segment, Ballot ballot, long position) {
        if (position < state.epoch.config().first()) {
            return;
        }
        boolean missing = false;
        int end = index(segment, position);
        for (int index = segment.firstUndecided(); index <= end; index++) {
            Slot slot = segment.slot(index);
            if (slot.isDecided()) {
                continue;
            }
            boolean isOfBallot =
                    slot.ballot().equals(ballot) || !state.rules.isOn(SafetyRule.DECIDED_IN_THE_SAME_BALLOT);
            if (slot.hasValue() && isOfBallot) {
                state.decide(segment, index, slot.value(), IssState.Source.QUORUM);
            } else {
                missing = true;
            }
        }
        if (missing) {
            catchUp.missing(sender);
        }
    }
}
