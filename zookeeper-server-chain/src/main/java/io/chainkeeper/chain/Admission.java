package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Learning;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext.Start;

/**
 * The leader's part in changing the membership: brings it into line with the configured ensemble, one change at a time.
 * Only a matter of policy; whatever it proposes is safe.
 *
 * <p>A participant is admitted when it has caught up, under the number of its disk, so that one that has lost its disk
 * is admitted anew. Members that are no participants are removed, the leader itself last. Members that are silent stay:
 * the chain closes round them, and they count again as soon as they are back. Only where the user allows quorums below
 * the majority of the ensemble ({@code chain.minQuorumSize}) are they removed, because only there does it help
 * (docs/decisions/006-membership-in-the-order.md).
 */
final class Admission {
    private final ReplicaState state;

    /** What learners have said: their disks, how far they have got, and when they said so. */
    private final long[] disks = new long[ReplicaState.IDS];

    private final long[] learnedUpTo = new long[ReplicaState.IDS];
    private final long[] learningTick = new long[ReplicaState.IDS];
    private final long[] aliveTick = new long[ReplicaState.IDS];

    /** When each replica has shown a sign of life since this one leads. */
    private final long[] provenTick = new long[ReplicaState.IDS];

    private boolean survivorAnnounced;

    Admission(ReplicaState state) {
        this.state = state;
    }

    /** This replica leads now. */
    void lead() {
        for (int id = 0; id < ReplicaState.IDS; id++) {
            learningTick[id] = Long.MIN_VALUE / 2;
            aliveTick[id] = state.now;
            provenTick[id] = Long.MIN_VALUE / 2;
        }
    }

    /** A replica that does not vote has said how far it is. */
    void onLearning(int sender, Learning m) {
        disks[sender] = m.disk();
        learnedUpTo[sender] = m.maxDecided();
        learningTick[sender] = state.now;
        alive(sender);
    }

    /** The link to a replica went down: when it is back it may have another disk, so all must be shown anew. */
    void linkDown(int id) {
        learningTick[id] = Long.MIN_VALUE / 2;
        provenTick[id] = Long.MIN_VALUE / 2;
    }

    /** A replica has shown a sign of life. */
    void alive(int id) {
        aliveTick[id] = state.now;
        provenTick[id] = state.now;
    }

    long silentTicks(int id) {
        return id == state.self ? 0 : state.now - aliveTick[id];
    }

    /** Returns the membership to propose next; null if there is nothing to change, or a change is on its way. */
    Membership next() {
        if (state.memberships.latestFrom() > state.maxDecided + 1) {
            return null;
        }
        Membership now = state.membership();
        if (state.context.start() == Start.SOLE_SURVIVOR && !survivorAnnounced) {
            survivorAnnounced = true;
            return now; // in force here because the user said so; the order must say so too
        }
        Membership wanted = removed(now, true);
        if (wanted.equals(now)) {
            wanted = admitted(now);
        }
        if (wanted.equals(now)) {
            wanted = removed(now, false);
        }
        if (wanted.minQuorumSize() != state.settings.minQuorumSize()) {
            wanted = new Membership(state.settings.minQuorumSize(), wanted.members());
        }
        return wanted.equals(now) ? null : wanted;
    }

    private Membership admitted(Membership now) {
        for (int id : state.ensemble.participants()) {
            Member member = now.find(id);
            boolean learns = state.now - learningTick[id] <= 2L * state.settings.heartbeatTicks();
            boolean isNew = member == null || member.disk() != disks[id];
            boolean caughtUp = learnedUpTo[id] + state.settings.feedWindowInstances() >= state.maxDecided;
            if (id != state.self && learns && isNew && caughtUp) {
                Membership next = now.with(new Member(id, disks[id]));
                if (isAlive(next)) {
                    return next;
                }
            }
        }
        return now;
    }

    private Membership removed(Membership now, boolean onlySilent) {
        for (Member member : now.members()) {
            int id = member.replicaId();
            long silentTicks = silentTicks(id);
            boolean unwanted = !state.ensemble.participants().contains(id);
            boolean gone = silentTicks > state.settings.removalTicks() && mayRemoveSilent(now)
                    || silentTicks > state.settings.silenceTicks() && unwanted;
            boolean remove = onlySilent ? gone : unwanted && id != state.self;
            if (remove && now.members().size() > 1 && isAlive(now.without(id))) {
                return now.without(id);
            }
        }
        boolean unwantedLeader = !state.ensemble.participants().contains(state.self) && now.contains(state.self);
        if (!onlySilent && unwantedLeader && now.members().size() > 1 && isAlive(now.without(state.self))) {
            return now.without(state.self);
        }
        return now;
    }

    private boolean mayRemoveSilent(Membership now) {
        return state.settings.removesSilent() && now.members().size() > state.settings.minQuorumSize();
    }

    /**
     * Whether a membership can decide something with those who show signs of life. What nobody has shown to this leader
     * does not count, nor what was shown over a link that is down: the member may have lost its disk a moment before. A
     * replica that still learns does not vote with whatever disk the membership has of it, unless it is the one that is
     * being admitted.
     */
    private boolean isAlive(Membership membership) {
        int alive = 0;
        for (Member member : membership.members()) {
            int id = member.replicaId();
            boolean learns = state.now - learningTick[id] <= state.settings.suspicionTicks();
            boolean votes = !learns || member.disk() == disks[id];
            boolean proven = state.linkUp[id] && state.now - provenTick[id] <= state.settings.suspicionTicks();
            alive += id == state.self || votes && proven ? 1 : 0;
        }
        return alive >= membership.quorum();
    }
}
