package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Entry;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.iss.IssMessage.PreVoteOk;
import io.chainkeeper.iss.IssMessage.Prepare;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.Refused;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finishing the segments of leaders that do not. A voter that misses progress asks the others whether they do, too
 * (which binds nobody and disturbs no living leader), then runs phase 1 for the whole segment, and proposes, per
 * position, the value accepted in the highest ballot, or nil. Nothing else may be proposed in a segment by anybody but
 * its initial leader.
 *
 * <p>Nothing is proposed without promises of a quorum, and a promise tells what its sender has accepted or knows to be
 * decided in the segment, except in positions up to its prefix: those are decided, the sender tells their values to all
 * that fetch them, and a candidate proposes only above the highest such prefix.
 */
final class Takeovers {
    private static final int MOST_DOUBLINGS = 3;

    private enum Phase {
        ASKING,
        PREPARING
    }

    private static final class Candidate {
        private final Ballot ballot;
        private final long patienceTicks;
        private final BitSet granted = new BitSet();
        private final BitSet promised = new BitSet();
        private final Map<Long, Entry> highest = new TreeMap<>();
        private final int[] nextPart = new int[Peers.IDS];
        private Phase phase = Phase.ASKING;
        private long decidedTo;

        /** Moves with each answer. */
        private long deadlineTick;

        private Candidate(Ballot ballot, long now, long patienceTicks) {
            this.ballot = ballot;
            this.patienceTicks = patienceTicks;
            this.deadlineTick = now + patienceTicks;
        }
    }

    private final IssState state;
    private final Proposals proposals;

    private Epoch epoch;
    private Candidate[] candidates = {};
    private long[] suspectedTick = {};
    private long[] notBeforeTick = {};

    /** How often a candidate has given up since the segment has got on. */
    private int[] failures = {};

    /** The highest round that anybody used in a segment, as far as known. */
    private long[] rounds = {};

    Takeovers(IssState state, Proposals proposals) {
        this.state = state;
        this.proposals = proposals;
    }

    /** The present epoch is another. */
    void epochBegan() {
        epoch = state.epoch;
        int count = epoch == null ? 0 : epoch.segments().length;
        candidates = new Candidate[count];
        suspectedTick = new long[count];
        notBeforeTick = new long[count];
        failures = new int[count];
        rounds = new long[count];
    }

    // ---------------------------------------------------------------- suspicion

    void tick() {
        if (epoch == null) {
            return;
        }
        for (Segment segment : epoch.segments()) {
            if (!epoch.awaits(segment)) {
                segment.progressTick = state.now;
            }
            if (epoch.isVoter()) {
                tick(segment);
            }
        }
    }

    /** The next tick that does anything here unless something else happens before; at least the coming one. */
    long dueTick() {
        long due = Long.MAX_VALUE;
        for (Segment segment : epoch.segments()) {
            if (segment.isFinished() || !epoch.isVoter()) {
                continue;
            }
            if (suspectedTick[segment.number()] != 0 || suspects(segment)) {
                return state.now + 1;
            }
            due = Math.min(due, state.dueHangTick(segment.promised.replica()));
            if (epoch.awaits(segment)) {
                due = Math.min(due, segment.progressTick + stallTicks(segment) + 1);
            }
        }
        return due;
    }

    private void tick(Segment segment) {
        int number = segment.number();
        if (!suspects(segment)) {
            suspectedTick[number] = 0;
            candidates[number] = null;
            failures[number] = 0;
            return;
        }
        if (suspectedTick[number] == 0) {
            suspectedTick[number] = state.now;
            // Members next to the leader try first, so that two candidates seldom meet.
            long stagger = (long) rank(segment) * state.settings.heartbeatTicks();
            notBeforeTick[number] = Math.max(notBeforeTick[number], state.now + stagger);
        }
        Candidate candidate = candidates[number];
        if (candidate != null && state.now >= candidate.deadlineTick && !waitsForOwnDisk(segment, candidate)) {
            candidates[number] = null;
            failures[number]++;
            notBeforeTick[number] = state.now + 1 + state.context.random().nextInt(state.settings.electionTicks());
        } else if (candidate == null && state.now >= notBeforeTick[number]) {
            ask(segment);
        }
    }

    /** Nobody has been asked for a promise yet, and what is appended now would be durable later still. */
    private boolean waitsForOwnDisk(Segment segment, Candidate candidate) {
        return waitsForSlowDisks()
                && candidate.phase == Phase.PREPARING
                && candidate.ballot.equals(segment.promised)
                && state.durableSequence < segment.promiseSequence;
    }

    /**
     * How long a candidate waits for the next answer. Where disks take longer than that to force a promise, no attempt
     * could come to an end, so each one waits twice as long as the one before.
     */
    private long patienceTicks(int segment) {
        int doublings = waitsForSlowDisks() ? Math.min(failures[segment], MOST_DOUBLINGS) : 0;
        return (long) state.settings.electionTicks() << doublings;
    }

    /** For how long a segment may not get on. What is taken over needs two forced writes first. */
    private long stallTicks(Segment segment) {
        return (segment.isTakenOver() && waitsForSlowDisks() ? 4L : 2L) * state.settings.suspicionTicks();
    }

    private boolean waitsForSlowDisks() {
        return state.rules.isOn(SafetyRule.CANDIDATES_WAIT_FOR_SLOW_DISKS);
    }

    /** Whoever goes on is waited for. */
    private void answered(Candidate candidate) {
        if (waitsForSlowDisks()) {
            candidate.deadlineTick = state.now + candidate.patienceTicks;
        }
    }

    private int rank(Segment segment) {
        List<Integer> members = epoch.config().membership().replicaIds();
        int leader = Math.max(0, members.indexOf(segment.promised.replica()));
        return Math.floorMod(members.indexOf(state.self) - leader - 1, members.size());
    }

    /** Whether nobody seems to be about to finish the segment. */
    private boolean suspects(Segment segment) {
        if (segment.isFinished()) {
            return false;
        }
        int proposer = segment.promised.replica();
        boolean stalls = epoch.awaits(segment) && state.now - segment.progressTick > stallTicks(segment);
        if (segment.isProposing()) {
            // After a takeover, what others had reported as known may have been forgotten by them.
            return stalls && segment.isTakenOver();
        }
        if (proposer == state.self) {
            return true; // of an earlier start, or given up
        }
        if (stalls) {
            return true;
        }
        Status status = state.peers.status(proposer);
        boolean fellSilent =
                status.epoch() == epoch.number() && !(segment.isTakenOver() ? status.votes() : status.speaks());
        return fellSilent
                || state.hangsAtBeginning(proposer)
                || state.peers.downTicks(proposer, state.now) > state.settings.linkSuspicionTicks()
                || state.peers.silentTicks(proposer, state.now) > state.settings.suspicionTicks();
    }

    // ---------------------------------------------------------------- asking

    /** The highest round that is known to be in use in a segment of the present epoch. */
    long highestRound(int segment) {
        return Math.max(rounds[segment], epoch.segment(segment).promised.round());
    }

    private void ask(Segment segment) {
        long round = highestRound(segment.number()) + 1;
        rounds[segment.number()] = round;
        Candidate candidate = new Candidate(new Ballot(round, state.self), state.now, patienceTicks(segment.number()));
        candidates[segment.number()] = candidate;
        candidate.granted.set(state.self);
        toVoters(0, new PreVote(epoch.number(), segment.number(), candidate.ballot));
        prepareIfGranted(segment, candidate);
    }

    private void toVoters(long logSequence, IssMessage message) {
        for (Member member : epoch.config().membership().members()) {
            int id = member.replicaId();
            if (id != state.self && state.peers.linkUp[id]) {
                state.effects.sendAfter(logSequence, id, message);
            }
        }
    }

    void onPreVote(int sender, PreVote m) {
        Segment segment = epoch.segment(m.segment());
        if (!epoch.isVoter()) {
            return;
        }
        boolean free = segment.promised.lessThan(m.ballot());
        boolean disturbsNobody = segment.isFinished() || segment.promised.replica() == sender || suspects(segment);
        if (free && disturbsNobody) {
            state.effects.send(sender, new PreVoteOk(m.epoch(), m.segment(), m.ballot()));
        } else {
            state.refuse(sender, segment, m.ballot());
        }
    }

    void onPreVoteOk(int sender, PreVoteOk m) {
        Candidate candidate = candidates[m.segment()];
        if (candidate != null && candidate.phase == Phase.ASKING && candidate.ballot.equals(m.ballot())) {
            candidate.granted.set(sender);
            prepareIfGranted(epoch.segment(m.segment()), candidate);
        }
    }

    private int members(BitSet set) {
        int count = 0;
        for (Member member : epoch.config().membership().members()) {
            count += set.get(member.replicaId()) ? 1 : 0;
        }
        return count;
    }

    private void prepareIfGranted(Segment segment, Candidate candidate) {
        boolean enough =
                members(candidate.granted) >= epoch.config().membership().quorum();
        if (enough && segment.promised.lessThan(candidate.ballot)) {
            candidate.phase = Phase.PREPARING;
            state.promise(segment, candidate.ballot);
            toVoters(segment.promiseSequence, new Prepare(epoch.number(), segment.number(), candidate.ballot));
        }
    }

    // ---------------------------------------------------------------- promises

    void onPrepare(int sender, Prepare m) {
        Segment segment = epoch.segment(m.segment());
        if (!epoch.isVoter()) {
            return;
        }
        if (m.ballot().lessThan(segment.promised) || m.ballot().replica() != sender) {
            state.refuse(sender, segment, m.ballot());
            return;
        }
        boolean isNew = segment.promised.lessThan(m.ballot());
        boolean isRecorded = segment.recordedPromise.equals(m.ballot());
        if (isNew || !isRecorded && state.rules.isOn(SafetyRule.WHAT_REFUSALS_TELL_IS_RECORDED)) {
            state.promise(segment, m.ballot());
        }
        if (isNew) {
            candidates[m.segment()] = null;
            rounds[m.segment()] = Math.max(rounds[m.segment()], m.ballot().round());
        }
        answer(sender, segment);
    }

    private void answer(int sender, Segment segment) {
        List<Entry> entries = new ArrayList<>();
        int part = 0;
        long bytes = 0;
        for (int index = segment.indexAbove(state.prefix); index < segment.size(); index++) {
            Slot slot = segment.slot(index);
            boolean isHidden = slot.isDecided() && !state.rules.isOn(SafetyRule.PROMISE_TELLS_WHAT_IS_DECIDED);
            if (!slot.hasValue() || isHidden) {
                continue;
            }
            if (!entries.isEmpty() && bytes + slot.value().length() > state.settings.partBytes()) {
                sendPromise(sender, segment, part++, false, entries);
                entries = new ArrayList<>();
                bytes = 0;
            }
            bytes += slot.value().length();
            entries.add(new Entry(segment.position(index), slot.ballot(), slot.isDecided(), slot.value()));
        }
        sendPromise(sender, segment, part, true, entries);
    }

    private void sendPromise(int to, Segment segment, int part, boolean last, List<Entry> entries) {
        state.effects.sendAfter(
                segment.promiseSequence,
                to,
                new Promise(epoch.number(), segment.number(), segment.promised, state.prefix, part, last, entries));
    }

    void onPromise(int sender, Promise m) {
        Candidate candidate = candidates[m.segment()];
        if (candidate == null || candidate.phase != Phase.PREPARING || !candidate.ballot.equals(m.ballot())) {
            return;
        }
        if (m.part() == 0) {
            candidate.nextPart[sender] = 0;
        } else if (m.part() != candidate.nextPart[sender]) {
            return; // the link broke in between; the replica is asked again
        }
        candidate.nextPart[sender]++;
        answered(candidate);
        candidate.decidedTo = Math.max(candidate.decidedTo, m.prefix());
        for (Entry entry : m.entries()) {
            merge(candidate, entry);
        }
        if (m.last()) {
            candidate.promised.set(sender);
        }
        takeOverIfPromised(epoch.segment(m.segment()), candidate);
    }

    private void merge(Candidate candidate, Entry entry) {
        Entry known = candidate.highest.get(entry.position());
        boolean isHigher = known != null
                && known.accepted().lessThan(entry.accepted())
                && state.rules.isOn(SafetyRule.VALUE_OF_THE_HIGHEST_BALLOT);
        boolean better = known == null || !known.decided() && (entry.decided() || isHigher);
        if (better) {
            candidate.highest.put(entry.position(), entry);
        }
    }

    void onDurable() {
        if (epoch == null) {
            return;
        }
        for (Segment segment : epoch.segments()) {
            Candidate candidate = candidates[segment.number()];
            if (candidate != null && candidate.phase == Phase.PREPARING && !candidate.promised.get(state.self)) {
                takeOverIfPromised(segment, candidate);
            }
        }
    }

    private void takeOverIfPromised(Segment segment, Candidate candidate) {
        if (!segment.promised.equals(candidate.ballot)) {
            return;
        }
        if (segment.promiseSequence <= state.durableSequence && !candidate.promised.get(state.self)) {
            candidate.promised.set(state.self);
            answered(candidate);
        }
        boolean own = candidate.promised.get(state.self);
        if (own
                && state.rules.suffices(
                        members(candidate.promised), epoch.config().membership().quorum())) {
            candidates[segment.number()] = null;
            takeOver(segment, candidate);
        }
    }

    /** Proposes for every position of the segment that may not be decided yet. */
    private void takeOver(Segment segment, Candidate candidate) {
        segment.beginProposing(candidate.ballot);
        segment.progressTick = state.now;
        segment.proposedFrom = segment.indexAbove(Math.max(candidate.decidedTo, state.prefix));
        int index = segment.proposedFrom;
        while (index < segment.size()) {
            ByteSlice value = choose(segment, index, candidate);
            int to = index;
            while (IssState.isNil(value)
                    && to + 1 < segment.size()
                    && IssState.isNil(choose(segment, to + 1, candidate))) {
                to++;
            }
            if (IssState.isNil(value)) {
                proposals.proposeNil(segment, index, to, candidate.ballot);
            } else {
                proposals.propose(segment, index, candidate.ballot, value);
            }
            index = to + 1;
        }
    }

    private ByteSlice choose(Segment segment, int index, Candidate candidate) {
        Slot slot = segment.slot(index);
        if (slot.isDecided()) {
            return slot.value();
        }
        Entry reported = candidate.highest.get(segment.position(index));
        boolean ownIsHigher = slot.hasValue()
                && (reported == null || !reported.decided() && !slot.ballot().lessThan(reported.accepted()));
        if (ownIsHigher) {
            return slot.value();
        }
        return reported == null ? BatchCodec.NO_OP : reported.value();
    }

    void onRefused(Refused m) {
        Segment segment = epoch.segment(m.segment());
        rounds[m.segment()] = Math.max(rounds[m.segment()], m.promised().round());
        if (m.ballot().equals(segment.proposing()) && m.ballot().lessThan(m.promised())) {
            if (state.rules.isOn(SafetyRule.WHAT_REFUSALS_TELL_IS_RECORDED)) {
                state.promise(segment, m.promised());
            } else {
                segment.raise(m.promised());
            }
        }
    }

    /** Tells how many values were reported to the candidates here, at most all of the epoch. */
    void tellOccupancy(Occupancy occupancy) {
        long reported = 0;
        long most = 0;
        for (Candidate candidate : candidates) {
            reported += candidate == null ? 0 : candidate.highest.size();
            most += epoch.config().segmentPositions();
        }
        occupancy.holds("reported_values", reported, most, Slack.NONE);
    }

    /** The link to a replica is new: what a candidate sent may be lost. */
    void resendTo(int peer) {
        if (epoch == null || !epoch.config().membership().contains(peer)) {
            return;
        }
        for (Segment segment : epoch.segments()) {
            Candidate candidate = candidates[segment.number()];
            if (candidate == null) {
                continue;
            }
            if (candidate.phase == Phase.ASKING) {
                state.effects.send(peer, new PreVote(epoch.number(), segment.number(), candidate.ballot));
            } else {
                Prepare again = new Prepare(epoch.number(), segment.number(), candidate.ballot);
                state.effects.sendAfter(segment.promiseSequence, peer, again);
            }
        }
    }
}
