package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.proposer.ProposalQueue;
import java.util.ArrayDeque;

/**
 * The proposer: in the initial ballot of this replica's own segment, and in segments that it took over. Phase 2 of each
 * position: the value goes to all, acceptors answer here, a quorum decides, and the decision rides on the next value or
 * goes out at the end of the batch of inputs.
 *
 * <p>A leader that is going to stop skips all positions that it has left, and as the coordinator ends the epoch: nobody
 * waits for it then.
 *
 * <p>An initial leader never lets others wait: when positions above its own next one have values and it has nothing to
 * propose, it skips all of its positions up to there in one message. It does so only in the ballot that nobody else can
 * propose in, and never proposes in a position that it has skipped, so that nil is decided on receipt.
 */
final class Proposals {
    /** An own acceptance that is not durable yet. */
    private record Pending(long sequence, Epoch epoch, Segment segment, int from, int to, Ballot ballot) {}

    private final IssState state;
    private final ProposalQueue commands;
    private final Coordinator coordinator;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();

    Proposals(IssState state, ProposalQueue commands, Coordinator coordinator) {
        this.state = state;
        this.commands = commands;
        this.coordinator = coordinator;
    }

    // ---------------------------------------------------------------- the own segment

    void epochBegan() {
        commands.clear();
    }

    /** Leader: takes the commands of another replica whose bucket it leads. */
    void onForward(Forward m) {
        boolean isForced = state.context.start() == Start.SOLE_SURVIVOR; // its sender sends again to the next start
        if (state.epoch.own() != null && !isForced) {
            commands.add(m.lowest(), m.commands());
        }
    }

    /** Tells how much waits to be proposed, and is under way. */
    void tellOccupancy(Occupancy occupancy) {
        commands.tellOccupancy(occupancy);
        if (state.epoch != null && state.epoch.maySpeak()) {
            int window = state.settings.windowBatches();
            // The last position of the coordinator's segment has no place in the window.
            occupancy.holds("batches_under_way", window - window(state.epoch.own()), window + 1, Slack.NONE);
        }
    }

    /** How many commands wait to be proposed. */
    int waiting() {
        return commands.waiting();
    }

    /** Proposes and skips whatever is due in the own segment. */
    void proposeDue() {
        Epoch epoch = state.epoch;
        // What is skipped is decided at once: not before the log says that this replica may have spoken in the epoch.
        boolean isRecorded = epoch != null && epoch.sequence() <= state.durableSequence;
        if (epoch == null
                || !epoch.maySpeak()
                || !isRecorded && state.rules.isOn(SafetyRule.SKIPS_ONLY_IN_A_RECORDED_EPOCH)) {
            return;
        }
        Segment own = epoch.own();
        boolean coordinates = epoch.config().coordinator() == state.self;
        int limit = coordinates ? own.size() - 1 : own.size();
        int window = window(own);
        boolean leaves = coordinates && coordinator.mayLeave(); // what waits is for the leaders of the next epoch
        while (!leaves && window > 0 && own.next < limit && hasBatch()) {
            propose(own, commands.pollBatch(own.position(own.next)));
            window--;
        }
        if (leaves || !commands.hasWaiting()) {
            boolean ends = coordinates ? coordinator.wantsEnd() : state.leaving;
            int upTo = ends ? limit : Math.min(limit, own.indexFrom(epoch.inUse()));
            skipTo(own, upTo);
        }
        if (coordinates && own.next == limit) {
            propose(own, coordinator.lastValue());
        }
    }

    private boolean hasBatch() {
        commands.decided(state.prefix);
        return commands.hasBatch();
    }

    /** How many more batches may be under way. */
    private int window(Segment own) {
        int window = state.settings.windowBatches();
        for (int index = own.indexAbove(state.prefix); index < own.next; index++) {
            window -= own.slot(index).isSkipped() ? 0 : 1;
        }
        return window;
    }

    private void propose(Segment own, ByteSlice value) {
        propose(own, own.next, own.initial, value);
        own.next++;
    }

    private void skipTo(Segment own, int index) {
        if (index <= own.next) {
            return;
        }
        int from = own.next;
        while (own.next < index) {
            state.decide(own, own.next, BatchCodec.NO_OP, IssState.Source.SKIP);
            own.next++;
        }
        state.broadcast(
                state.epochSequence(),
                new Skip(state.epoch.number(), own.number(), own.position(from), own.position(index - 1)));
    }

    // ---------------------------------------------------------------- phase 2

    /** Phase 2a of one position. */
    void propose(Segment segment, int index, Ballot ballot, ByteSlice value) {
        long sequence = state.accept(segment, index, ballot, value);
        pending.add(new Pending(sequence, state.epoch, segment, index, index, ballot));
        segment.announced = segment.firstUndecided(); // the value carries it
        state.broadcast(right(segment, ballot), accept(segment, index, ballot, value));
    }

    /** Phase 2a of nil for a range, after a takeover. */
    void proposeNil(Segment segment, int from, int to, Ballot ballot) {
        long sequence = 0;
        for (int index = from; index <= to; index++) {
            sequence = state.accept(segment, index, ballot, BatchCodec.NO_OP);
        }
        pending.add(new Pending(sequence, state.epoch, segment, from, to, ballot));
        state.broadcast(right(segment, ballot), acceptNil(segment, from, to, ballot));
    }

    private Accept accept(Segment segment, int index, Ballot ballot, ByteSlice value) {
        return new Accept(
                state.epoch.number(), segment.number(), ballot, segment.position(index), decidedTo(segment), value);
    }

    private AcceptNil acceptNil(Segment segment, int from, int to, Ballot ballot) {
        return new AcceptNil(
                state.epoch.number(), segment.number(), ballot, segment.position(from), segment.position(to));
    }

    /** The record that the right to propose in a ballot rests on: that this ballot is used once, by this replica. */
    private long right(Segment segment, Ballot ballot) {
        return ballot.equals(segment.initial) ? state.epochSequence() : segment.promiseSequence;
    }

    private long decidedTo(Segment segment) {
        int index = segment.firstUndecided();
        return index == 0 ? 0 : segment.position(index - 1);
    }

    /** An acceptor has accepted. */
    void onAccepted(int sender, Accepted m) {
        Segment segment = state.epoch.segment(m.segment());
        if (m.ballot().equals(segment.proposing())) {
            vote(segment, segment.indexFrom(m.from()), segment.indexAbove(m.to()) - 1, sender);
        }
    }

    /** Records are durable: own acceptances count. */
    void onDurable() {
        while (!pending.isEmpty() && pending.peek().sequence() <= state.durableSequence) {
            Pending own = pending.remove();
            if (own.epoch() == state.epoch && own.ballot().equals(own.segment().proposing())) {
                vote(own.segment(), own.from(), own.to(), state.self);
            }
        }
    }

    private void vote(Segment segment, int from, int to, int voter) {
        int quorum = state.epoch.config().membership().quorum();
        for (int index = from; index <= to; index++) {
            Slot slot = segment.slot(index);
            if (slot.isDecided() || !slot.ballot().equals(segment.proposing())) {
                continue;
            }
            slot.vote(voter);
            int votes = 0;
            for (Member member : state.epoch.config().membership().members()) {
                votes += slot.hasVoteOf(member.replicaId()) ? 1 : 0;
            }
            if (votes >= quorum) {
                state.decide(segment, index, slot.value(), IssState.Source.BALLOT);
            }
        }
    }

    // ---------------------------------------------------------------- telling

    /** Tells what was decided since, where no value carried it. */
    void announce() {
        if (state.epoch == null) {
            return;
        }
        for (Segment segment : state.epoch.segments()) {
            if (segment.isProposing() && segment.firstUndecided() > segment.announced) {
                segment.announced = segment.firstUndecided();
                state.broadcast(0, decided(segment));
            }
        }
    }

    private Decided decided(Segment segment) {
        return new Decided(state.epoch.number(), segment.number(), segment.proposing(), decidedTo(segment));
    }

    /** Sends again what a replica may have missed: everything proposed here that is not yet in the common prefix. */
    void resendTo(int peer) {
        if (state.epoch == null || !state.mayLearn(peer)) {
            return;
        }
        for (Segment segment : state.epoch.segments()) {
            if (segment.isProposing()) {
                resendTo(peer, segment);
            }
        }
    }

    private void resendTo(int peer, Segment segment) {
        boolean initial = segment.proposing().equals(segment.initial);
        int end = initial ? segment.next : segment.size();
        int from = Math.max(initial ? 0 : segment.proposedFrom, segment.indexAbove(state.prefix));
        int index = from;
        while (index < end) {
            Slot slot = segment.slot(index);
            InvariantViolated.check(
                    slot.hasValue(), "position %d was proposed without a value", segment.position(index));
            int to = index;
            boolean nil = IssState.isNil(slot.value());
            while (nil && to + 1 < end && IssState.isNil(segment.slot(to + 1).value())) {
                to++;
            }
            state.effects.sendAfter(right(segment, segment.proposing()), peer, again(segment, index, to, nil, initial));
            index = to + 1;
        }
        state.effects.send(peer, decided(segment));
    }

    private IssMessage again(Segment segment, int from, int to, boolean nil, boolean initial) {
        if (!nil) {
            return accept(segment, from, segment.proposing(), segment.slot(from).value());
        }
        return initial
                ? new Skip(state.epoch.number(), segment.number(), segment.position(from), segment.position(to))
                : acceptNil(segment, from, to, segment.proposing());
    }
}
