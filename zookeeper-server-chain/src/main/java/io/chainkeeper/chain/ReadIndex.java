package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;

/**
 * Linearizable reads at any replica, without a log write: what Raft calls ReadIndex, with the chain in the place of
 * heartbeats to all.
 *
 * <p>A replica at which reads wait sends the leader a numbered request. The leader begins a <em>round</em>: a number
 * that travels down the chain with whatever travels next, together with the <em>read index</em> (the highest instance
 * proposed so far) and the newest request of each member. A member that sees the round while its promise is still this
 * ballot says so in its entry. The reads are safe when a quorum has said so and this replica has delivered everything
 * up to the read index.
 *
 * <p>Why: let x be executed anywhere before the request was sent. If x was decided in this ballot or an earlier one,
 * the leader had proposed or recovered x before the round began, so x is at most the read index. And x cannot have been
 * decided in a later ballot: a quorum would have promised that ballot before x was decided, and one member of this
 * quorum would also have acknowledged the round afterwards, in a ballot below its promise. The argument uses neither
 * the shape of the chain nor who is in it, so it holds while members are skipped (docs/decisions/001-read-rounds.md).
 *
 * <p>With a few small messages more than the chain needs, a read at three replicas takes two message delays wherever it
 * waits, and not three: the leader tells a replica that asked of the round, and these two are a quorum that has seen
 * it; and the replica that completes the quorum tells the leader.
 *
 * <p>A round that passes a longer chain takes as many delays as a quorum has members, and two more. So where a quorum
 * is more than two, a read that finds no other waiting here does not wait for a round: the replica asks the leader and
 * a quorum of voters at once, and the request stands in the place of the round's number
 * (docs/decisions/053-reads-that-ask-a-quorum.md). Reads that come meanwhile share rounds.
 *
 * <p>The leader may remember requests of an earlier incarnation of a replica, and a round that answers those must not
 * release reads of a later incarnation: requests begin above those of all incarnations before. This rests on the host.
 * Its application reads only when a command of the present incarnation has taken effect, and none does once a command
 * of a higher incarnation has: so, whatever numbers clocks lead to, the incarnations that read ascend.
 *
 * <p>Rounds also are the leader's keep-alive: it begins one every heartbeat.
 */
final class ReadIndex {
    /** Requests of one incarnation that fit below those of the next, whose number is at least a millisecond higher. */
    private static final int REQUESTS_PER_INCARNATION_BITS = 20;

    /** Reads of this replica that no round answers yet; requests ascend over all incarnations that read. */
    private record Waiting(long request, long token) {}

    /** Reads whose request a round answers; safe once the round is confirmed and its read index delivered. */
    private record Answered(Waiting reads, long round, long base, long readIndex) {}

    /** A round that no quorum has confirmed yet. */
    private record Round(long number, long base, long readIndex) {}

    /** Unconfirmed rounds that are remembered: the oldest and the newest. Others are confirmed with a later one. */
    private static final int REMEMBERED_ROUNDS = 64;

    /** In the place of a round's number: the request itself is seen by a quorum. */
    private static final long NO_ROUND = 0;

    /** So long those who were asked may take to answer; then a round is begun. */
    private static final int QUORUM_TICKS = 1;

    private final ReplicaState state;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private final ArrayDeque<Answered> answered = new ArrayDeque<>();

    /** Leader: the newest request of each replica. */
    private final long[] requests = new long[ReplicaState.IDS];

    /** Leader: the highest round that each member is known to have seen. */
    private final long[] seen = new long[ReplicaState.IDS];

    private final ArrayDeque<Round> unconfirmed = new ArrayDeque<>();

    /** Leader: whose newest request the next round answers for the first time. */
    private final boolean[] asking = new boolean[ReplicaState.IDS];

    /** Leader: whether a request has come since the latest round began. */
    private boolean requested;

    /** When this replica last asked the leader. */
    private long requestedTick;

    /** Follower: of each replica the newest request whose round it has told the leader to be seen by a quorum. */
    private final long[] reported = new long[ReplicaState.IDS];

    /** The newest request of this replica that each voter has seen while its promise was this ballot. */
    private final long[] requestSeen = new long[ReplicaState.IDS];

    /** The request that a quorum was asked last; no longer if it has taken too long. */
    private long asked;

    /** What the leader has said to the latest request that a quorum was asked; null if nothing. */
    private Answered direct;

    /** Until then all reads wait for rounds: who would be asked had not answered. */
    private long roundsUntilTick;

    private long lastRequest;

    ReadIndex(ReplicaState state) {
        this.state = state;
        // The leader may still remember requests of an earlier incarnation: they must not answer reads of this one.
        this.lastRequest = state.context.incarnation() << REQUESTS_PER_INCARNATION_BITS;
    }

    void onReadBarrier(long token) {
        boolean asksQuorum = mayAskQuorum();
        waiting.add(new Waiting(++lastRequest, token));
        if (asksQuorum) {
            askQuorum();
        } else {
            sendRequest();
        }
    }

    /**
     * Asks the leader, and so many voters that they, the leader and this replica are a quorum: a request that they see
     * is a round of its own.
     */
    private void askQuorum() {
        asked = lastRequest;
        requestedTick = state.now;
        Membership latest = state.memberships.latest();
        ReadIndexRequest request = new ReadIndexRequest(state.ballot, lastRequest, true);
        if (state.isLeader()) {
            direct = new Answered(waiting.peek(), NO_ROUND, state.maxDecided + 1, state.maxAccepted);
        } else {
            state.effects.send(state.leader, request);
        }
        requestSeen[state.self] = lastRequest;
        int lacking = latest.quorum() - (state.isLeader() ? 1 : 2);
        int[] chain = state.chain();
        int own = state.chainPosition(state.self);
        for (int step = 1; step < chain.length && lacking > 0; step++) {
            int id = chain[(own + step) % chain.length];
            if (id != state.leader && latest.contains(id) && state.linkUp[id]) {
                state.effects.send(id, request);
                lacking--;
            }
        }
    }

    /** Whether the read that has waited longest has asked a quorum itself. */
    private boolean isAsked() {
        return !waiting.isEmpty() && waiting.peek().request() == asked;
    }

    /** Whether the next read is to ask a quorum itself. */
    private boolean mayAskQuorum() {
        boolean isAlone = waiting.isEmpty() && answered.isEmpty();
        return isAlone
                && state.now >= roundsUntilTick
                && !isSmall(state.memberships.latest())
                && !state.isLooking()
                && state.isVoter()
                && (state.isLeader() || state.linkUp[state.leader]);
    }

    /** Whether leader and reader are a quorum. */
    private static boolean isSmall(Membership membership) {
        return membership.quorum() <= 2;
    }

    /** Reads wait at another replica. */
    void onRequest(int sender, ReadIndexRequest m) {
        boolean isThisBallot = !state.isLooking() && m.ballot().equals(state.ballot);
        if (!state.mayLearn(sender)) {
            return;
        }
        if (m.asksQuorum()) {
            if (state.isVoter() && state.rules.mayHaveSeenRequest(isThisBallot)) {
                state.effects.sendAfter(state.basis(), sender, requestSeen(sender, m));
            }
        } else if (state.isLeader() && isThisBallot && m.request() > requests[sender]) {
            requests[sender] = m.request();
            asking[sender] = true;
            requested = true;
        }
    }

    /** "I have seen this request, and have promised nothing above its ballot"; the leader's word has the read index. */
    private AcceptAck requestSeen(int reader, ReadIndexRequest m) {
        Progress seen = new Progress();
        if (state.isLeader()) {
            seen.beginRound(NO_ROUND, state.maxDecided + 1, state.maxAccepted);
        }
        seen.answerReadRequest(reader, m.request());
        return new AcceptAck(m.ballot(), state.start, seen);
    }

    /** A replica has told its progress, or, without a round, that it has seen a request of this replica. */
    void onAcceptAck(int sender, Progress news) {
        long request = news.readRequest(state.self);
        if (news.round() != NO_ROUND || request <= requestSeen[sender]) {
            return;
        }
        requestSeen[sender] = request;
        if (sender == state.leader && isAsked() && request == asked) {
            direct = new Answered(waiting.peek(), NO_ROUND, news.roundBase(), news.readIndex());
        }
    }

    /** Leader: returns, once for each request of a replica, whether a round that answers it has begun. */
    boolean pollAnswered(int id) {
        boolean answered = asking[id];
        asking[id] = false;
        return answered;
    }

    /**
     * Follower: returns, once for each request, whether this replica sees that a quorum has seen the round that answers
     * the request and the leader has to know, because the reads are the leader's own or because a quorum is more than
     * the leader and the replica that asks. The leader would hear so from the end of the chain, later.
     */
    boolean pollConfirmedUnknownToLeader() {
        Progress progress = state.progress;
        boolean newer = false;
        boolean small = isSmall(state.memberships.latest());
        for (int i = 0; i < progress.size(); i++) {
            int id = progress.id(i);
            newer |= progress.readRequest(id) > reported[id] && id != state.self && (id == state.leader || !small);
        }
        if (!newer
                || progress.confirmedRound() >= progress.round()
                || !isConfirmed(progress.round(), progress.roundBase(), progress.readIndex())) {
            return false;
        }
        for (int i = 0; i < progress.size(); i++) {
            reported[progress.id(i)] = progress.readRequest(progress.id(i));
        }
        return true;
    }

    /** A new ballot: what the old leader's rounds promised to answer must be asked again. */
    void ballotChanged() {
        while (!answered.isEmpty()) {
            waiting.addFirst(answered.removeLast().reads());
        }
        Arrays.fill(requests, 0);
        Arrays.fill(seen, 0);
        Arrays.fill(reported, 0);
        Arrays.fill(asking, false);
        Arrays.fill(requestSeen, 0);
        asked = 0;
        direct = null;
        requested = false;
        unconfirmed.clear();
        requestAgain();
    }

    /** The link to the leader is new: a request may have been lost. */
    void requestAgain() {
        if (!waiting.isEmpty()) {
            sendRequest();
        }
    }

    /** Whether reads wait that no round answers yet. */
    boolean isAsking() {
        return !waiting.isEmpty();
    }

    void tick() {
        if (isAsked() && state.now - requestedTick > QUORUM_TICKS) {
            asked = 0;
            roundsUntilTick = state.now + state.settings.suspicionTicks();
            requestAgain();
        }
        if (state.now - requestedTick >= state.settings.heartbeatTicks()) {
            requestAgain();
        }
    }

    private void sendRequest() {
        requestedTick = state.now;
        if (state.isLeader()) {
            requests[state.self] = waiting.getLast().request();
            requested = true;
        } else if (state.leader != 0 && state.linkUp[state.leader]) {
            state.effects.send(
                    state.leader,
                    new ReadIndexRequest(state.ballot, waiting.getLast().request()));
        }
    }

    /** Leader: begins a round if reads wait anywhere. Called before new instances are proposed. */
    void beginRoundIfRequested() {
        if (requested) {
            requested = false;
            beginRound();
        }
    }

    /** Leader: begins a round. */
    void beginRound() {
        Progress progress = state.progress;
        long number = progress.round() + 1;
        progress.beginRound(number, state.maxDecided + 1, state.maxAccepted);
        for (int id : state.chain()) {
            if (requests[id] != 0) {
                progress.answerReadRequest(id, requests[id]);
            }
        }
        if (unconfirmed.size() == REMEMBERED_ROUNDS) {
            // Of the oldest a quorum hears first: were it forgotten, none might ever be confirmed.
            unconfirmed.removeLast();
        }
        unconfirmed.add(new Round(number, state.maxDecided + 1, state.maxAccepted));
        acknowledgeRound();
    }

    /** Says that the current round was seen while the promise is this ballot. */
    void acknowledgeRound() {
        if (state.isVoter()) {
            state.progress.raiseRoundSeen(state.self, state.progress.round());
        }
    }

    /** Leader: returns whether a quorum has confirmed a newer round than before. */
    boolean confirmRounds() {
        if (unconfirmed.isEmpty()) {
            return false;
        }
        if (state.memberships.latestFrom() <= unconfirmed.peek().base()) {
            // The usual case, and on the way of every message: one membership for all of them.
            return confirmUpTo(Memberships.reachedByQuorum(state.progress::roundSeen, state.memberships.latest()));
        }
        Iterator<Round> newestFirst = unconfirmed.descendingIterator();
        while (newestFirst.hasNext()) {
            Round round = newestFirst.next();
            if (isConfirmed(round.number(), round.base(), round.readIndex())) {
                return confirmUpTo(round.number());
            }
        }
        return false;
    }

    private boolean confirmUpTo(long number) {
        boolean newer = false;
        while (!unconfirmed.isEmpty() && unconfirmed.peek().number() <= number) {
            state.progress.raiseConfirmedRound(unconfirmed.remove().number());
            newer = true;
        }
        return newer;
    }

    /**
     * Whether a quorum of each membership that may have been in force when the round began has seen it: a later ballot
     * would have needed promises of one of these quorums before it could decide anything else.
     */
    private boolean isConfirmed(long round, long base, long readIndex) {
        return state.rules.isConfirmed(
                state.progress::roundSeen, round, state.memberships.between(base, readIndex + 1));
    }

    /** Leader: returns whether a member has seen a newer round than when last asked. */
    boolean sawNewRound(int member) {
        boolean newer = state.progress.roundSeen(member) > seen[member];
        seen[member] = state.progress.roundSeen(member);
        return newer;
    }

    /** Releases the reads that have become safe. */
    void release() {
        acknowledgeRound();
        if (isAsked() && direct != null && direct.reads().request() == asked && isSafe(direct)) {
            state.effects.barrierReached(waiting.remove().token());
        }
        Progress progress = state.progress;
        long request = progress.readRequest(state.self);
        while (!waiting.isEmpty() && waiting.peek().request() <= request) {
            answered.add(new Answered(waiting.remove(), progress.round(), progress.roundBase(), progress.readIndex()));
        }
        while (!answered.isEmpty() && isSafe(answered.peek())) {
            state.effects.barrierReached(answered.remove().reads().token());
        }
    }

    /** Tells how many rounds are remembered. */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("unconfirmed_rounds", unconfirmed.size(), REMEMBERED_ROUNDS, Slack.NONE);
    }

    private boolean isSafe(Answered next) {
        if (!state.rules.isCovered(next.readIndex(), state.maxDecided)) {
            return false;
        }
        if (next.round() != NO_ROUND && next.round() <= state.progress.confirmedRound()) {
            return true;
        }
        // Only a voter that has everything up to the read index knows the memberships that matter.
        return state.isVoter() && isConfirmed(next);
    }

    /** As for a round; a request that was asked of a quorum stands in the place of one. */
    private boolean isConfirmed(Answered next) {
        if (next.round() != NO_ROUND) {
            return isConfirmed(next.round(), next.base(), next.readIndex());
        }
        return state.rules.isConfirmed(
                id -> requestSeen[id],
                next.reads().request(),
                state.memberships.between(next.base(), next.readIndex() + 1));
    }
}
