package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.Accepted;
import io.chainkeeper.chain.ChainMessage.Leave;
import io.chainkeeper.chain.ChainMessage.Offer;
import io.chainkeeper.chain.ChainMessage.Received;
import io.chainkeeper.chain.ChainMessage.Resume;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;

/**
 * The links of the chain. Each follower asks one member ahead of it in the chain to feed it: its predecessor, or, while
 * that one's link is down, the next one ahead, in the end the leader; or at once the leader, if it is silent. Whoever
 * feeds nobody that keeps up closes the loop by sending its progress to the leader. With all members up this is the
 * paper's chain; without some it closes round them by itself, and a member that comes back offers itself to its
 * successor again (docs/decisions/002-closing-the-chain.md).
 *
 * <p>A feed starts where its successor says that it is (its highest accepted instance), so resending after a broken
 * link, catching up after a restart and following a new leader are the same thing. What is on its way to a successor is
 * bounded by a window; values no longer in memory are read from the log.
 */
final class Feeds {
    private static final int NOBODY = 0;

    private final ReplicaState state;
    private final Feed[] feeds = new Feed[ReplicaState.IDS];
    private final long[] timedOutTick = new long[ReplicaState.IDS];
    private final LoopWatch loop;

    /**
     * Who did not feed this replica although the link is up, and has not been heard since. It is remembered from ballot
     * to ballot: to try each of them anew can take longer than a leader waits for a quorum.
     */
    private final boolean[] silent = new boolean[ReplicaState.IDS];

    private int upstream = NOBODY;
    private long upstreamHeardTick;

    /** The newest round that the upstream has told of; the leader may have told of a newer one itself. */
    private long upstreamRound;

    private boolean resumeDue;

    /** What the upstream was last told of what has arrived here, and when. */
    private long reportedUpstream;

    private long unreportedBytes;
    private long reportedTick;
    private boolean reportDue;

    /** What the leader was last told when this replica closed the loop. */
    private Progress sentToLeader;

    /** The instance that is being read from the log; 0 if none. */
    private long readFrom;

    /** Copy of the current progress, made at most once per flush. */
    private Progress snapshot;

    Feeds(ReplicaState state) {
        this.state = state;
        this.loop = new LoopWatch(state);
    }

    // ---------------------------------------------------------------- being fed

    /** A new ballot was entered as a follower. */
    void followNewLeader() {
        clear();
        subscribe(state.chainPosition(state.self));
    }

    /**
     * The leader of the present ballot is heard again. What its upstream sent meanwhile was not taken, and may have
     * been the last for long.
     */
    void followAgain() {
        if (upstream == NOBODY) {
            subscribe(state.chainPosition(state.self));
        } else {
            subscribeTo(upstream);
        }
    }

    /** Feeds nobody and is fed by nobody. */
    void clear() {
        for (int i = 0; i < feeds.length; i++) {
            feeds[i] = null;
            timedOutTick[i] = Long.MIN_VALUE / 2;
        }
        upstream = NOBODY;
        resumeDue = false;
        reportDue = false;
        sentToLeader = null;
        loop.begin();
    }

    /** Turns to the nearest member that is up, stands before a place in the chain and is not known to be silent. */
    private void subscribe(int beforePosition) {
        upstream = NOBODY;
        if (state.lacksState()) {
            return;
        }
        int[] chain = state.chain();
        for (int position = Math.min(beforePosition, chain.length) - 1; position >= 0; position--) {
            int id = chain[position];
            if (state.linkUp[id] && !silent[id] && (state.isMember(id) || position == 0)) {
                subscribeTo(id);
                return;
            }
        }
        if (beforePosition > 0 && state.linkUp[state.leader]) {
            subscribeTo(state.leader); // all are silent; nobody is more likely to be back
        }
    }

    private void subscribeTo(int id) {
        upstream = id;
        upstreamHeardTick = state.now;
        upstreamRound = 0;
        resumeDue = true;
    }

    /** Anything came from a replica. */
    void alive(int sender) {
        silent[sender] = false;
    }

    /**
     * Something of the followed ballot came from a member. It counts if it brings a value or a round of which that
     * member had not told. What is due to it travels with what this sets off.
     */
    void heard(int sender, long round, boolean bringsValue) {
        if (sender == upstream && (bringsValue || round > upstreamRound)) {
            upstreamRound = Math.max(upstreamRound, round);
            upstreamHeardTick = state.now;
            reportDue |= state.now - reportedTick > state.settings.heartbeatTicks();
        }
    }

    /** A value has been accepted. */
    void received(int valueBytes) {
        unreportedBytes += valueBytes;
    }

    /** A value arrived whose predecessor is missing. */
    void onGap(int sender) {
        if (sender == upstream) {
            resumeDue = true;
        }
    }

    void onOffer(int sender, Offer m) {
        int position = state.chainPosition(sender);
        boolean ahead = position >= 0 && position < state.chainPosition(state.self) && state.isMember(sender);
        boolean nearer = upstream == NOBODY || !state.isMember(upstream) || position > state.chainPosition(upstream);
        boolean caughtUp = m.maxAccepted() + state.settings.feedWindowInstances() >= state.maxAccepted;
        boolean steady = state.now - timedOutTick[sender] > state.settings.suspicionTicks();
        boolean mayTurn = state.role == Role.FOLLOWER && !state.lacksState();
        if (mayTurn && ahead && nearer && caughtUp && steady) {
            if (upstream != NOBODY) {
                send(upstream, new Leave(state.ballot));
            }
            subscribeTo(sender);
        }
    }

    void onTruncated(int sender, Truncated m) {
        if (!m.ballot().equals(state.ballot) || sender != upstream || m.firstAvailable() <= state.maxAccepted + 1) {
            return;
        }
        if (sender == state.leader) {
            state.effects.needState(sender, state.maxAccepted + 1);
        } else {
            timedOutTick[sender] = state.now;
            subscribe(state.chainPosition(sender)); // others may have kept more
        }
    }

    // ---------------------------------------------------------------- feeding

    void onResume(int sender, Resume m) {
        if (state.role == Role.LOOKING) {
            return;
        }
        boolean isBehind = state.chainPosition(sender) > state.chainPosition(state.self);
        if (state.mayLearn(sender) && isBehind && !state.lacksState()) {
            feeds[sender] = new Feed(state.settings.feedWindowInstances(), m.maxAccepted(), state.now);
        } else if (!state.isLeader()) {
            // This replica lacks values itself, or one of the two has an old view of the membership. The successor must
            // not wait for the timeout with each such member: a leader may need it for a quorum.
            send(sender, new Truncated(state.ballot, ChainMessage.Truncated.EVERYTHING));
        }
    }

    void onReceived(int sender, Received m) {
        if (!m.ballot().equals(state.ballot) || state.role == Role.LOOKING) {
            return;
        }
        if (feeds[sender] == null) {
            onResume(sender, new Resume(state.ballot, state.start, m.maxAccepted()));
            return;
        }
        feeds[sender].reported(m.maxAccepted());
        feeds[sender].heardTick = state.now;
    }

    void onLeave(int sender, Leave m) {
        if (m.ballot().equals(state.ballot)) {
            feeds[sender] = null;
        }
    }

    void onLogRead(long from, List<LogRecord> records) {
        readFrom = 0;
        if (state.role == Role.LOOKING) {
            return;
        }
        for (int i = 0; i < feeds.length; i++) {
            Feed feed = feeds[i];
            if (feed == null || feed.next != from || from >= state.values.first()) {
                continue;
            }
            if (records.isEmpty()) {
                send(i, new Truncated(state.ballot, state.values.first()));
                feeds[i] = null;
                continue;
            }
            for (LogRecord record : records) {
                boolean isNext = record.position() == feed.next && feed.hasCredit();
                if (isNext && record.position() < state.values.first()) {
                    sendAccept(i, feed, record.body());
                }
            }
        }
        snapshot = null;
    }

    // ---------------------------------------------------------------- links and time

    void peerUp() {
        if (state.role == Role.FOLLOWER && upstream == NOBODY) {
            subscribe(state.chainPosition(state.self));
        }
    }

    void peerDown(int id) {
        feeds[id] = null;
        silent[id] = false;
        if (id == state.leader) {
            sentToLeader = null; // what was sent last may be lost
        }
        if (id == upstream) {
            if (state.role == Role.FOLLOWER) {
                subscribe(state.chainPosition(id));
            } else {
                upstream = NOBODY;
            }
        }
    }

    /** The next tick at which something is given up because nothing was heard of it; not after that. */
    long dueTick() {
        if (state.role == Role.FOLLOWER && upstream == NOBODY) {
            return state.now + 1;
        }
        long due = Long.MAX_VALUE;
        for (int id : state.chain()) {
            if (feeds[id] != null) {
                due = Math.min(due, feeds[id].heardTick + 2L * state.settings.feedTimeoutTicks() + 1);
            }
        }
        if (state.role == Role.FOLLOWER) {
            due = Math.min(due, upstreamHeardTick + state.settings.feedTimeoutTicks() + 1);
            if (state.isVoter()) {
                due = Math.min(due, loop.dueTick());
            }
        }
        return due;
    }

    void tick() {
        if (state.role == Role.LOOKING) {
            return;
        }
        for (int i = 0; i < feeds.length; i++) {
            if (feeds[i] != null && state.now - feeds[i].heardTick > 2L * state.settings.feedTimeoutTicks()) {
                feeds[i] = null;
            }
        }
        if (state.role == Role.FOLLOWER) {
            tickFollower();
        }
    }

    private void tickFollower() {
        if (state.lacksState()) {
            if (state.now % state.settings.heartbeatTicks() == 0 && state.linkUp[state.leader]) {
                state.effects.needState(state.leader, state.firstAfterLacking());
            }
            return;
        }
        if (upstream == NOBODY) {
            subscribe(state.chainPosition(state.self));
        } else if (state.now - upstreamHeardTick > state.settings.feedTimeoutTicks()) {
            turnFromSilentUpstream();
        }
        if (state.now % state.settings.heartbeatTicks() == 0) {
            // Normally it was told with the last heartbeat but one.
            reportDue |= state.now - reportedTick > 2L * state.settings.heartbeatTicks();
            if (state.now - upstreamHeardTick <= state.settings.feedTimeoutTicks()) {
                offer();
            }
        }
    }

    /** To the leader at once: those between may be silent as well, and it does not wait for a quorum for long. */
    private void turnFromSilentUpstream() {
        timedOutTick[upstream] = state.now;
        silent[upstream] = true;
        if (!silent[state.leader] && state.linkUp[state.leader] && !state.lacksState()) {
            subscribeTo(state.leader);
        } else {
            subscribe(state.chainPosition(state.self));
        }
    }

    private void offer() {
        if (!state.isMember(state.self)) {
            return;
        }
        int[] chain = state.chain();
        for (int position = state.chainPosition(state.self) + 1; position < chain.length; position++) {
            int id = chain[position];
            if (feeds[id] != null && state.isMember(id)) {
                return;
            }
            if (state.linkUp[id] && feeds[id] == null) {
                send(id, new Offer(state.ballot, state.start, state.maxAccepted));
            }
        }
    }

    // ---------------------------------------------------------------- sending

    /** Tells a member of the followed ballot, outside the chain. */
    void announce(int id) {
        if (id != state.self && state.linkUp[id]) {
            sendProgress(id);
            snapshot = null;
        }
    }

    /** Leader: tells a member of the followed ballot, unless it hears of it anyway because this replica feeds it. */
    void announceUnlessFed(int id) {
        if (feeds[id] == null) {
            announce(id);
        }
    }

    /** Sends everything that this batch of inputs has made due. */
    void flush() {
        if (state.role == Role.LOOKING) {
            return;
        }
        if (state.role == Role.FOLLOWER) {
            askUpstream();
        }
        boolean somebodyKeepsUp = false;
        for (int id : state.chain()) {
            if (feeds[id] != null) {
                pump(id, feeds[id]);
                somebodyKeepsUp |= feeds[id].next > state.maxAccepted && state.isMember(id);
            }
        }
        if (state.role == Role.FOLLOWER && state.isVoter() && (loop.isBroken() || !somebodyKeepsUp)) {
            closeLoop();
        }
        snapshot = null;
    }

    private void askUpstream() {
        if (upstream == NOBODY) {
            return;
        }
        boolean many = state.maxAccepted - reportedUpstream >= state.settings.feedWindowInstances() / 4
                || unreportedBytes >= ChainSettings.REPORT_BYTES;
        if (resumeDue) {
            send(upstream, new Resume(state.ballot, state.start, state.maxAccepted));
        } else if (reportDue || many) {
            send(upstream, new Received(state.ballot, state.maxAccepted));
        } else {
            return;
        }
        resumeDue = false;
        reportDue = false;
        reportedUpstream = state.maxAccepted;
        unreportedBytes = 0;
        reportedTick = state.now;
    }

    private void pump(int id, Feed feed) {
        boolean sent = false;
        while (feed.next <= state.maxAccepted && feed.hasCredit()) {
            if (feed.next < state.values.first()) {
                readLog(feed.next);
                break;
            }
            sendAccept(id, feed, state.values.get(feed.next).value());
            sent = true;
        }
        if (!sent && isNews(id, feed.sent)) {
            sendProgress(id);
            sent = true;
        }
        if (sent) {
            feed.sent = snapshot();
        }
    }

    private void readLog(long from) {
        if (readFrom == 0) {
            readFrom = from;
            state.effects.readLog(from, ChainSettings.LOG_READ_BYTES);
        }
    }

    /** Whether a successor can use what this replica knows beyond what it was told. */
    private boolean isNews(int id, Progress told) {
        Progress known = state.progress;
        if (told == null || known.maxDecided() > told.maxDecided() || known.round() > told.round()) {
            return true;
        }
        boolean seesQuorum = state.memberships.latest().quorum() <= 2 && state.isMember(id);
        if (!seesQuorum && known.confirmedRound() > told.confirmedRound()) {
            return true;
        }
        int position = state.chainPosition(id);
        for (int i = 0; i < known.size(); i++) {
            int member = known.id(i);
            if (state.chainPosition(member) < position && known.ack(member) > told.ack(member)) {
                return true;
            }
        }
        return false;
    }

    private void closeLoop() {
        Progress known = state.progress;
        boolean news = sentToLeader == null;
        for (int i = 0; i < known.size() && !news; i++) {
            int id = known.id(i);
            news = id != state.leader
                    && (known.ack(id) > sentToLeader.ack(id) || known.roundSeen(id) > sentToLeader.roundSeen(id));
        }
        if (news && state.linkUp[state.leader]) {
            sendProgress(state.leader);
            sentToLeader = snapshot();
        }
    }

    private Progress snapshot() {
        if (snapshot == null) {
            snapshot = state.progress.copy();
        }
        return snapshot;
    }

    private void sendAccept(int id, Feed feed, ByteSlice value) {
        Prefix prefix = state.agreement.hashes().upTo(feed.next);
        Accept accept = new Accept(state.ballot, state.start, feed.next, value, snapshot(), prefix);
        state.effects.sendAfter(state.basis(), id, accept);
        feed.sent(value.length());
    }

    private void sendProgress(int id) {
        Prefix prefix = state.agreement.hashes().latest();
        state.effects.sendAfter(state.basis(), id, new Accepted(state.ballot, state.start, snapshot(), prefix));
    }

    private void send(int id, ChainMessage message) {
        state.effects.send(id, message);
    }

    /** How many members this replica feeds. */
    int count() {
        int count = 0;
        for (Feed feed : feeds) {
            count += feed == null ? 0 : 1;
        }
        return count;
    }
}
