package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.Differing;
import io.chainkeeper.chain.ChainMessage.RedirectRequest;
import io.chainkeeper.chain.ChainMessage.Hello;
import io.chainkeeper.chain.ChainMessage.LearnerStatus;
import io.chainkeeper.chain.ChainMessage.Unsubscribe;
import io.chainkeeper.chain.ChainMessage.OfferFeed;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.chain.ChainMessage.WindowAck;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.chain.ChainMessage.TakeOver;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * ChainPaxos (paper sections 3.1 to 3.4): one replica's proposer, acceptor and learner.
 *
 * <p>The leader is the head of the chain. It packs waiting commands into the next instance, {@code Accept} travels down
 * the chain, and the end of the chain closes the loop to the leader. Acceptance is contiguous. A member acknowledges an
 * instance in the vector when its own log is durable; an instance is decided when a quorum has acknowledged it in one
 * ballot. Values accepted in an older ballot never count for the vector of a newer one.
 *
 * <p>This class decides who is followed and what is accepted and decided; how things travel is {@link ChainLinks}, how
 * leaders change {@link Election}, reads {@link ReadIndex}, commands {@link Proposer}, who votes
 * {@link Memberships} and {@link Admission}.
 */
final class ChainPaxos implements OrderingProtocol {
    private final ReplicaState state;
    private final Effects effects;
    private final ChainLinks links;
    private final Election election;
    private final ReadIndex reads;
    private final Proposer proposer;
    private final Admission admission;

    private OrderingStatus status = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    /** Tick at which anything of the followed ballot was last heard. */
    private long lastHeardTick;

    /** Leader only: tick at which a quorum last confirmed a round. */
    private long lastConfirmedTick;

    /** Tick at which the link to each replica last went down. */
    private final long[] linkDownTick = new long[ReplicaState.IDS];

    private final boolean[] reportedSilent = new boolean[ReplicaState.IDS];
    private boolean refusedInThisBatch;

    ChainPaxos(ProtocolContext context, ChainSettings settings, SafetyRules rules, Effects effects) {
        this.effects = effects;
        this.state = new ReplicaState(context, settings, rules, effects);
        this.links = new ChainLinks(state);
        this.election = new Election(state);
        this.reads = new ReadIndex(state);
        this.admission = new Admission(state);
        this.proposer = new Proposer(state, admission);
    }

    // ---------------------------------------------------------------- start

    @Override
    public void onStart(RecoveredState recovered) {
        LogRecord promise = recovered.metadata(ReplicaState.PROMISE);
        if (promise != null) {
            state.promised = ReplicaState.ballotOf(promise.head().asByteBuffer());
        }
        long applied = recovered.appliedPosition();
        state.identity.start(recovered, promise == null);
        if (recovered.membership() != null) {
            state.memberships.replaceFrom(applied + 1, recovered.membership());
        } else {
            List<Integer> initial = state.identity.initialParticipants();
            state.memberships.begin(
                    Membership.initial(state.settings.minQuorumSize(), initial), state.identity.isFounder());
        }
        LogRecord kept = recovered.metadata(ReplicaState.MEMBERSHIP_DECIDED);
        long[] decided = {
            kept == null
                    ? applied
                    : Math.max(applied, kept.head().asByteBuffer().getLong())
        };
        recovered.forEachHead(1, record -> {
            ByteBuffer head = record.head().asByteBuffer();
            Ballot accepted = ReplicaState.ballotOf(head);
            if (state.promised.lessThan(accepted)) {
                state.promised = accepted;
            }
            decided[0] = Math.max(decided[0], head.getLong());
        });
        long memoryFirst = Math.max(
                Math.max(recovered.firstPosition(), 1),
                Math.min(decided[0], recovered.lastPosition()) - state.settings.minMemoryInstances() + 1);
        // A checkpoint may be ahead of the log: what others had decided can be executed before the own log is durable.
        boolean empty = recovered.lastPosition() < Math.max(memoryFirst, decided[0]);
        state.values.clear(empty ? decided[0] + 1 : memoryFirst);
        state.maxDecided = applied;
        state.agreement.hashes().begin(applied, recovered.appliedPrefixHash());
        if (!empty) {
            recovered.forEachPosition(
                    Math.min(applied + 1, memoryFirst), record -> recover(record, memoryFirst, decided[0]));
        }
        state.lackUpTo(decided[0]);
        state.maxAccepted = state.maxDecided;
        if (state.context.start() == Start.SOLE_SURVIVOR) {
            Member survivor = new Member(state.self, state.identity.disk());
            state.memberships.replaceFrom(state.maxDecided + 1, new Membership(1, List.of(survivor)));
        }
        promiseAsTheStateDoes(recovered.metadata(LogRecord.PROMISE_OF_STATE_KIND));
        election.start();
    }

    /** A state that was installed tells what ballots had decided that its sender had promised, and this replica not. */
    private void promiseAsTheStateDoes(LogRecord ofSender) {
        if (ofSender == null) {
            return;
        }
        InvariantViolated.check(
                ofSender.head().length() == ReplicaState.BALLOT_BYTES,
                "the state that was installed here came with a promise of %d bytes, not one of this protocol",
                ofSender.head().length());
        Ballot promised = ReplicaState.ballotOf(ofSender.head().asByteBuffer());
        if (state.promised.lessThan(promised)) {
            state.promise(promised);
        }
    }

    private void recover(LogRecord record, long memoryFirst, long decided) {
        long instance = record.position();
        if (instance >= memoryFirst) {
            Ballot accepted = ReplicaState.ballotOf(record.head().asByteBuffer());
            if (instance != state.values.last() + 1) {
                // The log has a hole where an earlier start found a checkpoint ahead of it.
                state.values.clear(instance);
            }
            state.values.put(instance, new AcceptedValues.Accepted(accepted, record.body(), 0));
        }
        if (instance == state.maxDecided + 1 && instance <= decided) {
            state.noteMembership(instance, record.body());
            state.deliver(instance, record.body());
        }
        state.values.trim(Math.min(state.values.last(), decided), 0, state.settings);
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void onMessage(int from, Message message) {
        InvariantViolated.check(
                from > 0 && from < ReplicaState.IDS && from != state.self,
                "message from %d, not another replica",
                from);
        int sender = from;
        if (isOutOfReach(sender, (ChainMessage) message)) {
            return;
        }
        if (state.agreement.isContradictedBy(sender, ((ChainMessage) message).prefix())) {
            afterInput(); // nothing is learned from one who holds another order
            return;
        }
        links.alive(sender);
        if (message instanceof Accept accept) {
            onAccept(sender, accept);
        } else if (message instanceof AcceptAck ack) {
            onAcceptAck(sender, ack);
        } else if (message instanceof RedirectRequest request) {
            proposer.onRedirectRequest(request);
        } else if (message instanceof ReadIndexRequest request) {
            reads.onRequest(sender, request);
        } else if (!onChainMessage(sender, message)) {
            onElectionMessage(sender, message);
        }
        afterInput();
    }

    /** Whether a ballot is so high that no election can have led there: a defect, or a stranger. */
    private boolean isOutOfReach(int sender, ChainMessage m) {
        Ballot highest = m.ballot();
        if (m instanceof PreVoteDenied denied) {
            highest = denied.promised();
        } else if (m instanceof Refused refused) {
            highest = refused.promised();
        }
        long seen = Math.max(state.promised.round(), election.maxSeenRound());
        if (highest.isWithinReach(seen, hasPromisedNothing())) {
            return false;
        }
        effects.refuse(sender, "speaks of ballot " + highest + " where round " + seen + " is the highest known");
        return true;
    }

    private boolean onChainMessage(int sender, Message message) {
        if (message instanceof WindowAck received) {
            links.onWindowAck(sender, received);
        } else if (message instanceof Subscribe subscribe) {
            onSubscribe(sender, subscribe);
        } else if (message instanceof OfferFeed offer) {
            onOfferFeed(sender, offer);
        } else if (message instanceof Unsubscribe leave) {
            links.onUnsubscribe(sender, leave);
        } else if (message instanceof Truncated truncated) {
            links.onTruncated(sender, truncated);
            election.onTruncated(sender, truncated);
        } else {
            return false;
        }
        return true;
    }

    private void onElectionMessage(int sender, Message message) {
        if (message instanceof PreVote preVote) {
            onPreVote(sender, preVote);
        } else if (message instanceof PreVoteOk granted) {
            election.onPreVoteOk(sender, granted);
        } else if (message instanceof PreVoteDenied denied) {
            election.onPreVoteDenied(denied);
        } else if (message instanceof Prepare prepare) {
            onPrepare(sender, prepare);
        } else if (message instanceof PrepareOk promise) {
            if (election.onPrepareOk(sender, promise)) {
                lead();
            }
        } else if (message instanceof Refused refused) {
            onRefused(refused);
        } else if (message instanceof Hello hello) {
            onHello(sender, hello);
        } else if (message instanceof LearnerStatus learning) {
            onLearnerStatus(sender, learning);
        } else if (message instanceof TakeOver takeOver) {
            onTakeOver(sender, takeOver);
        } else if (message instanceof Differing) {
            return; // it is of use where it contradicts
        } else {
            throw new InvariantViolated("unknown message " + message);
        }
    }

    private void onAccept(int sender, Accept m) {
        if (!follow(m.ballot(), m.start(), showsLeader(sender, m.progress()))) {
            return;
        }
        boolean isNext = m.instance() == state.maxAccepted + 1;
        if (isNext && m.instance() < state.start && m.progress().maxDecided() < m.instance()) {
            effects.refuse(
                    sender,
                    "hands on undecided instance " + m.instance() + " below start " + state.start + " of ballot "
                            + state.ballot);
            return;
        }
        heard(sender, m.progress(), isNext);
        if (isNext) {
            state.accept(m.instance(), m.value());
            links.received(m.value().length());
        } else if (m.instance() > state.maxAccepted + 1) {
            links.onGap(sender);
        }
        state.progress.merge(m.progress(), state.self);
    }

    private void onAcceptAck(int sender, AcceptAck m) {
        if (!follow(m.ballot(), m.start(), showsLeader(sender, m.progress()))) {
            return;
        }
        heard(sender, m.progress(), false);
        state.progress.merge(m.progress(), state.self);
    }

    private void onSubscribe(int sender, Subscribe m) {
        if (follow(m.ballot(), m.start(), false)) {
            links.onSubscribe(sender, m);
        } else if (state.role != Role.LOOKING && m.ballot().lessThan(state.ballot)) {
            links.announce(sender);
        }
    }

    private void onOfferFeed(int sender, OfferFeed m) {
        if (follow(m.ballot(), m.start(), false)) {
            links.onOfferFeed(sender, m);
        }
    }

    private void onHello(int sender, Hello m) {
        state.identity.met(sender, m.founding());
    }

    private void sayHello() {
        for (int id = 1; id < ReplicaState.IDS; id++) {
            if (state.linkUp[id]) {
                effects.send(id, hello());
            }
        }
    }

    private Hello hello() {
        return new Hello(state.agreement.hashes().latest(), state.identity.hello(hasPromisedNothing()));
    }

    private boolean hasPromisedNothing() {
        return state.promised.equals(Ballot.NONE) && state.values.last() == 0;
    }

    private void onLearnerStatus(int sender, LearnerStatus m) {
        if (!state.mayLearn(sender) || state.role == Role.LOOKING) {
            return;
        }
        if (!m.ballot().equals(state.ballot)) {
            links.announce(sender);
        } else if (state.isLeader()) {
            admission.onLearnerStatus(sender, m);
        }
    }

    private void onTakeOver(int sender, TakeOver m) {
        if (state.role == Role.FOLLOWER
                && m.ballot().equals(state.ballot)
                && sender == state.leader
                && state.isVoter()
                && !state.lacksState()) {
            stopFollowing();
            election.takeOver();
        }
    }

    /**
     * Whether a candidate may be answered: if it takes this replica for a member with this very disk, which it may know
     * before this replica does, and is one itself or knows more of the order than this replica.
     */
    private boolean mayAnswer(int candidate, long candidateDecided, long expectedDisk) {
        boolean isMeant = state.identity.votesAs(new Member(state.self, expectedDisk));
        return isMeant && (state.membership().contains(candidate) || candidateDecided > state.maxDecided);
    }

    private void onPreVote(int sender, PreVote m) {
        boolean isFree =
                mayAnswer(sender, m.maxDecided(), m.disk()) && state.promised.lessThan(m.ballot()) && !hearsLeader();
        if (isFree && m.maxDecided() + 1 >= state.values.first()) {
            effects.send(sender, new PreVoteOk(m.ballot()));
            return;
        }
        if (isFree) {
            effects.send(sender, new Truncated(m.ballot(), state.values.first()));
        }
        effects.send(sender, new PreVoteDenied(m.ballot(), state.promised));
        if (state.isLeader()) {
            links.announce(sender);
        }
    }

    private void onPrepare(int sender, Prepare m) {
        if (m.ballot().lessThan(state.promised) || m.ballot().replica() != sender) {
            effects.send(sender, new Refused(m.ballot(), state.promised));
            return;
        }
        if (state.role != Role.LOOKING && m.ballot().equals(state.ballot)) {
            return; // a late repeat: its sender leads by now
        }
        if (m.from() < state.values.first() || !mayAnswer(sender, m.from() - 1, m.disk())) {
            // What it lacks is no longer in memory here: it must not lead before it has caught up. Nor may one that has
            // left the membership without knowing it.
            effects.send(sender, new PreVoteDenied(m.ballot(), state.promised));
            return;
        }
        if (state.promised.lessThan(m.ballot())) {
            stopFollowing();
            election.promise(m.ballot());
        }
        election.answer(sender, m);
    }

    private void onRefused(Refused m) {
        election.onRefused(m);
        if (state.role != Role.LOOKING && m.ballot().equals(state.ballot) && state.ballot.lessThan(m.promised())) {
            if (state.isLeader()) {
                stopFollowing();
                election.restart();
            }
        }
    }

    // ---------------------------------------------------------------- whom to follow

    private boolean showsLeader(int sender, Progress news) {
        return sender == state.leader || news.round() > state.progress.round();
    }

    /**
     * Whether a message of this ballot is to be taken; enters the ballot if it is new. A leader that had fallen silent
     * is followed again only when it shows itself: followers of one that is no more could keep each other from missing
     * it all at the same time.
     */
    private boolean follow(Ballot ballot, long start, boolean showsLeader) {
        if (ballot.lessThan(state.promised)) {
            refuse(ballot);
            return false;
        }
        if (state.role != Role.LOOKING && ballot.equals(state.ballot)) {
            return true;
        }
        if (ballot.replica() == state.context.replicaId()) {
            return false; // an echo of a ballot that this replica led and gave up
        }
        if (ballot.equals(state.ballot) && !showsLeader) {
            return false;
        }
        if (ballot.equals(state.ballot)) {
            state.role = Role.FOLLOWER; // it had fallen silent; nothing was promised since
            state.acknowledge(); // of what became durable meanwhile
            links.followAgain();
        } else {
            state.enter(ballot, start, Role.FOLLOWER);
            links.followNewLeader();
            reads.ballotChanged();
            proposer.leaderChanged();
        }
        state.identity.joined();
        election.stop();
        lastHeardTick = state.now;
        publishStatus();
        return true;
    }

    private void refuse(Ballot ballot) {
        if (!refusedInThisBatch && ballot.replica() != state.context.replicaId()) {
            refusedInThisBatch = true;
            effects.send(ballot.replica(), new Refused(ballot, state.promised));
        }
    }

    private void stopFollowing() {
        state.leave();
        links.clear();
        reads.ballotChanged();
        proposer.leaderLost();
        publishStatus();
    }

    private void lead() {
        Map<Long, ByteSlice> recovered = election.recovered();
        long decided = election.recoveredDecided();
        state.enter(election.ballot(), state.maxDecided + 1, Role.LEADER);
        links.clear();
        recovered.forEach(state::accept);
        state.progress.raiseMaxDecided(decided);
        InvariantViolated.check(
                decided <= state.maxAccepted,
                "instance %d is decided but a quorum reported values only up to %d",
                decided,
                state.maxAccepted);
        election.stop();
        lastHeardTick = state.now;
        lastConfirmedTick = state.now;
        Arrays.fill(reportedSilent, false);
        admission.lead();
        reads.ballotChanged();
        proposer.leaderChanged();
        reads.beginRound();
        for (int id : state.chain()) {
            links.announce(id);
        }
        publishStatus();
    }

    private boolean hearsLeader() {
        if (state.isLeader()) {
            return true;
        }
        return state.role == Role.FOLLOWER
                && state.linkUp[state.leader]
                && state.now - lastHeardTick < state.settings.suspicionTicks();
    }

    /** Only a new round shows that the leader lives: members may go on telling each other what it once said. */
    private void heard(int sender, Progress news, boolean bringsValue) {
        boolean newRound = news.round() > state.progress.round();
        if (newRound) {
            lastHeardTick = state.now;
        }
        links.heard(sender, news.round(), bringsValue);
    }

    /** A follower that hears the leader through others only can neither forward commands nor ask for rounds. */
    private boolean isCutOffFromLeader() {
        return state.role == Role.FOLLOWER
                && !state.linkUp[state.leader]
                && state.now - linkDownTick[state.leader] > state.settings.suspicionTicks();
    }

    private void publishStatus() {
        OrderingStatus next = view();
        if (!next.equals(status)) {
            status = next;
            effects.statusChanged(next);
        }
    }

    private OrderingStatus view() {
        long epoch = state.promised.round();
        boolean cutOff = isCutOffFromLeader();
        if (state.role == Role.LOOKING || cutOff) {
            return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, epoch, silentMillis(cutOff));
        }
        boolean observing = state.role == Role.FOLLOWER && !state.isVoter();
        return new OrderingStatus(observing ? Role.OBSERVER : state.role, state.leader, epoch);
    }

    /** What this replica was until now tells whose silence counts. */
    private long silentMillis(boolean cutOff) {
        if (status.role() == Role.LOOKING) {
            return status.silentMillis();
        }
        long heardTick = status.role() == Role.LEADER ? lastConfirmedTick : lastHeardTick;
        if (cutOff) {
            heardTick = Math.min(heardTick, linkDownTick[state.leader]);
        }
        return (state.now - heardTick) * state.context.tickMillis();
    }

    // ---------------------------------------------------------------- other inputs

    @Override
    public void onTick() {
        state.now++;
        if (state.isLeader()) {
            tickLeader();
        } else if (state.role == Role.FOLLOWER) {
            tickFollower();
        }
        if (!state.isVoter() && state.now % state.settings.heartbeatTicks() == 0) {
            sendLearnerStatus();
        }
        links.tick();
        reads.tick();
        election.tick();
        afterInput();
    }

    /** Sleeps from heartbeat to heartbeat, but not through anything that shows a failure. */
    @Override
    public int quietTicks() {
        boolean settled = state.role == Role.LEADER || state.role == Role.FOLLOWER && state.linkUp[state.leader];
        if (!settled || !election.isIdle() || reads.isAsking()) {
            return 0;
        }
        int heartbeat = state.settings.heartbeatTicks();
        long due = state.now + heartbeat - state.now % heartbeat;
        due = Math.min(due, links.dueTick());
        due = Math.min(due, state.isLeader() ? leaderDueTick() : suspicionTick());
        return (int) Math.max(0, due - state.now - 1);
    }

    private long leaderDueTick() {
        long due = lastConfirmedTick + state.settings.suspicionTicks() + 1;
        for (int id : state.chain()) {
            if (reportedSilent[id]) {
                return state.now + 1; // it may come back or have to be removed
            }
            if (id != state.self) {
                due = Math.min(due, state.now - admission.silentTicks(id) + state.settings.silenceTicks() + 1);
            }
        }
        return due;
    }

    /** The tick at which the followed leader is suspected if it stays silent. */
    private long suspicionTick() {
        return lastHeardTick + state.settings.suspicionTicks() + staggerTicks() + 1;
    }

    private long linkSuspicionTick() {
        return lastHeardTick + state.settings.linkSuspicionTicks() + staggerTicks() / 2 + 1;
    }

    /** Those nearer to the head try first, so that two candidates seldom meet. */
    private long staggerTicks() {
        return (long) state.chainPosition(state.self) * state.settings.heartbeatTicks();
    }

    private void tickLeader() {
        if (state.now % state.settings.heartbeatTicks() == 0) {
            reads.beginRound();
        }
        for (int id : state.chain()) {
            boolean silent = admission.silentTicks(id) > state.settings.silenceTicks();
            if (silent != reportedSilent[id]) {
                reportedSilent[id] = silent;
                effects.memberSilent(id, silent);
            }
        }
        if (state.now - lastConfirmedTick > state.settings.suspicionTicks()) {
            stopFollowing(); // no quorum has answered: somebody else may lead by now
            election.restart();
        }
    }

    /** A replica that does not vote shows that it is there; while it follows nobody, to all, so that one announces. */
    private void sendLearnerStatus() {
        if (!state.identity.isDurable()) {
            return; // admitted under a number that a crash would take from it, it could never vote
        }
        boolean follows = state.role == Role.FOLLOWER;
        Ballot followed = follows ? state.ballot : Ballot.NONE; // who follows nobody is told whom to follow
        LearnerStatus message = new LearnerStatus(followed, state.identity.disk(), state.maxDecided);
        if (follows) {
            if (state.linkUp[state.leader]) {
                effects.send(state.leader, message);
            }
            return;
        }
        for (int id : state.chain()) {
            if (id != state.self && state.linkUp[id]) {
                effects.send(id, message);
            }
        }
    }

    private void tickFollower() {
        publishStatus();
        if (state.now >= suspicionTick()) {
            state.role = Role.LOOKING;
            publishStatus();
            election.suspect();
        } else if (!state.linkUp[state.leader] && state.now >= linkSuspicionTick()) {
            election.suspect();
        }
    }

    @Override
    public void onPropose(ProposedCommand command) {
        proposer.onPropose(command);
        afterInput();
    }

    @Override
    public void onDurable(long logSequence) {
        state.durable(logSequence);
        if (state.identity.durable(logSequence)) {
            sayHello();
        }
        if (election.onDurable()) {
            lead();
        }
        afterInput();
    }

    @Override
    public void onPeerUp(int peer) {
        state.agreement.forget(peer);
        state.linkUp[peer] = true;
        state.identity.record();
        if (state.identity.maySayHello()) {
            effects.send(peer, hello());
        }
        if (state.isLeader() && state.mayLearn(peer)) {
            links.announce(peer);
        }
        links.peerUp();
        election.peerUp(peer);
        if (peer == state.leader && !state.isLeader()) {
            proposer.redirectAgain();
            reads.requestAgain();
        }
        publishStatus();
        afterInput();
    }

    @Override
    public void onPeerDown(int peer) {
        lose(peer);
        afterInput();
    }

    private void lose(int peer) {
        state.linkUp[peer] = false;
        linkDownTick[peer] = state.now;
        admission.linkDown(peer);
        links.peerDown(peer);
    }

    /** Who holds another order is told so, and then as good as gone. */
    private void partFromWhoContradicts() {
        while (state.agreement.hasContradiction()) {
            int peer = state.agreement.pollContradiction();
            effects.send(peer, new Differing(state.agreement.answerTo(peer)));
            effects.orderContradicted(peer, state.agreement.difference(peer));
            lose(peer);
            state.agreement.check(state.membership());
        }
    }

    @Override
    public void onReadBarrier(long token) {
        reads.onReadBarrier(token);
        afterInput();
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        links.onLogRead(fromPosition, records);
        afterInput();
    }

    @Override
    public void onCheckpoint(long position) {
        effects.truncate(position + 1);
    }

    @Override
    public void onEnsemble(Ensemble ensemble) {
        state.ensemble = ensemble;
        if (state.isLeader()) {
            for (int id : state.chain()) {
                links.announce(id);
            }
        }
        afterInput();
    }

    @Override
    public void onBatchEnd() {
        refusedInThisBatch = false;
        proposer.redirectToLeader();
        if (state.isLeader()) {
            reads.beginRoundIfRequested();
            proposer.propose();
        } else if (state.role == Role.FOLLOWER) {
            reads.acknowledgeRound();
        }
        afterInput();
        shortcutRounds();
        links.flush();
        state.values.trim(state.maxDecided, state.durableSequence, state.settings);
    }

    /** Reads that wait need not wait until their round has come through the whole chain. */
    private void shortcutRounds() {
        if (state.isLeader()) {
            for (int id : state.chain()) {
                if (reads.pollAnswered(id)) {
                    links.announceUnlessSubscribed(id);
                }
            }
        } else if (state.role == Role.FOLLOWER && reads.pollConfirmedUnknownToLeader()) {
            links.announce(state.leader);
        }
    }

    /** The membership has changed: a leader that has left it lets a member lead without waiting for its silence. */
    private void membershipDecided() {
        state.acknowledge();
        if (state.isLeader() && !state.isVoter()) {
            for (int id : state.chain()) {
                links.announce(id); // what is decided, before anybody is asked to lead on the strength of it
            }
            for (Member member : state.membership().members()) {
                if (state.linkUp[member.replicaId()]) {
                    effects.send(member.replicaId(), new TakeOver(state.ballot));
                    break;
                }
            }
            stopFollowing();
        }
        publishStatus();
    }

    /** What any input may have made possible: decisions and released reads. */
    private void afterInput() {
        if (election.mayPrepare()) {
            stopFollowing();
            election.prepare();
        }
        if (state.role != Role.LOOKING) {
            decide();
        }
        if (state.role != Role.LOOKING) {
            if (state.isLeader()) {
                observeRounds();
            }
            reads.release();
        }
        partFromWhoContradicts();
        state.checkInvariants();
    }

    private void decide() {
        long decidable = state.decidable();
        while (state.maxDecided < decidable) {
            long instance = state.maxDecided + 1;
            AcceptedValues.Accepted accepted = state.values.get(instance);
            InvariantViolated.check(
                    state.rules.countsAsAccepted(accepted.accepted(), state.ballot),
                    "instance %d decided in ballot %s with the value of ballot %s",
                    instance,
                    state.ballot,
                    accepted.accepted());
            proposer.delivered(accepted.value());
            state.deliver(instance, accepted.value());
            if (BatchCodec.isMembership(accepted.value())) {
                state.memberships.trim(instance);
                state.keepMembershipDecided(instance);
                membershipDecided();
                if (state.role == Role.LOOKING) {
                    return;
                }
                decidable = state.decidable();
            }
        }
    }

    private void observeRounds() {
        if (reads.confirmRounds()) {
            lastConfirmedTick = state.now;
        }
        for (int id : state.chain()) {
            if (reads.sawNewRound(id)) {
                admission.alive(id);
            }
        }
    }

    @Override
    public OrderingStatus status() {
        return status;
    }

    @Override
    public Map<String, Long> gauges() {
        Map<String, Long> gauges = new TreeMap<>();
        gauges.put("max_accepted", state.maxAccepted);
        gauges.put("max_decided", state.maxDecided);
        gauges.put("max_acknowledged", state.progress.ack(state.self));
        gauges.put("members", (long) state.membership().members().size());
        gauges.put("quorum", (long) state.membership().quorum());
        gauges.put("is_voter", state.isVoter() ? 1L : 0L);
        gauges.put("order_contradicted_by", (long) state.agreement.contradictions());
        gauges.put("ballot_round", state.promised.round());
        gauges.put("values_in_memory", state.values.last() - state.values.first() + 1);
        gauges.put("value_bytes_in_memory", state.values.bytes());
        gauges.put("commands_outstanding", (long) proposer.outstanding());
        gauges.put("commands_waiting", (long) proposer.waiting());
        gauges.put("successors_fed", (long) links.count());
        for (int id : state.membership().replicaIds()) {
            gauges.put("acknowledged." + id, state.progress.ack(id));
        }
        return gauges;
    }
}
