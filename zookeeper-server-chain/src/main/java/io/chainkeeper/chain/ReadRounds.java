package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.ReadNudge;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Linearizable reads at any replica, without a log write.
 *
 * <p>A replica at which reads wait sends the leader a numbered nudge. The leader begins a <em>round</em>: a number
 * that travels down the chain with whatever travels next, together with its <em>floor</em> (the highest instance
 * proposed so far) and the newest nudge of each member. A member that sees the round while its promise is still this
 * ballot says so in its entry. The reads are safe when a quorum has said so and this replica has delivered the floor.
 *
 * <p>Why: let x be executed anywhere before the nudge was sent. If x was decided in this ballot or an earlier one, the
 * leader had proposed or recovered it before the round began, so x is at most the floor. It cannot have been decided in
 * a later ballot: a quorum would have promised that one before x was decided, and one of its members would also have
 * acknowledged the round afterwards, in a ballot below its promise. The argument uses neither the shape of the chain
 * nor who is in it, so it holds while members are skipped (docs/decisions/001-read-rounds.md).
 *
 * <p>Rounds also are the leader's keep-alive: it begins one every heartbeat.
 */
final class ReadRounds {
    /** Nudges of one incarnation that fit below those of the next, whose number is at least a millisecond higher. */
    private static final int NUDGES_PER_INCARNATION_BITS = 20;

    /** Reads of this replica that no round answers yet; nudges ascend over all incarnations of a replica. */
    private record Waiting(long nudge, long token) {}

    /** Reads whose nudge the round answers; safe once the round is confirmed and the floor delivered. */
    private record Answered(Waiting reads, long round, long floor) {}

    private final ReplicaState state;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private final ArrayDeque<Answered> answered = new ArrayDeque<>();

    /** Leader: the newest nudge of each member. */
    private final long[] nudges;

    /** Leader: the highest round that each member is known to have seen. */
    private final long[] seen;

    private boolean nudged;
    private long nudgedTick;
    private long lastNudge;

    ReadRounds(ReplicaState state) {
        this.state = state;
        this.nudges = new long[state.memberCount()];
        this.seen = new long[state.memberCount()];
        // The leader may still remember nudges of an earlier incarnation: those must not answer reads of this one.
        this.lastNudge = state.context.incarnation() << NUDGES_PER_INCARNATION_BITS;
    }

    void onReadBarrier(long token) {
        waiting.add(new Waiting(++lastNudge, token));
        sendNudge();
    }

    /** Leader: reads wait at a member. */
    void onNudge(int sender, ReadNudge m) {
        if (state.isLeader() && m.ballot().equals(state.ballot) && m.nudge() > nudges[sender]) {
            nudges[sender] = m.nudge();
            nudged = true;
        }
    }

    /** A new ballot: what the old leader's rounds promised to answer must be asked again. */
    void ballotChanged() {
        while (!answered.isEmpty()) {
            waiting.addFirst(answered.removeLast().reads());
        }
        Arrays.fill(nudges, 0);
        Arrays.fill(seen, 0);
        nudged = false;
        renudge();
    }

    /** The link to the leader is new: a nudge may have been lost. */
    void renudge() {
        if (!waiting.isEmpty()) {
            sendNudge();
        }
    }

    void tick() {
        if (state.now - nudgedTick >= state.settings.heartbeatTicks()) {
            renudge();
        }
    }

    private void sendNudge() {
        nudgedTick = state.now;
        if (state.isLeader()) {
            nudges[state.selfIndex] = waiting.getLast().nudge();
            nudged = true;
        } else if (state.leaderIndex >= 0 && state.linkUp[state.leaderIndex]) {
            state.effects.send(
                    state.idOf(state.leaderIndex),
                    new ReadNudge(state.ballot, waiting.getLast().nudge()));
        }
    }

    /** Leader: begins a round if reads wait anywhere. Called before new instances are proposed. */
    void beginRoundIfNudged() {
        if (nudged) {
            nudged = false;
            beginHeartbeat();
        }
    }

    /** Leader: begins a round. */
    void beginHeartbeat() {
        state.progress.beginRound(state.progress.round() + 1, state.maxAccepted, nudges);
        acknowledgeRound();
    }

    /** Says that the current round was seen while the promise is this ballot. */
    void acknowledgeRound() {
        state.progress.raiseRoundSeen(state.selfIndex, state.progress.round());
    }

    /** Leader: returns whether a quorum has confirmed a newer round than before. */
    boolean confirmRounds() {
        long confirmed = state.progress.roundSeenByQuorum(state.settings.quorum());
        boolean newer = confirmed > state.progress.confirmedRound();
        state.progress.raiseConfirmedRound(confirmed);
        return newer;
    }

    /** Leader: returns whether a member has seen a newer round than when last asked. */
    boolean sawNewRound(int member) {
        boolean newer = state.progress.roundSeen(member) > seen[member];
        seen[member] = state.progress.roundSeen(member);
        return newer;
    }

    /** Releases the reads that have become safe. */
    void release() {
        acknowledgeRound();
        Progress progress = state.progress;
        long nudge = progress.nudge(state.selfIndex);
        while (!waiting.isEmpty() && waiting.peek().nudge() <= nudge) {
            answered.add(new Answered(waiting.remove(), progress.round(), progress.roundFloor()));
        }
        if (answered.isEmpty()) {
            return;
        }
        long confirmed = Math.max(progress.confirmedRound(), progress.roundSeenByQuorum(state.settings.quorum()));
        while (!answered.isEmpty()
                && answered.peek().round() <= confirmed
                && answered.peek().floor() <= state.maxDecided) {
            state.effects.barrierReached(answered.remove().reads().token());
        }
    }
}
