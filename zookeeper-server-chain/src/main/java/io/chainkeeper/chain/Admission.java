package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.LearnerStatus;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.membership.MembershipPolicy;
import io.chainkeeper.ordering.membership.ProvenDisks;
import java.util.Arrays;

/**
 * What the other replicas have shown to the leader: signs of life, and how far those who learn have got. {@link
 * MembershipPolicy} says which change of the membership follows from that. Members that are silent stay, because the
 * chain closes round them.
 */
final class Admission implements MembershipPolicy.Evidence {
    private final ReplicaState state;

    private final ProvenDisks disks;

    /** How far learners have got, as they said last. */
    private final long[] learnedUpTo = new long[ReplicaState.IDS];

    private final long[] aliveTick = new long[ReplicaState.IDS];

    /** When each replica has shown a sign of life since this one leads. */
    private final long[] provenTick = new long[ReplicaState.IDS];

    private final boolean[] reportedSilent = new boolean[ReplicaState.IDS];
    private final MembershipPolicy policy;

    Admission(ReplicaState state) {
        this.state = state;
        disks = new ProvenDisks(state.settings.heartbeatTicks(), state.settings.suspicionTicks());
        policy = new MembershipPolicy(state.context, state.settings.membershipLimits(), this);
    }

    /** This replica leads now. */
    void lead() {
        disks.forgetAll();
        for (int id = 0; id < ReplicaState.IDS; id++) {
            aliveTick[id] = state.now;
            provenTick[id] = Long.MIN_VALUE / 2;
        }
        Arrays.fill(reportedSilent, false);
    }

    /** A replica that does not vote has said how far it has got. */
    void onLearnerStatus(int sender, LearnerStatus m) {
        disks.told(sender, m.disk(), state.now);
        learnedUpTo[sender] = m.maxDecided();
        alive(sender);
    }

    /** The link to a replica went down: when the replica is back it may have another disk, so it must show all anew. */
    void linkDown(int id) {
        disks.forget(id);
        provenTick[id] = Long.MIN_VALUE / 2;
    }

    /** A replica has shown a sign of life. */
    void alive(int id) {
        aliveTick[id] = state.now;
        provenTick[id] = state.now;
    }

    @Override
    public long silentTicks(int id) {
        return id == state.self ? 0 : state.now - aliveTick[id];
    }

    /** Tells the host whose silence has become too long, and who is heard again. */
    void reportSilent() {
        for (int id : state.chain()) {
            boolean silent = silentTicks(id) > state.settings.silenceTicks();
            if (silent != reportedSilent[id]) {
                reportedSilent[id] = silent;
                state.effects.memberSilent(id, silent);
            }
        }
    }

    /** The next tick at which {@link #reportSilent} or {@link #next} may say something new. */
    long dueTick() {
        long due = Long.MAX_VALUE;
        for (int id : state.chain()) {
            if (reportedSilent[id]) {
                return state.now + 1; // it may come back or have to be removed
            }
            if (id != state.self) {
                due = Math.min(due, state.now - silentTicks(id) + state.settings.silenceTicks() + 1);
            }
        }
        return due;
    }

    /** Returns the membership to propose next; null if there is nothing to change, or a change is on its way. */
    Membership next() {
        boolean isOnItsWay = state.memberships.latestFrom() > state.maxDecided + 1;
        boolean waits = isOnItsWay && state.rules.isOn(SafetyRule.ONE_CHANGE_OF_THE_MEMBERSHIP_AT_A_TIME);
        return waits ? null : policy.next(isOnItsWay ? state.memberships.latest() : state.membership(), state.ensemble);
    }

    /** What {@link #next} returned has been proposed. */
    void proposed() {
        policy.proposed();
    }

    @Override
    public boolean isLearning(int id) {
        return disks.isProven(id, state.now);
    }

    @Override
    public long disk(int id) {
        return disks.disk(id);
    }

    @Override
    public boolean hasCaughtUp(int id) {
        return learnedUpTo[id] + state.settings.successorWindowInstances() >= state.maxDecided;
    }

    /**
     * {@inheritDoc}
     *
     * <p>What a replica has not shown to this leader does not count, nor what was shown over a link that is down: the
     * member may have lost its disk a moment before. A replica that still learns has another disk than the one that the
     * membership has of it, so it does not vote, unless the disk that it shows is the one to be admitted.
     */
    @Override
    public boolean mayVote(Member member) {
        int id = member.replicaId();
        boolean votes = !disks.isToldOf(id, state.now) || member.disk() == disks.disk(id);
        boolean proven = state.linkUp[id] && state.now - provenTick[id] <= state.settings.suspicionTicks();
        return votes && proven;
    }
}
