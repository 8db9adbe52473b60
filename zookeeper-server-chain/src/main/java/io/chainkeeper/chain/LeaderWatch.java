package io.chainkeeper.chain;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;

/**
 * When the leader was last heard, and, at the leader, a quorum: when they are missed, and what the host is told of
 * leader and role.
 */
final class LeaderWatch {
    private final ReplicaState state;

    private OrderingStatus status = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    /** Tick at which the leader of the followed ballot last showed a sign of life. */
    private long lastHeardTick;

    /** Leader only: tick at which a quorum last confirmed a round. */
    private long lastConfirmedTick;

    /** Leader only: tick at which its own disk did not hold it up, or let it go on. */
    private long lastUnhinderedTick;

    /** What was decided here by then. */
    private long decidedUnhindered;

    /** Tick at which the link to each replica last went down. */
    private final long[] linkDownTick = new long[ReplicaState.IDS];

    LeaderWatch(ReplicaState state) {
        this.state = state;
    }

    // ---------------------------------------------------------------- signs of life

    /** This replica leads or follows a ballot, or follows it again, from now on. */
    void begin() {
        lastHeardTick = state.now;
        if (state.isLeader()) {
            lastConfirmedTick = state.now;
            lastUnhinderedTick = state.now;
        }
    }

    /** The leader has shown a sign of life. */
    void heard() {
        lastHeardTick = state.now;
    }

    /** Leader: a quorum has confirmed a round. */
    void confirmed() {
        lastConfirmedTick = state.now;
    }

    void linkDown(int peer) {
        linkDownTick[peer] = state.now;
    }

    // ---------------------------------------------------------------- whether somebody is missed

    /** Whether this replica leads, or hears the leader that it follows. */
    boolean hearsLeader() {
        if (state.isLeader()) {
            return true;
        }
        return state.isFollower()
                && state.linkUp[state.leader]
                && state.now - lastHeardTick < state.settings.suspicionTicks();
    }

    /** Leader: whether no quorum has confirmed a round for so long that somebody else may lead by now. */
    boolean missesQuorum() {
        return state.now >= quorumDueTick();
    }

    /** Leader: the tick from which on {@link #missesQuorum} if no round is confirmed before. */
    long quorumDueTick() {
        return lastConfirmedTick + state.settings.suspicionTicks() + 1;
    }

    /**
     * Leader, with each tick: whether its own disk has kept it for so long from executing what others have decided that
     * one of them should lead. What it does not execute fills its window, and then nothing is proposed any more.
     */
    boolean missesDisk() {
        if (!state.isHeldUpByDisk() || state.maxDecided > decidedUnhindered) {
            lastUnhinderedTick = state.now;
            decidedUnhindered = state.maxDecided;
        }
        return state.now >= diskDueTick();
    }

    /** Leader: the tick from which on {@link #missesDisk} if the disk holds it up and does not let it go on before. */
    long diskDueTick() {
        return lastUnhinderedTick + state.settings.suspicionTicks() + 1;
    }

    /** Follower: whether the leader has been silent for too long. */
    boolean missesLeader() {
        return state.now >= leaderDueTick();
    }

    /** Follower: the tick from which on {@link #missesLeader} if the leader stays silent. */
    long leaderDueTick() {
        return lastHeardTick + state.settings.suspicionTicks() + staggerTicks() + 1;
    }

    /** Follower: whether the leader is silent and the link to it is down, which needs less patience. */
    boolean missesLinkToLeader() {
        long dueTick = lastHeardTick + state.settings.linkSuspicionTicks() + staggerTicks() / 2 + 1;
        return !state.linkUp[state.leader] && state.now >= dueTick;
    }

    /** Replicas nearer to the head try first, so that two candidates seldom meet. */
    private long staggerTicks() {
        return (long) state.chainPosition(state.self) * state.settings.heartbeatTicks();
    }

    /** A follower that hears the leader through others only can neither redirect commands nor ask for a read index. */
    private boolean isCutOffFromLeader() {
        return state.isFollower()
                && !state.linkUp[state.leader]
                && state.now - linkDownTick[state.leader] > state.settings.suspicionTicks();
    }

    // ---------------------------------------------------------------- what the host is told

    OrderingStatus status() {
        return status;
    }

    /** Tells the host if leader or role have changed. */
    void publishStatus() {
        OrderingStatus next = view();
        if (!next.equals(status)) {
            status = next;
            state.effects.statusChanged(next);
        }
    }

    private OrderingStatus view() {
        long epoch = state.promised.round();
        boolean cutOff = isCutOffFromLeader();
        if (state.isLooking() || cutOff) {
            return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, epoch, silentMillis(cutOff));
        }
        boolean observing = state.isFollower() && !state.isVoter();
        return new OrderingStatus(observing ? Role.OBSERVER : state.role(), state.leader, epoch);
    }

    /**
     * How long the leader, or at the leader a quorum, has been silent: the role that was told last says which counts.
     */
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
}
