package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Entry;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Taking leadership (paper section 3.3). A replica that misses its leader first asks whether a quorum misses it too
 * (pre-vote, which changes nothing anywhere), then prepares a higher ballot, and with a quorum of promises adopts for
 * each instance the accepted value of the highest ballot.
 */
final class Election {
    private enum Phase {
        IDLE,
        PRE_VOTE,
        PREPARE
    }

    private final ReplicaState state;
    private final boolean[] votes = new boolean[ReplicaState.IDS];
    private final boolean[] founderVotes = new boolean[ReplicaState.IDS];
    private final long[] voteDisks = new long[ReplicaState.IDS];

    /** What the replicas that promise say of the order that they have decided. */
    private final Prefix[] votePrefixes = new Prefix[ReplicaState.IDS];

    private final boolean[] asked = new boolean[ReplicaState.IDS];
    private final long[] askedDisks = new long[ReplicaState.IDS];
    private final int[] nextPart = new int[ReplicaState.IDS];

    /** The instance that the next part of each answer begins with. */
    private final long[] nextEntry = new long[ReplicaState.IDS];

    private final Map<Long, Entry> reported = new TreeMap<>();

    /** How many of them this replica has told itself: it has them in memory already. */
    private int ownReported;

    /** Of the reports of others to this candidate the longest one, as far as it has come. */
    private long longestReport;

    private Phase phase = Phase.IDLE;
    private Ballot ballot = Ballot.NONE;
    private long maxSeenRound;
    private long deadlineTick;
    private long prepareFrom;
    private long reportedDecided;

    Election(ReplicaState state) {
        this.state = state;
    }

    /** At the start of the replica: candidates draw lots for who tries first. */
    void start() {
        deadlineTick = 1 + random(2 + state.settings.heartbeatTicks());
    }

    /** Waits for a while before trying (again). */
    void restart() {
        stop();
        deadlineTick = state.now + 1 + random(state.settings.electionTicks());
    }

    /** Whether nothing is asked of anybody. */
    boolean isIdle() {
        return phase == Phase.IDLE;
    }

    /** A leader is followed, or this replica leads: no more trying. */
    void stop() {
        phase = Phase.IDLE;
        reported.clear(); // a leader may lead for long
        ownReported = 0;
        longestReport = 0;
    }

    /** The followed leader is silent: ask now, unless asking already. */
    void suspect() {
        if (phase == Phase.IDLE && state.now >= deadlineTick && mayTry()) {
            preVote();
        }
    }

    void tick() {
        if (phase != Phase.IDLE && state.now >= deadlineTick) {
            restart();
        } else if (phase == Phase.IDLE && state.isLooking() && state.now >= deadlineTick && mayTry()) {
            preVote();
        }
    }

    private boolean mayTry() {
        boolean founded = state.maxDecided > 0 || state.values.last() > 0 || state.identity.isFounded();
        // Who lacks state may not lead, and is fed by nobody: by asking it hears who leads, if a member does.
        boolean mayAsk = state.mayStand() || state.lacksState() && state.isVoter();
        return founded && mayAsk && !state.leaving;
    }

    void peerUp(int id) {
        if (phase == Phase.PRE_VOTE && state.membership().contains(id)) {
            sendPreVote(state.membership().find(id));
        } else if (phase == Phase.PREPARE && asked[id] && !votes[id]) {
            sendPrepare(id);
        }
    }

    // ---------------------------------------------------------------- pre-vote

    private void preVote() {
        beginPhase(Phase.PRE_VOTE);
        chooseBallot();
        votes[state.self] = true;
        for (Member member : state.membership().members()) {
            sendPreVote(member);
        }
    }

    /** The highest round that anybody was heard of to use. */
    long maxSeenRound() {
        return maxSeenRound;
    }

    private void chooseBallot() {
        maxSeenRound = Math.max(maxSeenRound, state.promised.round());
        ballot = new Ballot(maxSeenRound + 1, state.context.replicaId());
    }

    /** The leader itself asks this replica to lead: nobody else needs to be asked first. */
    void takeOver() {
        chooseBallot();
        prepare();
    }

    private void sendPreVote(Member member) {
        int id = member.replicaId();
        if (id != state.self && state.linkUp[id]) {
            Prefix prefix = state.agreement.hashes().latest();
            state.effects.send(id, new PreVote(ballot, prefix, member.disk()));
        }
    }

    void onPreVoteOk(int sender, PreVoteOk m) {
        if (phase == Phase.PRE_VOTE && m.ballot().equals(ballot)) {
            votes[sender] = true;
        }
    }

    /** A member that follows nobody either no longer has what this candidate lacks: perhaps nobody else can lead. */
    void onTruncated(int sender, Truncated m) {
        if (phase == Phase.PRE_VOTE && m.ballot().equals(ballot) && m.firstAvailable() > state.maxDecided + 1) {
            state.effects.needState(sender, StateSources.behind(state.maxDecided));
        }
    }

    void onPreVoteDenied(PreVoteDenied m) {
        maxSeenRound = Math.max(maxSeenRound, m.promised().round());
    }

    /** Whether a quorum would promise, so that {@link #prepare} is in order. */
    boolean mayPrepare() {
        return phase == Phase.PRE_VOTE
                && !state.leaving
                && state.mayStand() // this replica may have learned meanwhile that it is no member any more
                && count(state.membership(), false) >= state.membership().quorum()
                && state.promised.lessThan(ballot);
    }

    // ---------------------------------------------------------------- phase 1

    /** Raises the ballot. The replica has stopped following before. */
    void prepare() {
        beginPhase(Phase.PREPARE);
        maxSeenRound = ballot.round();
        prepareFrom = state.maxDecided + 1;
        reported.clear();
        reportedDecided = state.maxDecided;
        Arrays.fill(nextPart, 0);
        Arrays.fill(votePrefixes, null);
        state.promise(ballot);
        List<Entry> own = state.values.entriesFrom(prepareFrom);
        merge(own);
        ownReported = own.size();
        longestReport = 0;
        Arrays.fill(asked, false);
        ask(state.membership());
    }

    /** Asks the members of a membership that were not asked yet. */
    private void ask(Membership membership) {
        for (Member member : membership.members()) {
            int id = member.replicaId();
            if (!asked[id] || !votes[id] && askedDisks[id] != member.disk()) {
                asked[id] = true;
                askedDisks[id] = member.disk();
                sendPrepare(id);
            }
        }
    }

    private void sendPrepare(int id) {
        if (id != state.self && state.linkUp[id]) {
            // Not before the own promise is durable: a candidate that crashes must not use this ballot again.
            state.effects.sendAfter(state.promiseSequence(), id, new Prepare(ballot, prepareFrom, askedDisks[id]));
        }
    }

    /** Acceptor: promises a candidate's ballot. */
    void promise(Ballot candidate) {
        stop();
        maxSeenRound = Math.max(maxSeenRound, candidate.round());
        state.promise(candidate);
        deadlineTick = state.now + state.settings.electionTicks() + random(state.settings.electionTicks());
    }

    /** Acceptor: reports what was accepted, in parts, when the promise is durable. */
    void answer(int to, Prepare m) {
        List<Entry> part = new ArrayList<>();
        int number = 0;
        long bytes = 0;
        for (Entry entry : state.values.entriesFrom(m.from())) {
            if (!part.isEmpty() && bytes + entry.value().length() > ChainSettings.PREPARE_PART_BYTES) {
                sendPart(to, m, number++, false, part);
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(entry);
            bytes += entry.value().length();
        }
        sendPart(to, m, number, true, part);
    }

    private void sendPart(int to, Prepare m, int number, boolean last, List<Entry> entries) {
        state.effects.sendAfter(
                state.promiseSequence(),
                to,
                new PrepareOk(
                        m.ballot(),
                        state.identity.disk(),
                        state.identity.isFounder(),
                        number,
                        last,
                        state.agreement.hashes().latest(),
                        entries));
    }

    /** Returns whether a quorum has promised, so that this replica leads. */
    boolean onPrepareOk(int sender, PrepareOk m) {
        if (phase != Phase.PREPARE || !m.ballot().equals(ballot) || votes[sender]) {
            return false;
        }
        if (m.part() == 0) {
            nextPart[sender] = 0;
            nextEntry[sender] = prepareFrom;
        }
        if (m.part() != nextPart[sender]) {
            return false; // an earlier part was lost with the link; the answer comes again from its beginning
        }
        String objection = objection(sender, m);
        if (objection != null) {
            nextPart[sender] = 0;
            state.effects.refuse(sender, objection);
            return false;
        }
        nextPart[sender]++;
        nextEntry[sender] += m.entries().size();
        longestReport = Math.max(longestReport, nextEntry[sender] - prepareFrom);
        merge(m.entries());
        if (m.last()) {
            reportedDecided = Math.max(reportedDecided, m.maxDecided());
            votePrefixes[sender] = m.prefix();
            votes[sender] = true;
            voteDisks[sender] = m.disk();
            founderVotes[sender] = m.founder();
        }
        return hasWon();
    }

    /** An acceptor that may promise reports every instance that it was asked for, up to all that it has decided. */
    private String objection(int sender, PrepareOk m) {
        long next = nextEntry[sender];
        for (Entry entry : m.entries()) {
            if (entry.instance() != next) {
                return "reports instance " + entry.instance() + " where " + next + " is the next";
            }
            next++;
        }
        boolean isWhole = !m.last() || m.maxDecided() < next;
        return isWhole ? null : "has decided up to " + m.maxDecided() + " but reports values only up to " + (next - 1);
    }

    /** Records became durable; returns whether this replica leads now. */
    boolean onDurable() {
        if (phase != Phase.PREPARE || votes[state.self] || state.durableSequence < state.promiseSequence()) {
            return false;
        }
        votes[state.self] = true;
        voteDisks[state.self] = state.identity.disk();
        founderVotes[state.self] = state.identity.isFounder();
        return hasWon();
    }

    void onRefused(Refused m) {
        maxSeenRound = Math.max(maxSeenRound, m.promised().round());
        if (phase == Phase.PREPARE && m.ballot().equals(ballot)) {
            restart();
        }
    }

    /**
     * Walks through the values in order: at each instance that the candidate is going to propose, and at the instance
     * behind the last of them, it must hold promises from a quorum of the membership in force there.
     */
    private boolean hasWon() {
        Membership inForce = state.membership();
        boolean mayBegin =
                state.rules.suffices(count(inForce, true), inForce, true) || reportedDecided > state.maxDecided;
        if (!votes[state.self] || !mayBegin) {
            return false;
        }
        boolean first = true;
        for (Map.Entry<Long, ByteSlice> each : recovered().entrySet()) {
            if (each.getKey() > reportedDecided) {
                if (!holdsPromises(inForce, first)) {
                    return false;
                }
                first = false;
            }
            if (BatchCodec.isMembership(each.getValue())) {
                inForce = state.memberships.behind(BatchCodec.membershipIn(each.getValue()));
            }
        }
        return holdsPromises(inForce, first) && promisesAgree();
    }

    /**
     * Whether what is about to be taken up is what all replicas that promised have decided. If not, two of them hold
     * different orders, and this replica, which is behind, cannot tell which is right. A replica that is not behind can
     * lead.
     */
    private boolean promisesAgree() {
        long position = state.maxDecided;
        long hash = state.agreement.hashes().at(position);
        for (ByteSlice value : recovered().values()) {
            hash = PrefixHash.next(hash, ++position, value);
            for (int id = 1; id < ReplicaState.IDS; id++) {
                Prefix said = votes[id] ? votePrefixes[id] : null;
                boolean comparable = said != null && said.position() == position && said.isKnown();
                if (comparable && hash != PrefixHash.UNKNOWN && hash != said.hash()) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean holdsPromises(Membership inForce, boolean isFirst) {
        boolean enough = state.rules.suffices(count(inForce, true), inForce, isFirst);
        if (!enough) {
            ask(inForce);
        }
        return enough;
    }

    private void merge(List<Entry> entries) {
        for (Entry entry : entries) {
            Entry known = reported.get(entry.instance());
            boolean isHigher = known != null && known.accepted().lessThan(entry.accepted());
            if (known == null || isHigher && state.rules.isOn(SafetyRule.VALUE_OF_THE_HIGHEST_BALLOT)) {
                reported.put(entry.instance(), entry);
            }
        }
    }

    // ---------------------------------------------------------------- the outcome

    Ballot ballot() {
        return ballot;
    }

    /** What the new leader proposes: per instance the value of the highest ballot, no-ops in holes. Ascending. */
    Map<Long, ByteSlice> recovered() {
        Map<Long, ByteSlice> chosen = new TreeMap<>();
        Membership ordered = state.memberships.orderedAt(prepareFrom);
        long instance = prepareFrom;
        for (Entry entry : reported.values()) {
            if (entry.instance() < prepareFrom) {
                continue;
            }
            for (; instance < entry.instance(); instance++) {
                InvariantViolated.check(
                        instance > reportedDecided, "instance %d is decided but nobody reported it", instance);
                chosen.put(instance, BatchCodec.NO_OP);
            }
            ByteSlice value = entry.value();
            if (BatchCodec.isMembership(value)) {
                Membership next = BatchCodec.membershipIn(value);
                if (isVoid(instance, next, ordered)) {
                    value = BatchCodec.NO_OP;
                } else {
                    ordered = next;
                }
            }
            chosen.put(instance++, value);
        }
        return chosen;
    }

    /**
     * Whether a membership that was accepted cannot have been decided. A leader proposes one change of the membership
     * in force behind all its earlier values. So where more than one member differs, the values before were not the
     * decided ones, and no instance is decided before them. Taken up, such a membership would bring back a member that
     * another leader has removed, or a disk that is lost. Only a forced start may change more at once.
     */
    private boolean isVoid(long instance, Membership next, Membership ordered) {
        boolean isUndecided = instance > Math.max(reportedDecided, state.maxDecided);
        return isUndecided
                && !state.memberships.isForced(next)
                && !next.isOneChangeFrom(ordered)
                && state.rules.isOn(SafetyRule.VOID_MEMBERSHIP_IS_DROPPED);
    }

    /** Everything up to here was decided in earlier ballots. */
    long recoveredDecided() {
        return reportedDecided;
    }

    private void beginPhase(Phase next) {
        phase = next;
        Arrays.fill(votes, false);
        deadlineTick = state.now + state.settings.electionTicks() + random(state.settings.electionTicks());
    }

    /** How many members have voted; for promises the disk must be that of the member. */
    private int count(Membership membership, boolean withDisk) {
        int count = 0;
        for (Member member : membership.members()) {
            int id = member.replicaId();
            boolean sameDisk = member.disk() == voteDisks[id] || member.disk() == Member.UNBOUND && founderVotes[id];
            boolean needsDisk = withDisk && state.rules.isOn(SafetyRule.PROMISE_OF_THE_MEMBERS_DISK);
            count += votes[id] && (sameDisk || !needsDisk) ? 1 : 0;
        }
        return count;
    }

    /**
     * Tells how many values were reported that this replica has not accepted itself. Reports begin at the same instance
     * and have no holes, so together they are as long as the longest one: no longer than what an acceptor has in
     * memory, which it bounds ({@link AcceptedValues}).
     */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("reported_values", reported.size() - ownReported, isIdle() ? 0 : longestReport, Slack.NONE);
    }

    private int random(int bound) {
        return state.context.random().nextInt(bound);
    }
}
