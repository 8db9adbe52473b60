package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.Differing;
import io.chainkeeper.chain.ChainMessage.Hello;
import io.chainkeeper.chain.ChainMessage.LearnerStatus;
import io.chainkeeper.chain.ChainMessage.OfferFeed;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.chain.ChainMessage.RedirectRequest;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.chain.ChainMessage.TakeOver;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.chain.ChainMessage.Unsubscribe;
import io.chainkeeper.chain.ChainMessage.WindowAck;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InputCycle;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
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
 * leaders change {@link Election}, when they are missed {@link LeaderWatch}, reads {@link ReadIndex}, what is proposed
 * {@link Proposer}, who votes {@link Memberships} and {@link Admission}, what a start makes of the log {@link
 * Recovery}.
 */
final class ChainPaxos implements InputCycle.Handlers {
    private final ReplicaState state;
    private final Effects effects;
    private final ChainLinks links;
    private final Election election;
    private final LeaderWatch watch;
    private final ReadIndex reads;
    private final Admission admission;
    private final Proposer proposer;

    /** Whether the leader of an older ballot has been told of the newer one since the batch of inputs began. */
    private boolean refusedInThisBatch;

    /** Who was asked to lead in the place of this replica, since all others were. */
    private final boolean[] wasAskedToLead = new boolean[ReplicaState.IDS];

    ChainPaxos(ProtocolContext context, ChainSettings settings, SafetyRules rules, Effects effects) {
        this.effects = effects;
        this.state = new ReplicaState(context, settings, rules, effects);
        this.links = new ChainLinks(state);
        this.election = new Election(state);
        this.watch = new LeaderWatch(state);
        this.reads = new ReadIndex(state);
        this.admission = new Admission(state);
        this.proposer = new Proposer(state, admission);
    }

    @Override
    public void onStart(RecoveredState recovered) {
        new Recovery(state).recover(recovered);
        election.start();
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void onMessage(int from, Message message) {
        InvariantViolated.check(
                from > 0 && from < ReplicaState.IDS && from != state.self,
                "message from %d, not another replica",
                from);
        ChainMessage m = (ChainMessage) message;
        if (isOutOfReach(from, m) || state.agreement.isContradictedBy(from, m.prefix())) {
            return; // nothing is learned from a replica that holds another order
        }
        links.alive(from);
        boolean isKnown = onOrderMessage(from, m)
                || onLinkMessage(from, m)
                || onElectionMessage(from, m)
                || onMembershipMessage(from, m)
                || m instanceof Differing; // which is of use only where it contradicts
        InvariantViolated.check(isKnown, "unknown message %s", m);
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

    private boolean onOrderMessage(int sender, ChainMessage message) {
        if (message instanceof Accept accept) {
            onAccept(sender, accept);
        } else if (message instanceof AcceptAck ack) {
            onAcceptAck(sender, ack);
        } else if (message instanceof RedirectRequest request) {
            proposer.onRedirectRequest(request);
        } else if (message instanceof ReadIndexRequest request) {
            reads.onRequest(sender, request);
        } else {
            return false;
        }
        return true;
    }

    private boolean onLinkMessage(int sender, ChainMessage message) {
        if (message instanceof WindowAck ack) {
            links.onWindowAck(sender, ack);
        } else if (message instanceof Subscribe subscribe) {
            onSubscribe(sender, subscribe);
        } else if (message instanceof OfferFeed offer) {
            onOfferFeed(sender, offer);
        } else if (message instanceof Unsubscribe unsubscribe) {
            links.onUnsubscribe(sender, unsubscribe);
        } else if (message instanceof Truncated truncated) {
            links.onTruncated(sender, truncated);
            election.onTruncated(sender, truncated);
        } else {
            return false;
        }
        return true;
    }

    private boolean onElectionMessage(int sender, ChainMessage message) {
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
        } else {
            return false;
        }
        return true;
    }

    /** Who founds the cluster, who wants to be admitted, and who leads in the place of a leader that has left. */
    private boolean onMembershipMessage(int sender, ChainMessage message) {
        if (message instanceof Hello hello) {
            state.identity.met(sender, hello.founding());
        } else if (message instanceof LearnerStatus status) {
            onLearnerStatus(sender, status);
        } else if (message instanceof TakeOver takeOver) {
            onTakeOver(sender, takeOver);
        } else {
            return false;
        }
        return true;
    }

    // ---------------------------------------------------------------- phase 2

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
        reads.onAcceptAck(sender, m.progress());
    }

    private boolean showsLeader(int sender, Progress news) {
        return sender == state.leader || news.round() > state.progress.round();
    }

    /** Only a new round shows that the leader lives: members may go on telling each other of older ones. */
    private void heard(int sender, Progress news, boolean bringsValue) {
        if (news.round() > state.progress.round()) {
            watch.heard();
        }
        links.heard(sender, news, bringsValue);
    }

    // ---------------------------------------------------------------- links of the chain

    private void onSubscribe(int sender, Subscribe m) {
        if (follow(m.ballot(), m.start(), false)) {
            links.onSubscribe(sender, m);
        } else if (!state.isLooking() && m.ballot().lessThan(state.ballot)) {
            links.announce(sender);
        }
    }

    private void onOfferFeed(int sender, OfferFeed m) {
        if (follow(m.ballot(), m.start(), false)) {
            links.onOfferFeed(sender, m);
        }
    }

    // ---------------------------------------------------------------- elections

    private void onPreVote(int sender, PreVote m) {
        boolean isFree = mayAnswer(sender, m.maxDecided(), m.disk())
                && state.promised.lessThan(m.ballot())
                && !lacksMuch(m.maxDecided() + 1)
                && !watch.hearsLeader();
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
            refuse(sender, m.ballot());
            return;
        }
        if (!state.isLooking() && m.ballot().equals(state.ballot)) {
            return; // a late repeat: the candidate leads by now
        }
        boolean lacksForgotten = m.from() < state.values.first()
                && state.rules.isOn(SafetyRule.PROMISE_TELLS_ALL_THAT_THE_CANDIDATE_LACKS);
        if (lacksForgotten || lacksMuch(m.from()) || !mayAnswer(sender, m.from() - 1, m.disk())) {
            // What the candidate lacks is no longer in memory here, or would not be if the disk here did not hang: it
            // must not lead before it has caught up. Nor may one that has left the membership without knowing it.
            effects.send(sender, new PreVoteDenied(m.ballot(), state.promised));
            return;
        }
        if (state.promised.lessThan(m.ballot())) {
            stopFollowing();
            election.promise(m.ballot());
        }
        election.answer(sender, m);
    }

    /** Whether more is known to be decided from an instance on than a replica keeps whose disk is not behind. */
    private boolean lacksMuch(long from) {
        return state.progress.maxDecided() - from >= state.settings.keptInstances();
    }

    /**
     * Whether a candidate may be answered: if the candidate takes this replica for a member with this very disk, which
     * it may know before this replica does, and is a member itself or knows more of the order than this replica.
     */
    private boolean mayAnswer(int candidate, long candidateDecided, long expectedDisk) {
        boolean isMeant = state.identity.votesAs(new Member(state.self, expectedDisk));
        return isMeant && (state.membership().contains(candidate) || candidateDecided > state.maxDecided);
    }

    private void onRefused(Refused m) {
        election.onRefused(m);
        if (state.isLeader() && m.ballot().equals(state.ballot) && state.ballot.lessThan(m.promised())) {
            stopFollowing();
            election.restart();
        }
    }

    private void lead() {
        Map<Long, ByteSlice> recovered = election.recovered();
        long decided = election.recoveredDecided();
        state.enter(election.ballot(), state.maxDecided + 1);
        links.clear();
        recovered.forEach(state::accept);
        state.progress.raiseMaxDecided(decided);
        InvariantViolated.check(
                decided <= state.maxAccepted,
                "instance %d is decided but a quorum reported values only up to %d",
                decided,
                state.maxAccepted);
        election.stop();
        watch.begin();
        admission.lead();
        reads.ballotChanged();
        proposer.leaderChanged();
        reads.beginRound();
        for (int id : state.chain()) {
            links.announce(id);
        }
        watch.publishStatus();
    }

    // ---------------------------------------------------------------- whom to follow

    /**
     * Whether a message of this ballot is to be taken; enters the ballot if it is new. A leader that had fallen silent
     * is followed again only when it shows itself: the followers of a leader that is gone could otherwise keep each
     * other from ever missing it all at the same time.
     */
    private boolean follow(Ballot ballot, long start, boolean showsLeader) {
        if (ballot.lessThan(state.promised)) {
            refuse(ballot);
            return false;
        }
        if (!state.isLooking() && ballot.equals(state.ballot)) {
            return true;
        }
        if (ballot.replica() == state.context.replicaId()) {
            return false; // an echo of a ballot that this replica led and gave up
        }
        if (ballot.equals(state.ballot) && !showsLeader) {
            return false;
        }
        if (ballot.equals(state.ballot)) {
            state.followAgain();
            links.followAgain();
        } else {
            state.enter(ballot, start);
            links.followNewLeader();
            reads.ballotChanged();
            proposer.leaderChanged();
        }
        state.identity.joined();
        election.stop();
        watch.begin();
        watch.publishStatus();
        return true;
    }

    private void refuse(Ballot ballot) {
        if (!refusedInThisBatch && ballot.replica() != state.context.replicaId()) {
            refusedInThisBatch = true;
            refuse(ballot.replica(), ballot);
        }
    }

    /**
     * Once the disk holds the higher promise: a replica whose disk hangs would else raise its own ballot in memory
     * again and again, and end whatever the others decide without it.
     */
    private void refuse(int proposer, Ballot ballot) {
        effects.sendAfter(state.promiseSequence(), proposer, new Refused(ballot, state.promised));
    }

    private void stopFollowing() {
        Arrays.fill(wasAskedToLead, false);
        state.leave();
        links.clear();
        reads.ballotChanged();
        proposer.leaderLost();
        watch.publishStatus();
    }

    // ---------------------------------------------------------------- who takes part

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
        if (!state.mayLearn(sender) || state.isLooking()) {
            return;
        }
        if (!m.ballot().equals(state.ballot)) {
            links.announce(sender);
        } else if (state.isLeader()) {
            // Who has just been removed may be the only one that has seen so many acknowledgements, its own among them.
            state.progress.raiseMaxDecided(m.maxDecided());
            admission.onLearnerStatus(sender, m);
        }
    }

    /**
     * Shows that this replica, which does not vote, is there: to the leader, or to all as long as it follows nobody.
     */
    private void sendLearnerStatus() {
        if (!state.identity.isDurable() && state.rules.isOn(SafetyRule.LEARNER_TELLS_A_DURABLE_DISK)) {
            return; // admitted under a number that a crash takes away, this replica could never vote
        }
        boolean follows = state.isFollower();
        Ballot followed = follows ? state.ballot : Ballot.NONE; // a replica that follows nobody is told whom to follow
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

    private void onTakeOver(int sender, TakeOver m) {
        if (state.isFollower()
                && m.ballot().equals(state.ballot)
                && sender == state.leader
                && state.isVoter()
                && !state.leaving
                && !state.lacksState()) {
            stopFollowing();
            election.takeOver();
        }
    }

    /** The membership has changed: a leader that has left it has a member lead without waiting to be missed. */
    private void membershipDecided() {
        state.acknowledge();
        if (state.isLeader() && !state.isVoter()) {
            for (int id : state.chain()) {
                links.announce(id); // what is decided, before anybody is asked to lead on the strength of it
            }
            handOver();
            stopFollowing();
        }
        watch.publishStatus();
    }

    /** Tells replicas that hold another order so, and treats them as if their links were down. */
    private void partFromWhoContradicts() {
        while (state.agreement.hasContradiction()) {
            int peer = state.agreement.pollContradiction();
            effects.send(peer, new Differing(state.agreement.answerTo(peer)));
            effects.orderContradicted(peer, state.agreement.difference(peer));
            lose(peer);
            state.agreement.check(state.membership());
        }
    }

    // ---------------------------------------------------------------- other inputs

    @Override
    public void onTick() {
        state.now++;
        if (state.isLeader()) {
            tickLeader();
        } else if (state.isFollower()) {
            tickFollower();
        }
        if (!state.isVoter() && state.now % state.settings.heartbeatTicks() == 0) {
            sendLearnerStatus();
        }
        links.tick();
        reads.tick();
        election.tick();
    }

    private void tickLeader() {
        if (state.now % state.settings.heartbeatTicks() == 0) {
            reads.beginRound();
            if (state.leaving) {
                handOver();
            }
        }
        admission.reportSilent();
        if (watch.missesQuorum() || watch.missesDisk()) {
            stopFollowing(); // somebody else may lead by now, or should
            election.restart();
        }
    }

    private void tickFollower() {
        watch.publishStatus();
        if (watch.missesLeader()) {
            state.missLeader();
            watch.publishStatus();
            election.suspect();
        } else if (watch.missesLinkToLeader()) {
            election.suspect();
        }
    }

    /** Sleeps from heartbeat to heartbeat, but not through anything that shows a failure. */
    @Override
    public int quietTicks() {
        boolean settled = state.isLeader() || state.isFollower() && state.linkUp[state.leader];
        if (!settled || !election.isIdle() || reads.isAsking()) {
            return 0;
        }
        int heartbeat = state.settings.heartbeatTicks();
        long due = state.now + heartbeat - state.now % heartbeat;
        due = Math.min(due, links.dueTick());
        due = Math.min(due, state.isLeader() ? leaderDueTick() : watch.leaderDueTick());
        return (int) Math.max(0, due - state.now - 1);
    }

    private long leaderDueTick() {
        long due = Math.min(watch.quorumDueTick(), admission.dueTick());
        return state.isHeldUpByDisk() ? Math.min(due, watch.diskDueTick()) : due;
    }

    @Override
    public void onPropose(ProposedCommand command) {
        proposer.onPropose(command);
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
        watch.publishStatus();
    }

    @Override
    public void onPeerDown(int peer) {
        lose(peer);
    }

    private void lose(int peer) {
        state.linkUp[peer] = false;
        watch.linkDown(peer);
        admission.linkDown(peer);
        links.peerDown(peer);
    }

    @Override
    public void onReadBarrier(long token) {
        reads.onReadBarrier(token);
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        links.onLogRead(fromPosition, records);
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
    }

    @Override
    public void onLeave() {
        state.leaving = true;
        if (state.isLeader()) {
            handOver();
        }
    }

    /**
     * Has the member that has most lead. It promises itself a higher ballot, by which this one ends; until then a
     * replica that is about to stop goes on, and asks the next one with each heartbeat, since a member may not be able
     * to: it may be about to stop, too.
     */
    private void handOver() {
        if (heir() == 0) {
            Arrays.fill(wasAskedToLead, false); // all were: from the first one on again
        }
        int heir = heir();
        if (heir != 0) {
            wasAskedToLead[heir] = true;
            effects.send(heir, new TakeOver(state.ballot));
        }
    }

    /** The other member that is linked, was not asked yet and has most; 0 if there is none. */
    private int heir() {
        int heir = 0;
        for (int id : state.chain()) {
            boolean mayLead =
                    id != state.self && state.linkUp[id] && state.membership().contains(id) && !wasAskedToLead[id];
            if (mayLead && (heir == 0 || state.progress.ack(id) > state.progress.ack(heir))) {
                heir = id;
            }
        }
        return heir;
    }

    @Override
    public void onBatchEnd() {
        refusedInThisBatch = false;
        proposer.redirectToLeader();
        if (state.isLeader()) {
            reads.beginRoundIfRequested();
            proposer.propose();
        } else if (state.isFollower()) {
            reads.acknowledgeRound();
        }
    }

    // ---------------------------------------------------------------- after each input

    /** {@inheritDoc} That is: candidacies, decisions and released reads. */
    @Override
    public void afterInput() {
        if (election.mayPrepare()) {
            stopFollowing();
            election.prepare();
        }
        if (!state.isLooking()) {
            decide();
        }
        if (!state.isLooking()) {
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
                if (state.isLooking()) {
                    return;
                }
                decidable = state.decidable();
            }
        }
    }

    private void observeRounds() {
        if (reads.confirmRounds()) {
            watch.confirmed();
        }
        for (int id : state.chain()) {
            if (reads.sawNewRound(id)) {
                admission.alive(id);
            }
        }
    }

    @Override
    public void flush() {
        shortcutRounds();
        links.flush();
        state.values.trim(state.maxDecided, state.durableSequence, state.settings);
    }

    /** Tells of a round that reads wait for outside the chain, so that they need not wait for the whole chain. */
    private void shortcutRounds() {
        if (state.isLeader()) {
            for (int id : state.chain()) {
                if (reads.pollAnswered(id)) {
                    links.announceUnlessSubscribed(id);
                }
            }
        } else if (state.isFollower() && reads.pollConfirmedUnknownToLeader()) {
            links.announce(state.leader);
        }
    }

    // ---------------------------------------------------------------- what the host asks

    @Override
    public OrderingStatus status() {
        return watch.status();
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

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        state.values.tellOccupancy(occupancy, state.maxDecided, state.durableSequence, state.settings);
        state.memberships.tellOccupancy(occupancy, state.maxDecided);
        election.tellOccupancy(occupancy);
        SuccessorWindow.tellOccupancy(links.windows, state.linkUp, occupancy);
        proposer.tellOccupancy(occupancy);
        reads.tellOccupancy(occupancy);
    }
}
