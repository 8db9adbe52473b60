package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Differing;
import io.chainkeeper.iss.IssMessage.EpochInfo;
import io.chainkeeper.iss.IssMessage.Fetch;
import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.iss.IssMessage.Hello;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.OfEpoch;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.iss.IssMessage.PreVoteOk;
import io.chainkeeper.iss.IssMessage.Prepare;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.ReadIndexReply;
import io.chainkeeper.iss.IssMessage.ReadIndexRequest;
import io.chainkeeper.iss.IssMessage.Refused;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssMessage.Truncated;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InputCycle;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.proposer.ProposalQueue;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * ISS over Paxos: one replica's part in epochs that follow one another. Within an epoch every leader orders batches in
 * its own segment; everything is delivered in the order of positions.
 *
 * <p>This class decides which epoch this replica is in and passes inputs on; phase 2 is {@link Proposals} and {@link
 * Acceptor}, segments of failed leaders {@link Takeovers}, reads {@link QuorumReads}, the commands of this replica's
 * clients {@link Bucket}, catching up {@link CatchUp}, what the next epoch is like {@link Coordinator}, the log and
 * delivery {@link IssState}.
 */
final class Iss implements InputCycle.Handlers {
    private final IssState state;
    private final Effects effects;
    private final Bucket bucket;
    private final Proposals proposals;
    private final Takeovers takeovers;
    private final CatchUp catchUp;
    private final Acceptor acceptor;
    private final QuorumReads reads;
    private final EarlyMessages early = new EarlyMessages();
    private final boolean[] toldNews = new boolean[Peers.IDS];
    private final boolean[] reportedSilent = new boolean[Peers.IDS];

    private OrderingStatus published = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    /** What the others were told last. */
    private Status told;

    private long checkpoint;
    private long truncated;
    private boolean entered;

    Iss(ProtocolContext context, IssSettings settings, SafetyRules rules, Effects effects) {
        this.effects = effects;
        this.state = new IssState(context, settings, rules, effects);
        ProposalQueue queue = new ProposalQueue(settings.maxBatchCommands(), settings.maxBatchBytes());
        this.bucket = new Bucket(state, queue);
        state.tellDecided(bucket::decided);
        this.proposals = new Proposals(state, queue, new Coordinator(state));
        this.takeovers = new Takeovers(state, proposals);
        this.catchUp = new CatchUp(state);
        this.acceptor = new Acceptor(state, catchUp);
        this.reads = new QuorumReads(state);
    }

    // ---------------------------------------------------------------- start

    @Override
    public void onStart(RecoveredState recovered) {
        Epoch epoch = new Recovery(state).recover(recovered);
        entered = recovered.metadata(IssState.EPOCH) != null;
        if (epoch != null) {
            state.resume(epoch);
            epochBegan();
        } else if (state.context.start() == Start.SOLE_SURVIVOR && state.prefix > 0) {
            enter(EpochConfig.surviving(state.prefix, state.survivors()), true);
        }
        beginFirstEpochIfFounded();
    }

    /** Begins the first epoch of a new cluster as soon as enough others know that they found it. */
    private void beginFirstEpochIfFounded() {
        boolean alone = state.context.start() == Start.SOLE_SURVIVOR;
        // Others may join the epoch as soon as they hear of it: this replica must not forget that it is a founder.
        boolean founds = state.identity.isDurableFounder() && (alone || state.identity.isFounded());
        if (entered || state.prefix > 0 || !founds) {
            return;
        }
        Membership initial = alone
                ? state.survivors()
                : Membership.initial(state.settings.minQuorumSize(), state.identity.initialParticipants());
        boolean remembers = state.context.start() != Start.FORGETFUL || noPeerIsInAnEpoch();
        enter(EpochConfig.initial(initial), remembers);
    }

    private boolean noPeerIsInAnEpoch() {
        for (int id = 1; id < Peers.IDS; id++) {
            if (state.peers.status(id).epoch() > 0) {
                return false;
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- epochs

    private void enter(EpochConfig config, boolean maySpeak) {
        state.enter(config, maySpeak);
        entered = true;
        epochBegan();
    }

    private void epochBegan() {
        takeovers.epochBegan();
        proposals.epochBegan();
        bucket.epochBegan();
        reads.epochBegan();
        truncate();
    }

    /** Goes on from epoch to epoch as far as what is decided, and what has arrived early, allows. */
    private void step() {
        boolean more = true;
        while (more) {
            more = false;
            while (state.advance()) {
                EpochConfig config = state.epoch.config();
                ByteSlice lastValue = state.epoch.slot(config.last()).value();
                if (state.leaving && config.isHandedOver(lastValue)) {
                    state.peers.handedOver(config.coordinator());
                }
                enter(state.survived(config.next(lastValue)), true);
            }
            if (state.epoch == null) {
                adopt();
            }
            EarlyMessages.Early next = state.epoch == null ? null : early.poll(state.epoch.number());
            if (next != null) {
                more = true;
                onEpochMessage(next.sender(), next.message());
            }
        }
    }

    private void adopt() {
        if (state.awaited != null) {
            if (state.prefix == state.awaited.config().first() - 1) {
                state.resume(state.awaited);
                epochBegan();
            }
            return;
        }
        EpochConfig config = catchUp.adoptable();
        if (config != null) {
            // With this disk the replica was never in that epoch, so it has not spoken; a log that forgets cannot tell.
            enter(config, state.context.start() != Start.FORGETFUL);
        }
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void onMessage(int from, Message message) {
        InvariantViolated.check(
                from > 0 && from < Peers.IDS && from != state.self, "message from %d, not another replica", from);
        if (state.agreement.isContradictedBy(from, ((IssMessage) message).order())) {
            return; // nothing is learned from a replica that holds another order
        }
        state.peers.heard(from, state.now);
        if (message instanceof OfEpoch ofEpoch) {
            onEpochMessage(from, ofEpoch);
        } else if (message instanceof Status status) {
            onStatus(from, status);
        } else if (message instanceof Learn learn) {
            catchUp.onLearn(from, learn, this::step);
        } else if (message instanceof Fetch fetch) {
            catchUp.onFetch(from, fetch);
        } else if (message instanceof EpochInfo info) {
            catchUp.onEpochInfo(info);
        } else if (message instanceof Truncated behind) {
            catchUp.onTruncated(from, behind);
        } else if (message instanceof Hello hello) {
            state.identity.met(from, hello.founding());
            beginFirstEpochIfFounded();
        } else if (message instanceof Differing) {
            return; // it is of use where it contradicts
        } else {
            throw new InvariantViolated("unknown message " + message);
        }
    }

    private void onEpochMessage(int from, OfEpoch m) {
        long present = state.epoch == null ? 0 : state.epoch.number();
        if (present == 0 || m.epoch() > present + 1) {
            early.dropped(m);
        } else if (m.epoch() > present) {
            early.add(from, m);
        } else if (m.epoch() < present) {
            toldNews[from] = true; // the sender is behind, and has to catch up
        } else if (m instanceof OfSegment ofSegment) {
            String objection = new Objections(state.epoch).to(from, ofSegment);
            if (objection == null) {
                onSegmentMessage(from, ofSegment);
            } else {
                effects.refuse(from, objection);
            }
        } else if (m instanceof Forward forward) {
            proposals.onForward(forward);
        } else if (m instanceof ReadIndexRequest request) {
            reads.onRequest(from, request);
        } else if (m instanceof ReadIndexReply reply) {
            reads.onReply(from, reply);
        }
    }

    private void onSegmentMessage(int from, OfSegment m) {
        Ballot highest = m instanceof Refused refused ? refused.promised() : m.ballot();
        long seen = takeovers.highestRound(m.segment());
        if (!highest.isWithinReach(seen, false)) {
            effects.refuse(from, "speaks of ballot " + highest + " where round " + seen + " is the highest known");
            return;
        }
        if (m instanceof Accept accept) {
            acceptor.onAccept(from, accept);
        } else if (m instanceof Accepted accepted) {
            proposals.onAccepted(from, accepted);
        } else if (m instanceof Decided decided) {
            acceptor.onDecided(from, decided);
        } else if (m instanceof Skip skip) {
            acceptor.onSkip(from, skip);
        } else if (m instanceof AcceptNil nil) {
            acceptor.onAcceptNil(from, nil);
        } else if (m instanceof PreVote preVote) {
            takeovers.onPreVote(from, preVote);
        } else if (m instanceof PreVoteOk granted) {
            takeovers.onPreVoteOk(from, granted);
        } else if (m instanceof Prepare prepare) {
            takeovers.onPrepare(from, prepare);
        } else if (m instanceof Promise promise) {
            takeovers.onPromise(from, promise);
        } else if (m instanceof Refused refused) {
            takeovers.onRefused(refused);
        }
    }

    private void onStatus(int from, Status m) {
        state.peers.told(from, m, state.now);
        if (m.epoch() > 0) {
            state.identity.joined();
        }
        if (state.epoch != null && m.epoch() == state.epoch.number()) {
            state.epoch.raiseInUse(m.inUse());
            if (m.resend()) {
                proposals.resendTo(from);
                takeovers.resendTo(from);
                reads.requestAgain(from);
                bucket.forwardAgain(from);
            }
            if (m.wantsEnd()) {
                state.epoch.wantEnd();
            }
        }
        catchUp.onStatus(from, m);
    }

    // ---------------------------------------------------------------- other inputs

    @Override
    public void onTick() {
        state.now++;
        boolean beats = state.now % state.settings.heartbeatTicks() == 0;
        if (beats) {
            tellAll();
            state.recordSkips();
        }
        for (int id = 1; beats && id < Peers.IDS; id++) {
            reads.requestAgain(id);
        }
        takeovers.tick();
        catchUp.tick();
        reportSilent();
        afterInput(); // it may change what is published
        publish();
    }

    /** Sleeps from heartbeat to heartbeat, but not through anything that shows a failure. */
    @Override
    public int quietTicks() {
        if (state.epoch == null || !catchUp.isIdle() || isReportDue()) {
            return 0;
        }
        int heartbeat = state.settings.heartbeatTicks();
        long due = state.now + heartbeat - state.now % heartbeat;
        due = Math.min(due, takeovers.dueTick());
        due = Math.min(due, bucket.dueTick());
        due = Math.min(due, state.peers.dueTick(state.now, state.settings));
        return (int) Math.max(0, due - state.now - 1);
    }

    private boolean isReportDue() {
        for (int id = 1; id < Peers.IDS; id++) {
            if (reportedSilent[id] && state.peers.silentTicks(id, state.now) <= state.settings.silenceTicks()) {
                return true;
            }
        }
        return false;
    }

    private void reportSilent() {
        if (published.role() != Role.LEADER) {
            return;
        }
        for (int id = 1; id < Peers.IDS; id++) {
            boolean configured = id != state.self && state.ensemble.contains(id);
            boolean silent = configured && state.peers.silentTicks(id, state.now) > state.settings.silenceTicks();
            if (silent != reportedSilent[id]) {
                reportedSilent[id] = silent;
                effects.memberSilent(id, silent);
            }
        }
    }

    @Override
    public void onPropose(ProposedCommand command) {
        bucket.onPropose(command);
    }

    @Override
    public void onDurable(long logSequence) {
        InvariantViolated.check(
                logSequence >= state.durableSequence,
                "durable sequence fell from %d to %d",
                state.durableSequence,
                logSequence);
        state.durableSequence = logSequence;
        if (state.identity.durable(logSequence)) {
            sayHello();
        }
        beginFirstEpochIfFounded();
        state.noteHolders();
        proposals.onDurable();
        takeovers.onDurable();
    }

    private void sayHello() {
        for (int id = 1; id < Peers.IDS; id++) {
            if (state.peers.linkUp[id]) {
                effects.send(id, hello());
            }
        }
    }

    private Hello hello() {
        return new Hello(state.identity.hello(!entered && state.prefix == 0));
    }

    @Override
    public void onPeerUp(int peer) {
        state.agreement.forget(peer);
        state.peers.up(peer, state.now);
        state.identity.record();
        if (state.identity.maySayHello()) {
            effects.send(peer, hello());
        }
        effects.send(peer, ownStatus());
        proposals.resendTo(peer);
        takeovers.resendTo(peer);
        reads.requestAgain(peer);
        bucket.forwardAgain(peer);
    }

    @Override
    public void onPeerDown(int peer) {
        state.peers.down(peer, state.now);
        catchUp.peerDown(peer);
    }

    @Override
    public void onReadBarrier(long token) {
        reads.onReadBarrier(token);
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        catchUp.onLogRead(fromPosition, records);
    }

    @Override
    public void onCheckpoint(long position) {
        checkpoint = Math.max(checkpoint, position);
        truncate();
    }

    /** The log of the present epoch stays as a whole: a replica that restarts in it finds all that it did in it. */
    private void truncate() {
        boolean mayCutEpoch = !state.rules.isOn(SafetyRule.LOG_OF_THE_EPOCH_STAYS);
        long below = state.epoch == null || mayCutEpoch
                ? checkpoint + 1
                : Math.min(checkpoint + 1, state.epoch.config().first());
        if (below > truncated && checkpoint > 0) {
            truncated = below;
            effects.truncate(below);
        }
    }

    @Override
    public void onEnsemble(Ensemble ensemble) {
        state.ensemble = ensemble;
    }

    @Override
    public void onLeave() {
        state.leaving = true;
    }

    @Override
    public void onBatchEnd() {
        reads.requestIfWaiting();
        Epoch before;
        do {
            before = state.epoch;
            if (bucket.isStuck()) {
                state.epoch.wantEnd();
            }
            proposals.proposeDue();
            afterInput(); // it may begin an epoch, in which there may be something to propose too
        } while (state.epoch != before);
    }

    @Override
    public void flush() {
        bucket.forwardToLeader();
        proposals.announce();
        tellNews();
        publish();
    }

    @Override
    public void afterInput() {
        step();
        state.noteHolders();
        state.deliver();
        reads.release();
        partFromWhoContradicts();
        state.checkInvariants();
    }

    /** Tells replicas that hold another order so, and treats them as if their links were down. */
    private void partFromWhoContradicts() {
        while (state.agreement.hasContradiction()) {
            int peer = state.agreement.pollContradiction();
            effects.send(peer, new Differing(state.agreement.answerTo(peer)));
            effects.orderContradicted(peer, state.agreement.difference(peer));
            state.peers.down(peer, state.now);
            if (state.epoch != null) {
                state.agreement.check(state.epoch.config().membership());
            }
        }
    }

    // ---------------------------------------------------------------- telling

    private Status ownStatus() {
        return status(bucket.isStuck());
    }

    /** Wishes of others are told on: whoever wishes for the end of the epoch may not reach the coordinator. */
    private Status relayedStatus() {
        return status(bucket.isStuck() || state.epoch != null && state.epoch.endIsWanted());
    }

    private Status status(boolean wantsEnd) {
        boolean resend = state.epoch != null && early.missed(state.epoch.number());
        return state.status(wantsEnd, resend);
    }

    /** What others wait for is told at once; the rest with the heartbeat. */
    private void tellNews() {
        Status now = ownStatus();
        boolean news = told == null
                || now.epoch() != told.epoch()
                || now.durableEpoch() != told.durableEpoch()
                || now.speaks() != told.speaks()
                || now.wantsEnd() && !told.wantsEnd();
        if (news) {
            tellAll();
        }
        for (int id = 1; id < Peers.IDS; id++) {
            if (toldNews[id] && state.peers.linkUp[id] && !news) {
                effects.send(id, relayedStatus());
            }
            toldNews[id] = false;
        }
    }

    private void tellAll() {
        Status now = relayedStatus();
        boolean sameEpoch = told != null && told.epoch() == now.epoch();
        told = now;
        Status sent = sameEpoch ? withoutResend(now) : now;
        for (int id = 1; id < Peers.IDS; id++) {
            if (state.peers.linkUp[id]) {
                effects.send(id, sent);
            }
        }
    }

    /** What was dropped is sent again once. */
    private static Status withoutResend(Status m) {
        return new Status(
                m.epoch(),
                m.order(),
                m.delivered(),
                m.inUse(),
                m.durableEpoch(),
                m.disk(),
                m.votes(),
                m.speaks(),
                m.wantsEnd(),
                false);
    }

    private void publish() {
        OrderingStatus next = view();
        if (!next.equals(published)) {
            if (next.role() != Role.LEADER) {
                Arrays.fill(reportedSilent, false);
            }
            published = next;
            effects.statusChanged(next);
        }
    }

    private OrderingStatus view() {
        if (state.epoch == null || !hearsQuorum()) {
            return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, published.epoch(), silentMillis());
        }
        EpochConfig config = state.epoch.config();
        Role role = Role.FOLLOWER;
        if (!state.epoch.isVoter()) {
            role = Role.OBSERVER;
        } else if (config.coordinator() == state.self && state.epoch.maySpeak()) {
            role = Role.LEADER;
        }
        return new OrderingStatus(role, config.coordinator(), config.coordinatorSince());
    }

    /** Whether so many members have been heard lately that something can be decided. */
    private boolean hearsQuorum() {
        Membership membership = state.epoch.config().membership();
        int heard = 0;
        for (Member member : membership.members()) {
            int id = member.replicaId();
            boolean self = id == state.self && state.isVoter();
            boolean other = id != state.self
                    && state.peers.linkUp[id]
                    && state.peers.silentTicks(id, state.now) <= state.settings.suspicionTicks();
            heard += self || other ? 1 : 0;
        }
        return heard >= membership.quorum();
    }

    /** How long the last member of a quorum has been silent: no longer than it takes until that member is missed. */
    private long silentMillis() {
        if (published.role() == Role.LOOKING || state.epoch == null) {
            return published.silentMillis();
        }
        Membership membership = state.epoch.config().membership();
        long[] silentTicks = membership.replicaIds().stream()
                .mapToLong(id -> id == state.self ? 0 : state.peers.silentTicks(id, state.now))
                .sorted()
                .toArray();
        long ticks = Math.min(silentTicks[membership.quorum() - 1], state.settings.suspicionTicks());
        return ticks * state.context.tickMillis();
    }

    @Override
    public OrderingStatus status() {
        return published;
    }

    @Override
    public Map<String, Long> gauges() {
        Map<String, Long> gauges = new TreeMap<>();
        Epoch epoch = state.epoch;
        Membership membership = epoch == null ? null : epoch.config().membership();
        gauges.put("max_decided", state.prefix);
        gauges.put("max_delivered", state.delivered);
        gauges.put("max_in_use", epoch == null ? state.prefix : epoch.inUse());
        gauges.put("members", membership == null ? 0L : membership.members().size());
        gauges.put("quorum", membership == null ? 0L : membership.quorum());
        gauges.put("is_voter", state.isVoter() ? 1L : 0L);
        gauges.put("order_contradicted_by", (long) state.agreement.contradictions());
        gauges.put("epoch", epoch == null ? 0L : epoch.number());
        gauges.put("epoch_leaders", epoch == null ? 0L : epoch.segments().length);
        gauges.put("segment_positions", epoch == null ? 0L : epoch.config().segmentPositions());
        gauges.put("values_in_memory", (long) state.recent.size());
        gauges.put("value_bytes_in_memory", state.recent.bytes());
        gauges.put("commands_outstanding", (long) bucket.outstanding());
        gauges.put("commands_waiting", (long) proposals.waiting());
        gauges.put("reads_waiting", (long) reads.waiting());
        List<Integer> members = membership == null ? List.of() : membership.replicaIds();
        for (int id : members) {
            gauges.put("acknowledged." + id, id == state.self ? state.delivered : state.peers.lastDelivered(id));
        }
        return gauges;
    }

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        state.tellOccupancy(occupancy);
        takeovers.tellOccupancy(occupancy);
        proposals.tellOccupancy(occupancy);
        reads.tellOccupancy(occupancy);
        early.tellOccupancy(occupancy);
    }
}
