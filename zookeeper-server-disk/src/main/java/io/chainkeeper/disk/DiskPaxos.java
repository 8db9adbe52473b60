package io.chainkeeper.disk;

import io.chainkeeper.disk.DiskMessage.Decided;
import io.chainkeeper.disk.DiskMessage.Differing;
import io.chainkeeper.disk.DiskMessage.Forward;
import io.chainkeeper.disk.DiskMessage.HandOver;
import io.chainkeeper.disk.DiskMessage.Lead;
import io.chainkeeper.disk.DiskMessage.Progress;
import io.chainkeeper.disk.DiskMessage.Propose;
import io.chainkeeper.disk.DiskMessage.ReadIndex;
import io.chainkeeper.disk.DiskMessage.ReadIndexRequest;
import io.chainkeeper.disk.layout.DiskLayout;
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
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.proposer.ProposalQueue;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Disk Paxos: one server's part. This class decides who leads and passes inputs on; what is on a disk and on its way
 * there is {@link Disk}, taking over and learning read with {@link Scan}, phase 2 is {@link Leadership}, what others
 * have decided {@link Learner}, reads {@link Reads}, whether the leader lives {@link LeaderWatch}.
 */
final class DiskPaxos implements InputCycle.Handlers, Disk.Listener {
    private static final long NEVER = -1;

    private final DiskState state;
    private final Effects effects;
    private final ProposalQueue queue;
    private final Learner learner;
    private final Reads reads;
    private final LeaderWatch watch;
    private final ExecutionWatch execution;
    private final long[] heardTick = new long[DiskState.IDS];

    /** Since when this server leads, if it does. */
    private long leadsSinceTick;

    private final Progress[] progress = new Progress[DiskState.IDS];
    private final long[] reached = new long[DiskState.IDS];
    private final boolean[] reportedSilent = new boolean[DiskState.IDS];

    /** What is read while this server takes over; null unless it does. */
    private Scan takeover;

    /** Null unless this server leads. */
    private Leadership leadership;

    /** What this server led before its disks were too slow; null unless it may go on with that. */
    private Leadership paused;

    /** Since when that one wants to go on. */
    private long goesOnTick = NEVER;

    /** When this server is to try to lead if nobody else does; 0 if that was not drawn. */
    private long standTick;

    /** The last round of reads that has shown that this server leads, and when. */
    private long confirmedRound;

    private long confirmedTick;
    private boolean isLeaving;

    /** When a member may be asked again to take over. */
    private long handOverTick;

    /** Who was asked to take over, since all others were. */
    private final boolean[] wasAskedToLead = new boolean[DiskState.IDS];

    /** What a leader was told last to be delivered here. */
    private long toldProgress;

    private long needStateTick;

    /** Whose state was asked for last; 0 if nobody's. */
    private int askedForState;

    /** Whether the leader was asked for its state last. */
    private boolean askedLeader;

    private long toldDecided;
    private Ballot forwardedTo = Ballot.NONE;
    private OrderingStatus published = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    DiskPaxos(ProtocolContext context, DiskSettings settings, SafetyRules rules, Effects effects) {
        this.effects = effects;
        this.state = new DiskState(context, settings, rules, effects, this);
        this.queue = new ProposalQueue(settings.maxBatchCommands(), settings.maxBatchBytes());
        this.learner = new Learner(state);
        this.reads = new Reads(state);
        this.watch = new LeaderWatch(state);
        this.execution = new ExecutionWatch(state);
    }

    @Override
    public void onStart(RecoveredState recovered) {
        InvariantViolated.check(
                state.context.start() != ProtocolContext.Start.SOLE_SURVIVOR,
                "with shared disks no server has to give up the others: any one goes on alone. Start it as always, and"
                        + " remove the others with reconfig");
        state.start(recovered);
        for (Disk disk : state.disks) {
            disk.tick();
        }
    }

    // ---------------------------------------------------------------- disks

    @Override
    public void onBlocksWritten(int disk, long offset, int length) {
        state.disks[disk].onWritten(offset, length);
    }

    @Override
    public void onBlocksRead(int disk, long offset, ByteSlice bytes) {
        state.disks[disk].onRead(offset, bytes);
    }

    @Override
    public void onDiskFailed(int disk, String reason) {
        state.disks[disk].failed(reason);
    }

    @Override
    public void onHeaders(Disk disk, Headers headers) {
        state.take(headers);
        watch.saw(disk, headers);
        yieldToHigher();
    }

    /** A higher ballot ends what this server does in its own at once, before anything is counted. */
    private void yieldToHigher() {
        if (state.own.lessThan(state.highest) && (leadership != null || takeover != null || paused != null)) {
            endLeadership();
        }
    }

    /**
     * The disks are too slow to show that this server leads. If nobody has taken over when they are faster again, it
     * goes on in the same ballot, and what it has in its ring need not be written once more. Because the ballot is
     * the same, others do not send again what is in its queue or comes meanwhile, commands and reads.
     */
    private void pauseLeadership() {
        paused = leadership;
        goesOnTick = NEVER;
        leadership = null;
        state.isLeading = false;
        Arrays.fill(wasAskedToLead, false);
        reads.leadershipPaused();
        watch.giveUpOwn();
    }

    /** Not before a majority of the disks was written again: they may answer reads alone, and others would wait. */
    private boolean goesOn() {
        if (paused == null || !paused.continues()) {
            return false;
        }
        if (goesOnTick == NEVER) {
            goesOnTick = state.now;
            state.wantHeaders();
        }
        int written = 0;
        for (Disk disk : state.disks) {
            written += disk.isAnswering() && disk.headerTick() >= goesOnTick ? 1 : 0;
        }
        if (written < state.majority()) {
            return state.now - goesOnTick <= state.settings.suspicionTicks();
        }
        standTick = 0;
        state.isLeading = true;
        begin(paused);
        return true;
    }

    private void endLeadership() {
        takeover = null;
        standTick = 0;
        if (leadership != null || paused != null) {
            leadership = null;
            paused = null;
            Arrays.fill(wasAskedToLead, false);
            state.isLeading = false;
            queue.clear();
            reads.leadershipEnded();
        }
    }

    // ---------------------------------------------------------------- leading

    private boolean mayStand() {
        return state.ring != null
                && takeover == null
                && leadership == null
                && !isLeaving
                && !execution.isHeldUp()
                && state.isMember()
                && state.answeringDisks() >= state.majority() // others cannot show that a leader lives
                && learner.isUpToDate()
                && state.freedByOthers <= state.decided
                && !watch.isAlive();
    }

    private void standIfDue() {
        if (!mayStand()) {
            if (watch.isAlive()) {
                standTick = 0;
            }
            return;
        }
        if (standTick == 0) {
            boolean isAlone = state.membership.members().size() == 1;
            boolean isFirst = state.highest.equals(Ballot.NONE);
            int span = isFirst ? state.settings.heartbeatTicks() : state.settings.standTicks();
            standTick = state.now + (isAlone ? 0 : state.context.random().nextInt(span));
        }
        if (state.now >= standTick && watch.isMissed() && !goesOn()) {
            stand();
        }
    }

    /** Phase 1 begins: the own header goes to all disks with a ballot above all that were seen. */
    private void stand() {
        endLeadership();
        takeover = new Scan(state, state.decided + 1, Long.MAX_VALUE, Long.MAX_VALUE);
        long round = Math.max(state.own.round(), state.highest.round()) + 1;
        state.own = new Ballot(round, state.self);
        state.highest = state.own;
        if (state.rules.isOn(SafetyRule.TAKEOVER_READS_BEHIND_ITS_HEADER)) {
            state.wantHeaders();
        }
    }

    private void takeOver() {
        if (takeover == null) {
            return;
        }
        for (Disk disk : state.disks) {
            boolean isThere = disk.isReady() && disk.header().ballot().equals(state.own);
            if (isThere || !state.rules.isOn(SafetyRule.TAKEOVER_READS_BEHIND_ITS_HEADER)) {
                takeover.begin(disk);
            }
        }
        if (!takeover.isComplete()) {
            return;
        }
        Scan complete = takeover;
        takeover = null;
        if (state.freedByOthers > state.decided) {
            return; // another state comes first
        }
        if (!Leadership.hasRoom(state, complete)) {
            // What is decided need not be proposed again; the learner reads it once more, behind the knowledge of that.
            state.known = Math.max(state.known, complete.decided());
            if (complete.decided() <= state.decided) {
                letOthersStand();
            }
            return;
        }
        state.forwards.forwardAgain();
        begin(new Leadership(state, state.own, complete, queue));
    }

    /** Another server may have room. It stands when it has seen nobody lead for a while, and no other ballot. */
    private void letOthersStand() {
        int span = 2 * state.settings.suspicionTicks();
        standTick = state.now + span + state.context.random().nextInt(span);
    }

    private void begin(Leadership next) {
        leadership = next;
        paused = null;
        leadsSinceTick = state.now;
        confirmedTick = state.now;
        state.wantHeaders();
        pumpAll();
        tellAll();
    }

    private void pumpAll() {
        for (Disk disk : state.disks) {
            disk.pump();
        }
    }

    private void lead() {
        if (leadership == null) {
            return;
        }
        leadership.decide();
        if (isStuck()) {
            pauseLeadership();
            return;
        }
        if (execution.isHeldUp() || leadership.isRemovedForLong()) {
            endLeadership();
            watch.giveUpOwn();
            return;
        }
        handOver();
        state.forwards.forward(Integer.MAX_VALUE, queue::add);
        proposeMembership();
    }

    /** Whether the disks have not shown for long that this server leads: others must see then that it does not. */
    private boolean isStuck() {
        if (leadership.confirmedRound() > confirmedRound) {
            confirmedRound = leadership.confirmedRound();
            confirmedTick = state.now;
        }
        return state.now - confirmedTick > state.settings.suspicionTicks();
    }

    /**
     * Has a member lead, once one knows that this server is none, or at once if this server is about to stop. Its
     * higher ballot ends this leadership; until then this server goes on, and asks the next one with each heartbeat,
     * since a member may not be able to: it may be about to stop, too.
     */
    private void handOver() {
        boolean isDue = leadership.isRemoved() || isLeaving && state.isMember();
        if (!isDue || state.now < handOverTick) {
            return;
        }
        long atLeast = leadership.isRemoved() ? state.decided : state.decided - DiskSettings.CAUGHT_UP_POSITIONS;
        if (heir(atLeast) == 0) {
            Arrays.fill(wasAskedToLead, false); // all were: from the first one on again
        }
        int heir = heir(atLeast);
        if (heir != 0) {
            wasAskedToLead[heir] = true;
            handOverTick = state.now + state.settings.heartbeatTicks();
            effects.send(heir, new HandOver(leadership.ballot()));
        }
    }

    /**
     * The other member that is linked, was not asked yet and has most, if it has everything up to a position; 0 if
     * there is none.
     */
    private int heir(long position) {
        int heir = 0;
        for (int id : state.membership.replicaIds()) {
            boolean hasIt = id != state.self
                    && state.linkUp[id]
                    && !wasAskedToLead[id]
                    && progress[id] != null
                    && progress[id].order().position() >= position;
            boolean isBest = hasIt
                    && (heir == 0
                            || progress[id].order().position()
                                    > progress[heir].order().position());
            heir = isBest ? id : heir;
        }
        return heir;
    }

    /** Brings the membership in line with the configured ensemble, one server at a time, this one last. */
    private void proposeMembership() {
        Membership next = state.membership;
        long caughtUp = state.decided - DiskSettings.CAUGHT_UP_POSITIONS;
        if (!state.isMembershipOrdered) {
            // Files change, and differ: the first leader's is what all later changes begin with.
            if (leadership.proposeMembership(next)) {
                pumpAll();
            }
            return;
        }
        for (int id : state.ensemble.participants()) {
            Progress theirs = progress[id];
            boolean hasCaughtUp =
                    theirs != null && state.linkUp[id] && theirs.order().position() >= caughtUp;
            boolean hasSlot = DiskLayout.slotOf(id) < state.layout.slots();
            if (next.equals(state.membership) && !next.contains(id) && hasCaughtUp && hasSlot) {
                next = next.with(new Member(id, Member.UNBOUND));
            }
        }
        for (int id : state.membership.replicaIds()) {
            boolean isUnwanted = !state.ensemble.participants().contains(id);
            boolean isLast = state.membership.members().size() == 1;
            boolean mayGo = id != state.self || isLastUnwanted() && heir(caughtUp) != 0;
            if (next.equals(state.membership) && isUnwanted && !isLast && mayGo) {
                next = next.without(id);
            }
        }
        if (!next.equals(state.membership) && leadership.proposeMembership(next)) {
            pumpAll();
        }
    }

    private boolean isLastUnwanted() {
        return state.membership.replicaIds().stream()
                .allMatch(
                        id -> id == state.self || state.ensemble.participants().contains(id));
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void onMessage(int from, Message message) {
        InvariantViolated.check(
                from > 0 && from < DiskState.IDS && from != state.self, "message from %d, not another replica", from);
        if (state.agreement.isContradictedBy(from, ((DiskMessage) message).order())) {
            return;
        }
        heardTick[from] = state.now;
        if (message instanceof Lead m) {
            if (isOfLeader(from, m.ballot())) {
                learner.onDecided(m.ballot(), m.order().position());
                state.space.told(m.heldUpBy());
            }
        } else if (message instanceof Propose m) {
            if (isOfLeader(from, m.ballot())) {
                learner.onPropose(m);
            }
        } else if (message instanceof Decided m) {
            if (isOfLeader(from, m.ballot())) {
                learner.onDecided(m.ballot(), m.decided());
            }
        } else if (message instanceof Progress m) {
            progress[from] = m;
            reached[from] = Math.max(reached[from], m.order().position());
        } else if (message instanceof Forward m) {
            if ((leadership != null || paused != null) && state.own.equals(m.ballot())) {
                queue.add(m.lowest(), m.commands());
            }
        } else if (message instanceof ReadIndexRequest m) {
            reads.onRequest(from, m, leadership == null ? paused : leadership);
        } else if (message instanceof ReadIndex m) {
            reads.onReadIndex(m);
        } else if (message instanceof HandOver m) {
            if (m.ballot().equals(watch.followed())) {
                watch.giveUp();
                standTick = state.now;
            }
        } else if (!(message instanceof Differing)) {
            throw new InvariantViolated("unknown message " + message);
        }
    }

    /** Whether it is said by the leader that this server follows. */
    private boolean isOfLeader(int from, Ballot ballot) {
        if (ballot.replica() != from || !ballot.isWithinReach(state.highest.round(), false)) {
            effects.refuse(from, "speaks of ballot " + ballot + " where round " + state.highest.round() + " is known");
            return false;
        }
        if (state.highest.lessThan(ballot)) {
            state.highest = ballot;
            yieldToHigher();
        }
        watch.heard(ballot);
        return ballot.equals(watch.followed());
    }

    // ---------------------------------------------------------------- other inputs

    @Override
    public void onTick() {
        state.now++;
        execution.tick();
        for (Disk disk : state.disks) {
            disk.tick();
        }
        if (state.now % state.settings.heartbeatTicks() == 0) {
            beat();
        }
        askForState();
        boolean isHoldingUp = state.ring != null && state.isRingFull() || heldUpBy() == state.self;
        if (state.checkpointWish.isDue(state.now, state.decided, state.checkpoint, isHoldingUp)) {
            effects.wantCheckpoint();
        }
        reportSilent();
        state.space.look(leadership != null && state.isRingFull());
    }

    /** Because of which server clients' writes are to be refused, 0 if they are not. */
    private int heldUpBy() {
        if (leadership != null) {
            return state.space.heldUpBy(id -> state.linkUp[id] ? 0 : state.now - heardTick[id]);
        }
        return watch.isHeard() ? state.space.toldHeldUpBy() : 0;
    }

    private void beat() {
        long beats = state.now / state.settings.heartbeatTicks();
        if (leadership != null) {
            state.heartbeat++;
            state.round++;
            state.wantHeaders();
            pumpAll();
            tellAll();
        } else if (state.ring != null) {
            tellOldHeaders();
        }
        boolean isDue = leadership == null && !watch.isHeard() || beats % DiskSettings.HEARTBEATS_PER_READ == 0;
        for (Disk disk : state.disks) {
            if (isDue && disk.isReady() && disk.isIdle()) {
                disk.readHeaders(headers -> disk.pump());
            }
        }
        if (watch.isHeard()) {
            tellProgress();
        }
    }

    private void tellProgress() {
        toldProgress = state.decided;
        effects.send(
                watch.followed().replica(),
                new Progress(state.agreement.hashes().latest(), state.checkpoint));
    }

    /** A leader that is removed waits for a member that knows. */
    private void tellRemovedLeader() {
        boolean isRemoved =
                watch.isHeard() && !state.membership.contains(watch.followed().replica());
        if (isRemoved && toldProgress < state.decided) {
            tellProgress();
        }
    }

    /**
     * Others are to know how far this server's checkpoint, and its ring, is by now. Only disks that do not say so yet
     * are written: one that hangs never will, and all others must have time to be read.
     */
    private void tellOldHeaders() {
        for (Disk disk : state.disks) {
            boolean isOld = disk.isReady()
                    && (disk.header().checkpoint() != state.checkpoint
                            || disk.header().freed() != state.freed);
            if (isOld) {
                disk.wantHeader();
            }
        }
    }

    private void tellAll() {
        toldDecided = state.decided;
        for (int id = 1; id < DiskState.IDS; id++) {
            if (state.linkUp[id]) {
                effects.send(id, new Lead(state.own, state.agreement.hashes().latest(), heldUpBy()));
            }
        }
    }

    /**
     * What this server lacks is gone from the rings: only another server's state brings it, one that covers all that is
     * gone. The sender may have an older one at hand, which would have to be fetched again and again. The leader and
     * the others are asked in turn: who has the state may be the one that cannot lead, and the leader's own disk may
     * give no answer.
     */
    private void askForState() {
        if (state.freedByOthers <= state.decided || state.now < needStateTick) {
            return;
        }
        int leader = watch.isHeard() && !askedLeader ? watch.followed().replica() : 0;
        askedLeader = leader != 0;
        int from = leader;
        for (int step = 1; step <= DiskState.IDS && from == 0; step++) {
            int id = (askedForState + step) % DiskState.IDS;
            from = state.linkUp[id] ? id : 0;
        }
        if (from != 0) {
            askedForState = askedLeader ? askedForState : from;
            needStateTick = state.now + state.settings.suspicionTicks();
            effects.needState(from, state.freedByOthers + 1);
        }
    }

    private void reportSilent() {
        for (int id = 1; id < DiskState.IDS; id++) {
            boolean isOther = id != state.self && state.ensemble.contains(id) && leadership != null;
            // Nobody but a leader is told by the others that they are there.
            long heard = Math.max(heardTick[id], leadsSinceTick);
            boolean isSilent = isOther && state.now - heard > state.settings.silenceTicks();
            if (isSilent != reportedSilent[id]) {
                reportedSilent[id] = isSilent;
                if (leadership != null) {
                    effects.memberSilent(id, isSilent);
                }
            }
        }
    }

    @Override
    public void onPropose(ProposedCommand command) {
        state.forwards.add(command);
    }

    @Override
    public void onDurable(long logSequence) {
        // Nothing of this protocol is in the acceptor log.
    }

    @Override
    public void onPeerUp(int peer) {
        state.agreement.forget(peer);
        state.linkUp[peer] = true;
        heardTick[peer] = state.now;
        progress[peer] = null;
        reads.linked(peer);
        if (peer == forwardedTo.replica()) {
            forwardedTo = Ballot.NONE; // what was sent over the last link may be lost
        }
        if (leadership != null) {
            effects.send(peer, new Lead(state.own, state.agreement.hashes().latest(), heldUpBy()));
            leadership.tell(peer);
        }
    }

    @Override
    public void onPeerDown(int peer) {
        state.linkUp[peer] = false;
        progress[peer] = null;
    }

    @Override
    public void onReadBarrier(long token) {
        reads.onReadBarrier(token);
    }

    @Override
    public void onLogRead(long fromPosition, List<LogRecord> records) {
        throw new InvariantViolated("nobody asked for position " + fromPosition + " of the acceptor log");
    }

    @Override
    public void onCheckpoint(long position) {
        state.checkpoint = Math.max(state.checkpoint, position);
    }

    @Override
    public void onExecuted(long position) {
        execution.executed(position);
    }

    @Override
    public void onEnsemble(Ensemble ensemble) {
        state.configure(ensemble);
    }

    @Override
    public void onLeave() {
        isLeaving = true;
    }

    // ---------------------------------------------------------------- behind each input

    @Override
    public void afterInput() {
        state.joinDisks();
        for (Disk disk : state.disks) {
            if (!disk.isReady()) {
                learner.failed(disk);
                reads.failed(disk);
                if (takeover != null) {
                    takeover.failed(disk);
                }
            }
        }
        takeOver();
        lead();
        if (leadership == null) {
            learner.step(watch.isHeard());
            tellRemovedLeader();
        }
        reads.step(leadership);
        state.free();
        standIfDue();
        partFromWhoContradicts();
    }

    private void partFromWhoContradicts() {
        while (state.agreement.hasContradiction()) {
            int peer = state.agreement.pollContradiction();
            effects.send(peer, new Differing(state.agreement.answerTo(peer)));
            effects.orderContradicted(peer, state.agreement.difference(peer));
            onPeerDown(peer);
            state.agreement.check(state.membership);
        }
    }

    @Override
    public void onBatchEnd() {
        forward();
        if (leadership != null) {
            leadership.propose();
            pumpAll();
        }
        reads.ask(leadership, watch.isHeard(), watch.followed());
        if (leadership != null) {
            pumpAll();
        }
    }

    private void forward() {
        if (leadership != null || !watch.isHeard()) {
            return;
        }
        if (!forwardedTo.equals(watch.followed())) {
            forwardedTo = watch.followed();
            state.forwards.forwardAgain();
        }
        state.forwards.forward(
                DiskSettings.FORWARD_BYTES,
                (lowest, commands) -> effects.send(forwardedTo.replica(), new Forward(forwardedTo, lowest, commands)));
    }

    @Override
    public void flush() {
        if (leadership != null && toldDecided < state.decided) {
            toldDecided = state.decided;
            for (int id = 1; id < DiskState.IDS; id++) {
                if (state.linkUp[id]) {
                    effects.send(id, new Decided(leadership.ballot(), state.decided));
                }
            }
        }
        publish();
    }

    private void publish() {
        OrderingStatus next = view();
        if (!next.equals(published)) {
            published = next;
            effects.statusChanged(next);
        }
    }

    private OrderingStatus view() {
        long epoch = state.highest.round();
        if (leadership != null) {
            return new OrderingStatus(Role.LEADER, state.self, epoch);
        } else if (!watch.isAlive() || state.answeringDisks() < state.majority()) {
            long silent = published.role() == Role.LOOKING
                    ? published.silentMillis()
                    : watch.silentTicks() * state.context.tickMillis();
            return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, epoch, silent);
        }
        Ballot followed = watch.followed();
        return new OrderingStatus(
                state.isMember() ? Role.FOLLOWER : Role.OBSERVER, followed.replica(), followed.round());
    }

    @Override
    public OrderingStatus status() {
        return published;
    }

    @Override
    public Map<String, Long> gauges() {
        Map<String, Long> gauges = new TreeMap<>();
        gauges.put("max_decided", state.decided);
        gauges.put("max_delivered", state.decided);
        gauges.put("max_known_decided", state.known);
        gauges.put("members", (long) state.membership.members().size());
        gauges.put("is_voter", state.isMember() ? 1L : 0L);
        gauges.put("quorum", 1L); // of servers
        gauges.put("disks", (long) state.disks.length);
        gauges.put("disks_needed", (long) state.majority());
        gauges.put("disks_in_use", (long) state.answeringDisks());
        gauges.put("order_contradicted_by", (long) state.agreement.contradictions());
        gauges.put("ring_bytes", state.ring == null ? 0L : state.ring.usedBytes());
        gauges.put("ring_max_bytes", (long) state.layout.regionBytes());
        gauges.put("values_in_memory", (long) learner.kept());
        gauges.put("value_bytes_in_memory", learner.keptBytes() + (state.ring == null ? 0L : state.ring.usedBytes()));
        gauges.put("ring_full", leadership != null && state.isRingFull() ? 1L : 0L);
        gauges.put("ring_low", heldUpBy() == 0 ? 0L : 1L);
        gauges.put("ring_held_by", (long) (heldUpBy() == 0 ? state.heldBy() : heldUpBy()));
        gauges.put("proposals_under_way", leadership == null ? 0L : leadership.underWay());
        gauges.put("commands_outstanding", (long) state.forwards.outstanding());
        gauges.put("commands_waiting", (long) queue.waiting());
        gauges.put("reads_waiting", (long) reads.waiting());
        if (leadership != null) {
            for (int id : state.membership.replicaIds()) {
                gauges.put("acknowledged." + id, id == state.self ? state.decided : reached[id]);
            }
        }
        return gauges;
    }

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        queue.tellOccupancy(occupancy);
    }
}
