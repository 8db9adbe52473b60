package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.OfferFeed;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.chain.ChainMessage.Unsubscribe;
import io.chainkeeper.chain.ChainMessage.WindowAck;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.Arrays;
import java.util.List;

/**
 * The links of the chain. Each follower subscribes to one member ahead of it in the chain, its predecessor: the nearest
 * one whose link is up, in the end the leader; or at once the leader, if the predecessor is silent. A replica whose
 * successors do not keep up, or that has none, closes the loop by sending its progress to the leader. With all members
 * up this is the paper's chain. Without some of them it closes round them by itself, and a member that comes back
 * offers its successor to feed it again (docs/decisions/002-closing-the-chain.md).
 *
 * <p>A predecessor sends from where its successor says that it is (its highest accepted instance). So resending after a
 * broken link, catching up after a restart and following a new leader are the same thing. What is on its way to a
 * successor is bounded by a {@link SuccessorWindow}; values no longer in memory are read from the log.
 */
final class ChainLinks {
    private static final int NOBODY = 0;

    private final ReplicaState state;
    /** Of each replica that is subscribed here what is on its way to it; else null. */
    final SuccessorWindow[] windows = new SuccessorWindow[ReplicaState.IDS];

    /** When each replica last failed as the predecessor. */
    private final long[] timedOutTick = new long[ReplicaState.IDS];

    private final LoopWatch loop;
    private final PredecessorWatch watch;
    private final StateSources sources;
    private final LogReading reading;

    /**
     * Replicas that did not feed this one although their link is up, and have not been heard since. They are remembered
     * from ballot to ballot: to try each of them anew can take longer than a leader waits for a quorum.
     */
    private final boolean[] silent = new boolean[ReplicaState.IDS];

    /** Whom this replica is subscribed to. */
    private int predecessor = NOBODY;

    private boolean subscribeDue;
    private boolean windowAckDue;

    /** Up to where the predecessor was last told that instances have arrived here, and when it was told. */
    private long acknowledgedToPredecessor;

    private long windowAckTick;

    /** Bytes of values that have arrived since. */
    private long unacknowledgedBytes;

    /** Copy of the current progress, made at most once per flush. */
    private Progress snapshot;

    ChainLinks(ReplicaState state) {
        this.state = state;
        this.loop = new LoopWatch(state);
        this.watch = new PredecessorWatch(state);
        this.sources = new StateSources(state);
        this.reading = new LogReading(state);
    }

    // ---------------------------------------------------------------- being fed

    /** A new ballot was entered as a follower. */
    void followNewLeader() {
        clear();
        subscribe(state.chainPosition(state.self));
    }

    /**
     * The leader of the present ballot is heard again. What the predecessor sent meanwhile was not taken, and nothing
     * more may come from it for long.
     */
    void followAgain() {
        if (predecessor == NOBODY) {
            subscribe(state.chainPosition(state.self));
        } else {
            subscribeTo(predecessor);
        }
    }

    /** Feeds nobody and is fed by nobody. */
    void clear() {
        Arrays.fill(windows, null);
        Arrays.fill(timedOutTick, Long.MIN_VALUE / 2);
        predecessor = NOBODY;
        subscribeDue = false;
        windowAckDue = false;
        loop.begin();
        watch.beginBallot();
    }

    /** Subscribes to the nearest member before a place in the chain that is up and not known to be silent. */
    private void subscribe(int beforePosition) {
        predecessor = NOBODY;
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
            subscribeTo(state.leader); // all are silent, and nobody is more likely to be back than the leader
        }
    }

    private void subscribeTo(int id) {
        predecessor = id;
        watch.begin();
        subscribeDue = true;
    }

    /** Anything came from a replica. */
    void alive(int sender) {
        silent[sender] = false;
    }

    /**
     * A message of the followed ballot came from a member. A window acknowledgement that is due travels with what the
     * message sets off.
     */
    void heard(int sender, Progress news, boolean bringsValue) {
        loop.heard(news);
        if (sender == predecessor && watch.heard(news, bringsValue)) {
            windowAckDue |= state.now - windowAckTick > state.settings.heartbeatTicks();
        }
    }

    /** A value has been accepted. */
    void received(int valueBytes) {
        unacknowledgedBytes += valueBytes;
    }

    /** A value arrived, but not the one before it. */
    void onGap(int sender) {
        if (sender == predecessor) {
            subscribeDue = true;
        }
    }

    private void unsubscribe() {
        if (predecessor != NOBODY) {
            send(predecessor, new Unsubscribe(state.ballot));
        }
    }

    private boolean isAhead(int id) {
        return state.chainPosition(id) >= 0 && state.chainPosition(id) < state.chainPosition(state.self);
    }

    void onOfferFeed(int sender, OfferFeed m) {
        boolean nearer = predecessor == NOBODY
                || !state.isMember(predecessor)
                || state.chainPosition(sender) > state.chainPosition(predecessor);
        boolean caughtUp = m.maxAccepted() + state.settings.successorWindowInstances() >= state.maxAccepted;
        boolean steady = state.now - timedOutTick[sender] > state.settings.suspicionTicks();
        boolean mayTurn = state.isFollower() && !state.lacksState();
        if (mayTurn && isAhead(sender) && state.isMember(sender) && nearer && caughtUp && steady) {
            unsubscribe();
            subscribeTo(sender);
        }
    }

    void onTruncated(int sender, Truncated m) {
        if (!m.ballot().equals(state.ballot) || sender != predecessor || m.firstAvailable() <= state.maxAccepted + 1) {
            return;
        }
        if (m.firstAvailable() != Truncated.EVERYTHING) {
            watch.foundLogTruncated();
        }
        if (sender == state.leader) {
            sources.askBehind(state.maxAccepted);
        } else {
            timedOutTick[sender] = state.now;
            subscribe(state.chainPosition(sender)); // the log of another may reach further back
        }
    }

    // ---------------------------------------------------------------- feeding

    void onSubscribe(int sender, Subscribe m) {
        if (state.isLooking()) {
            return;
        }
        boolean isBehind = state.chainPosition(sender) > state.chainPosition(state.self);
        if (state.mayLearn(sender) && isBehind && !state.lacksState()) {
            windows[sender] =
                    new SuccessorWindow(state.settings.successorWindowInstances(), m.maxAccepted(), state.now);
        } else if (!state.isLeader()) {
            // This replica lacks values itself, or one of the two has an old view of the membership. The subscriber
            // must not wait for the timeout with each such member: a leader may need the subscriber for a quorum.
            send(sender, new Truncated(state.ballot, ChainMessage.Truncated.EVERYTHING));
        }
    }

    void onWindowAck(int sender, WindowAck m) {
        if (!m.ballot().equals(state.ballot) || state.isLooking()) {
            return;
        }
        if (windows[sender] == null) {
            onSubscribe(sender, new Subscribe(state.ballot, state.start, m.maxAccepted()));
            return;
        }
        windows[sender].acknowledged(m.maxAccepted());
        windows[sender].heardTick = state.now;
    }

    void onUnsubscribe(int sender, Unsubscribe m) {
        if (m.ballot().equals(state.ballot)) {
            windows[sender] = null;
        }
    }

    void onLogRead(long from, List<LogRecord> records) {
        long end = reading.ended();
        if (state.isLooking()) {
            return;
        }
        for (int i = 0; i < windows.length; i++) {
            SuccessorWindow window = windows[i];
            if (window == null || window.next != from || from >= state.values.first()) {
                continue;
            }
            if (records.isEmpty()) {
                send(i, new Truncated(state.ballot, state.values.first()));
                windows[i] = null;
                continue;
            }
            for (LogRecord record : records) {
                boolean isNext = record.position() == window.next && window.hasCredit();
                if (isNext && record.position() < end) {
                    sendAccept(i, window, record.body());
                }
            }
        }
        snapshot = null;
    }

    // ---------------------------------------------------------------- links and time

    void peerUp() {
        if (state.isFollower() && predecessor == NOBODY) {
            subscribe(state.chainPosition(state.self));
        }
    }

    void peerDown(int id) {
        windows[id] = null;
        silent[id] = false;
        if (id == state.leader) {
            loop.forgetTold(); // what was sent to the leader last may be lost
        }
        if (id == predecessor) {
            if (state.isFollower()) {
                subscribe(state.chainPosition(id));
            } else {
                predecessor = NOBODY;
            }
        }
    }

    /** The next tick, at the latest, at which somebody is given up because nothing was heard of it. */
    long dueTick() {
        if (state.isFollower() && !isAhead(predecessor)) {
            return state.now + 1;
        }
        long due = Long.MAX_VALUE;
        for (int id : state.chain()) {
            if (windows[id] != null) {
                due = Math.min(due, windows[id].heardTick + 2L * state.settings.predecessorTimeoutTicks() + 1);
            }
        }
        if (state.isFollower()) {
            due = Math.min(due, watch.dueTick());
            if (state.isVoter()) {
                due = Math.min(due, loop.dueTick());
            }
        }
        return due;
    }

    void tick() {
        if (state.lacksState() && state.now % state.settings.heartbeatTicks() == 0) {
            // Also while it follows nobody: those that it knows as members need not tell it who leads.
            sources.ask(state.firstAfterLacking());
        }
        if (state.isLooking()) {
            return;
        }
        for (int i = 0; i < windows.length; i++) {
            if (windows[i] != null
                    && state.now - windows[i].heardTick > 2L * state.settings.predecessorTimeoutTicks()) {
                windows[i] = null;
            }
        }
        if (state.isFollower() && !state.lacksState()) {
            tickFollower();
        }
    }

    private void tickFollower() {
        if (!isAhead(predecessor)) {
            unsubscribe(); // by another membership this replica would feed its predecessor, in a ring
            subscribe(state.chainPosition(state.self));
        } else if (watch.isSilent() || watch.feedsNothing()) {
            turnFromPredecessor();
        }
        if (watch.starves()) {
            sources.askBehind(state.maxAccepted);
        }
        if (state.now % state.settings.heartbeatTicks() == 0) {
            // Normally the predecessor was told with the last heartbeat but one.
            windowAckDue |= state.now - windowAckTick > 2L * state.settings.heartbeatTicks();
            if (!watch.isSilent()) {
                offerFeed();
            }
        }
    }

    /** Turns to the leader at once: those between may be silent too, and the leader does not wait long for a quorum. */
    private void turnFromPredecessor() {
        timedOutTick[predecessor] = state.now + (watch.isSilent() ? 0 : state.settings.brokenLoopTicks());
        silent[predecessor] = true;
        if (!silent[state.leader] && state.linkUp[state.leader] && !state.lacksState()) {
            subscribeTo(state.leader);
        } else {
            subscribe(state.chainPosition(state.self));
        }
    }

    private void offerFeed() {
        if (!state.isMember(state.self)) {
            return;
        }
        int[] chain = state.chain();
        for (int position = state.chainPosition(state.self) + 1; position < chain.length; position++) {
            int id = chain[position];
            if (windows[id] != null && state.isMember(id)) {
                return;
            }
            if (state.linkUp[id] && windows[id] == null) {
                send(id, new OfferFeed(state.ballot, state.start, state.maxAccepted));
            }
        }
    }

    // ---------------------------------------------------------------- sending

    /** Tells a member of the followed ballot and of its progress, outside the chain. */
    void announce(int id) {
        if (id != state.self && state.linkUp[id]) {
            sendProgress(id);
            snapshot = null;
        }
    }

    /** Leader: announces to a member, unless the member hears it anyway because it is subscribed here. */
    void announceUnlessSubscribed(int id) {
        if (windows[id] == null) {
            announce(id);
        }
    }

    /** Sends everything that this batch of inputs has made due. */
    void flush() {
        if (state.isLooking()) {
            return;
        }
        if (state.isFollower()) {
            tellPredecessor();
        }
        boolean somebodyKeepsUp = false;
        for (int id : state.chain()) {
            if (windows[id] != null) {
                fillWindow(id, windows[id]);
                somebodyKeepsUp |= windows[id].next > state.maxAccepted && state.isMember(id);
            }
        }
        if (state.isFollower() && state.isVoter() && (loop.isBroken() || !somebodyKeepsUp)) {
            closeLoop();
        }
        snapshot = null;
    }

    private void tellPredecessor() {
        if (predecessor == NOBODY) {
            return;
        }
        boolean many = state.maxAccepted - acknowledgedToPredecessor >= state.settings.successorWindowInstances() / 4
                || unacknowledgedBytes >= ChainSettings.WINDOW_ACK_BYTES;
        if (subscribeDue) {
            send(predecessor, new Subscribe(state.ballot, state.start, state.maxAccepted));
        } else if (windowAckDue || many) {
            send(predecessor, new WindowAck(state.ballot, state.maxAccepted));
        } else {
            return;
        }
        subscribeDue = false;
        windowAckDue = false;
        acknowledgedToPredecessor = state.maxAccepted;
        unacknowledgedBytes = 0;
        windowAckTick = state.now;
    }

    private void fillWindow(int id, SuccessorWindow window) {
        boolean sent = false;
        while (window.next <= state.maxAccepted && window.hasCredit()) {
            if (window.next < state.values.first()) {
                reading.begin(window.next);
                break;
            }
            sendAccept(id, window, state.values.get(window.next).value());
            sent = true;
        }
        if (!sent && isNews(id, window.sent)) {
            sendProgress(id);
            sent = true;
        }
        if (sent) {
            window.sent = snapshot();
        }
    }

    /** Whether this replica knows something that its successor was not told and can use. */
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
        if (loop.hasNews() && state.linkUp[state.leader]) {
            sendProgress(state.leader);
            loop.told(snapshot());
        }
    }

    private Progress snapshot() {
        if (snapshot == null) {
            snapshot = state.progress.copy();
        }
        return snapshot;
    }

    private void sendAccept(int id, SuccessorWindow window, ByteSlice value) {
        Prefix prefix = state.agreement.hashes().upTo(window.next);
        Accept accept = new Accept(state.ballot, state.start, window.next, value, snapshot(), prefix);
        state.effects.sendAfter(state.basis(), id, accept);
        window.sent(value.length());
    }

    private void sendProgress(int id) {
        Prefix prefix = state.agreement.hashes().latest();
        state.effects.sendAfter(state.basis(), id, new AcceptAck(state.ballot, state.start, snapshot(), prefix));
    }

    private void send(int id, ChainMessage message) {
        state.effects.send(id, message);
    }

    /** How many replicas are subscribed here. */
    int count() {
        int count = 0;
        for (SuccessorWindow window : windows) {
            count += window == null ? 0 : 1;
        }
        return count;
    }
}
