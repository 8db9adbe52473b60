package io.chainkeeper.iss;

import io.chainkeeper.iss.EpochConfig.Note;
import io.chainkeeper.iss.EpochConfig.Suspension;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssSettings.LeaderPolicy;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.membership.MembershipPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * What the coordinator of an epoch (its last leader) puts into the epoch's last position: a change of the membership,
 * at most one per epoch ({@link MembershipPolicy}), or a note with the leaders and the length of the next epoch. Only a
 * matter of policy: whatever the coordinator proposes is safe, and if it proposes nothing the next epoch begins without
 * it among the leaders.
 */
final class Coordinator implements MembershipPolicy.Evidence {
    private final IssState state;
    private final MembershipPolicy policy;

    Coordinator(IssState state) {
        this.state = state;
        policy = new MembershipPolicy(state.context, state.settings.membershipLimits(), this);
    }

    /**
     * Whether the epoch is to end although its positions are not used up. What others wish for waits where a change of
     * the membership is about to be proposed: whoever is to be admitted may wish for the end of each epoch as soon as
     * that begins, and none would last long enough to admit it.
     */
    boolean wantsEnd() {
        return nextMembership() != null || mayLeave() || state.epoch.endIsWanted() && !isChangeDueSoon();
    }

    /** The value of the epoch's last position. */
    ByteSlice lastValue() {
        Membership next = nextMembership();
        if (next != null) {
            policy.proposed();
            return BatchCodec.encode(next);
        }
        return BatchCodec.encodeNote(EpochConfig.encode(note()));
    }

    // ---------------------------------------------------------------- leaders

    private Note note() {
        EpochConfig config = state.epoch.config();
        List<Suspension> suspensions = new ArrayList<>();
        List<Integer> leaders = new ArrayList<>();
        for (Member member : config.membership().members()) {
            int id = member.replicaId();
            Suspension next = suspension(id, config);
            if (next != null) {
                suspensions.add(next);
            }
            boolean leads = id != state.self && (next == null || next.epochsLeft() == 0);
            if (leads && state.settings.leaderPolicy() != LeaderPolicy.SINGLE) {
                leaders.add(id);
            }
        }
        if (mayLeave()) {
            leaders.removeIf(id -> !mayLeadAlone(id));
            if (leaders.isEmpty()) {
                leaders.add(heir());
            }
        } else {
            leaders.add(state.self); // last: whoever coordinates goes on to
        }
        return new Note(segmentPositions(config), leaders, suspensions, state.settings.rotating());
    }

    /** Whether this replica is going to stop, and somebody else can coordinate. */
    boolean mayLeave() {
        return state.leaving && heir() != 0;
    }

    /** The voter that is heard and has most of the order; 0 if there is none. */
    private int heir() {
        int heir = 0;
        for (Member member : state.epoch.config().membership().members()) {
            int id = member.replicaId();
            boolean hasMore = heir == 0
                    || state.peers.status(id).prefix()
                            > state.peers.status(heir).prefix();
            if (mayLeadAlone(id) && hasMore) {
                heir = id;
            }
        }
        return heir;
    }

    /** Not who is going to stop, too: replicas that all are would pass coordination to and fro, and propose nothing. */
    private boolean mayLeadAlone(int id) {
        return id != state.self
                && state.peers.linkUp[id]
                && !state.peers.leaves(id)
                && state.peers.silentTicks(id, state.now) <= state.settings.suspicionTicks()
                && state.peers.status(id).votes();
    }

    /** Back-off doubles with each failure; an epoch that is finished without one takes a step back. */
    private Suspension suspension(int id, EpochConfig config) {
        if (state.settings.leaderPolicy() == LeaderPolicy.ALL || id == state.self) {
            return null;
        }
        Suspension before = config.suspensions().stream()
                .filter(s -> s.replicaId() == id)
                .findFirst()
                .orElse(new Suspension(id, 0, 0));
        int segment = config.segmentLedBy(id);
        if (segment >= 0 && state.epoch.segment(segment).isTakenOver()) {
            int level = Math.min(EpochConfig.MAX_SUSPENSION_LEVEL, before.level() + 1);
            return new Suspension(id, level, 1 << level);
        }
        boolean silent = !state.peers.linkUp[id]
                || state.peers.silentTicks(id, state.now) > state.settings.suspicionTicks()
                || !state.peers.status(id).votes()
                || state.peers.status(id).epoch() + 1 < config.epoch(); // its vote is one in an epoch long past
        if (silent) {
            return new Suspension(id, before.level(), Math.max(1, before.epochsLeft()));
        }
        if (before.epochsLeft() > 0) {
            return new Suspension(id, before.level(), before.epochsLeft() - 1);
        }
        return before.level() <= 1 ? null : new Suspension(id, before.level() - 1, 0);
    }

    /**
     * Longer only if this epoch was short because its positions were used: an epoch that a wish ended has most empty.
     */
    private int segmentPositions(EpochConfig config) {
        long ticks = state.epoch.ticks(state.now);
        boolean isShort = ticks < state.settings.epochTicks() / 2;
        boolean isLong = ticks > 2L * state.settings.epochTicks();
        boolean isUsed = 2 * (state.epoch.inUse() + 1 - config.first()) >= config.last() + 1 - config.first();
        int positions = config.segmentPositions();
        if (isShort && isUsed) {
            positions = 2 * positions;
        } else if (isShort || isLong) {
            positions = positions / 2;
        }
        return Math.max(
                state.settings.minSegmentPositions(), Math.min(state.settings.maxSegmentPositions(), positions));
    }

    // ---------------------------------------------------------------- membership

    /**
     * Each epoch lasts until a heartbeat before it ends with another membership. Two members that have not been told of
     * the same ensemble yet would otherwise take turns to undo what the other has done, as fast as their links allow.
     */
    private Membership nextMembership() {
        return heartbeatsOfEpoch() == 0 ? null : wantedMembership();
    }

    private Membership wantedMembership() {
        return policy.next(state.epoch.config().membership(), state.ensemble);
    }

    private long heartbeatsOfEpoch() {
        int heartbeat = state.settings.heartbeatTicks();
        long beganTick = state.now - state.epoch.ticks(state.now);
        return state.now / heartbeat - beganTick / heartbeat;
    }

    /** Whoever is to be admitted must have been heard in this epoch, which takes a heartbeat more. */
    private boolean isChangeDueSoon() {
        return heartbeatsOfEpoch() < 2
                && (wantedMembership() != null
                        || state.ensemble.participants().stream().anyMatch(this::learnedInFormerEpochs));
    }

    private boolean learnedInFormerEpochs(int id) {
        Member member = new Member(id, disk(id));
        return id != state.self
                && state.peers.linkUp[id]
                && state.peers.disks.isProven(id, state.now)
                && !member.equals(state.epoch.config().membership().find(id))
                && hasCaughtUp(id);
    }

    @Override
    public boolean isLearning(int id) {
        Status status = state.peers.status(id);
        return state.peers.linkUp[id]
                && state.peers.disks.isProven(id, state.now)
                && status.epoch() == state.epoch.number()
                && !status.votes();
    }

    @Override
    public long disk(int id) {
        return state.peers.disks.disk(id);
    }

    @Override
    public boolean hasCaughtUp(int id) {
        return state.peers.status(id).prefix() + state.settings.caughtUpPositions() >= state.prefix;
    }

    @Override
    public long silentTicks(int id) {
        return state.peers.silentTicks(id, state.now);
    }

    @Override
    public boolean mayVote(Member member) {
        int id = member.replicaId();
        Status status = state.peers.status(id);
        boolean votes = status.votes() || status.disk() != 0 && status.disk() == member.disk();
        return votes && silentTicks(id) <= state.settings.suspicionTicks();
    }
}
