package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Poll;
import io.chainkeeper.iss.IssMessage.PollOk;
import io.chainkeeper.ordering.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Linearizable reads at any replica, without a log write.
 *
 * <p>Reads that wait together ask the voters of the present epoch once up to which position they have accepted values.
 * When a quorum that is in the same epoch has answered, the reads are safe as soon as everything up to the highest
 * answer has been delivered here.
 *
 * <p>Why: let x be a position with a value that was executed anywhere before the poll was sent. If x lies in this
 * epoch, a quorum accepted it before, and one of them answers at least x. If x lies in an earlier epoch it is below
 * this one, which begins only when all of that is decided. It cannot lie in a later epoch: the last position of each
 * epoch needs a quorum, so a quorum of the next epoch in which anything was accepted was in that epoch before the poll
 * was sent; neighbouring memberships have intersecting quorums, so one of those who answered would have been there. It
 * uses neither who leads nor time (docs/iss.md).
 *
 * <p>Answers are told apart by the number of their poll, which no two incarnations of a replica share. This rests on
 * the host: its application reads only when a command of the present incarnation has taken effect, and none does once a
 * command of a higher incarnation has, so those incarnations that read ascend.
 */
final class ReadPolls {
    /** Polls of one incarnation that fit below those of the next, whose number is at least a millisecond higher. */
    private static final int POLLS_PER_INCARNATION_BITS = 20;

    private static final class Open {
        private final long number;
        private final List<Long> tokens;
        private final BitSet answered = new BitSet();
        private long floor;

        private Open(long number, List<Long> tokens, long floor) {
            this.number = number;
            this.tokens = tokens;
            this.floor = floor;
        }
    }

    private record Answered(long floor, List<Long> tokens) {}

    private final IssState state;
    private final ArrayDeque<Open> open = new ArrayDeque<>();
    private final ArrayDeque<Answered> answered = new ArrayDeque<>();
    private List<Long> waiting = new ArrayList<>();
    private long lastNumber;

    ReadPolls(IssState state) {
        this.state = state;
        // Answers to polls of an earlier incarnation may still be on their way: they must not answer those of this one.
        this.lastNumber = state.context.incarnation() << POLLS_PER_INCARNATION_BITS;
    }

    void onReadBarrier(long token) {
        waiting.add(token);
    }

    /** Sends a poll on behalf of all reads that have come since the last one. */
    void pollIfWaiting() {
        if (waiting.isEmpty() || state.epoch == null || open.size() >= IssSettings.MAX_POLLS) {
            return;
        }
        Open poll = new Open(++lastNumber, waiting, state.epoch.inUse());
        waiting = new ArrayList<>();
        open.add(poll);
        if (state.isVoter()) {
            poll.answered.set(state.self);
        }
        for (Member member : state.epoch.config().membership().members()) {
            ask(member.replicaId(), poll);
        }
        finishIfAnswered(poll);
    }

    private void ask(int id, Open poll) {
        if (id != state.self && state.peers.linkUp[id] && !poll.answered.get(id)) {
            state.effects.send(id, new Poll(state.epoch.number(), poll.number));
        }
    }

    /** Another replica asks; it is in the same epoch. */
    void onPoll(int sender, Poll m) {
        if (state.isVoter()) {
            state.effects.send(sender, new PollOk(m.epoch(), m.number(), state.epoch.inUse()));
        }
    }

    void onPollOk(int sender, PollOk m) {
        for (Open poll : open) {
            if (poll.number == m.number()) {
                poll.answered.set(sender);
                poll.floor = Math.max(poll.floor, m.floor());
                state.epoch.raiseInUse(m.floor());
                finishIfAnswered(poll);
                return;
            }
        }
    }

    private void finishIfAnswered(Open poll) {
        int answers = 0;
        for (Member member : state.epoch.config().membership().members()) {
            answers += poll.answered.get(member.replicaId()) ? 1 : 0;
        }
        if (state.rules.isPollAnswered(
                answers, state.epoch.config().membership().quorum())) {
            open.remove(poll);
            answered.add(new Answered(poll.floor, poll.tokens));
        }
    }

    /** The present epoch is another: answers from the old one say nothing about it. */
    void epochBegan() {
        while (!open.isEmpty()) {
            List<Long> tokens = new ArrayList<>(open.removeLast().tokens);
            tokens.addAll(waiting);
            waiting = tokens;
        }
    }

    /**
     * Asks again whoever has not answered: the question may have met a replica that was in another epoch, or nobody.
     */
    void askAgain(int peer) {
        if (state.epoch == null || !state.epoch.config().membership().contains(peer)) {
            return;
        }
        for (Open poll : open) {
            ask(peer, poll);
        }
    }

    /** Releases the reads that have become safe. */
    void release() {
        while (!answered.isEmpty() && answered.peek().floor() <= state.delivered) {
            answered.remove().tokens().forEach(state.effects::barrierReached);
        }
    }

    int waiting() {
        return waiting.size() + open.size() + answered.size();
    }
}
