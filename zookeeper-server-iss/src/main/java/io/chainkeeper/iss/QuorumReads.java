package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.ReadIndexReply;
import io.chainkeeper.iss.IssMessage.ReadIndexRequest;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Linearizable reads at any replica, without a log write.
 *
 * <p>A replica at which reads wait asks the voters of the present epoch, once for all of these reads, up to which
 * position they have accepted values. When a quorum that is in the same epoch has answered, the highest answer is the
 * <em>read index</em>: the reads are safe as soon as everything up to there has been delivered here.
 *
 * <p>Why: let x be a position with a value that was executed anywhere before the request was sent. If x lies in this
 * epoch, a quorum accepted it before, and one of them answers at least x. If x lies in an earlier epoch it is below
 * this one, which begins only when all of that is decided. And x cannot lie in a later epoch: the last position of each
 * epoch needs a quorum, so a quorum of the next epoch in which anything was accepted was in that epoch before the
 * request was sent; neighbouring memberships have intersecting quorums, so one of those who answered would have been
 * there. The argument uses neither who leads nor time (docs/iss.md).
 *
 * <p>Replies are told apart by the number of their request, which no two incarnations of a replica share. This rests on
 * the host: its application reads only when a command of the present incarnation has taken effect, and none does once a
 * command of a higher incarnation has, so the incarnations that read ascend.
 */
final class QuorumReads {
    /** Requests of one incarnation that fit below those of the next, whose number is at least a millisecond higher. */
    private static final int REQUESTS_PER_INCARNATION_BITS = 20;

    /** A request that no quorum has answered yet, and the reads that it is for. */
    private static final class Request {
        private final long number;
        private final List<Long> tokens;
        private final BitSet answered = new BitSet();
        private long readIndex;

        private Request(long number, List<Long> tokens, long readIndex) {
            this.number = number;
            this.tokens = tokens;
            this.readIndex = readIndex;
        }
    }

    private record Answered(long readIndex, List<Long> tokens) {}

    private final IssState state;
    private final ArrayDeque<Request> open = new ArrayDeque<>();
    private final ArrayDeque<Answered> answered = new ArrayDeque<>();
    private List<Long> waiting = new ArrayList<>();
    private long lastNumber;

    QuorumReads(IssState state) {
        this.state = state;
        // Replies to requests of an earlier incarnation may still be on their way: they must not answer the new ones.
        this.lastNumber = state.context.incarnation() << REQUESTS_PER_INCARNATION_BITS;
    }

    void onReadBarrier(long token) {
        waiting.add(token);
    }

    /** Sends a request for all reads that have come since the last one. */
    void requestIfWaiting() {
        if (waiting.isEmpty() || state.epoch == null || open.size() >= IssSettings.MAX_READ_REQUESTS) {
            return;
        }
        Request request = new Request(++lastNumber, waiting, state.epoch.inUse());
        waiting = new ArrayList<>();
        open.add(request);
        if (state.isVoter()) {
            request.answered.set(state.self);
        }
        for (Member member : state.epoch.config().membership().members()) {
            send(member.replicaId(), request);
        }
        finishIfAnswered(request);
    }

    private void send(int id, Request request) {
        if (id != state.self && state.peers.linkUp[id] && !request.answered.get(id)) {
            state.effects.send(id, new ReadIndexRequest(state.epoch.number(), request.number));
        }
    }

    /** Another replica asks; it is in the same epoch. */
    void onRequest(int sender, ReadIndexRequest m) {
        if (state.isVoter()) {
            state.effects.send(sender, new ReadIndexReply(m.epoch(), m.number(), state.epoch.inUse()));
        }
    }

    void onReply(int sender, ReadIndexReply m) {
        for (Request request : open) {
            if (request.number == m.number()) {
                request.answered.set(sender);
                request.readIndex = Math.max(request.readIndex, m.readIndex());
                state.epoch.raiseInUse(m.readIndex());
                finishIfAnswered(request);
                return;
            }
        }
    }

    private void finishIfAnswered(Request request) {
        int answers = 0;
        for (Member member : state.epoch.config().membership().members()) {
            answers += request.answered.get(member.replicaId()) ? 1 : 0;
        }
        if (state.rules.isReadAnswered(
                answers, state.epoch.config().membership().quorum())) {
            open.remove(request);
            answered.add(new Answered(request.readIndex, request.tokens));
        }
    }

    /** The present epoch is another: replies from the old epoch say nothing about it, so its reads wait again. */
    void epochBegan() {
        while (!open.isEmpty()) {
            List<Long> tokens = new ArrayList<>(open.removeLast().tokens);
            tokens.addAll(waiting);
            waiting = tokens;
        }
    }

    /** Sends a replica again what it has not answered: the request may be lost, or met the replica in another epoch. */
    void requestAgain(int peer) {
        if (state.epoch == null || !state.epoch.config().membership().contains(peer)) {
            return;
        }
        for (Request request : open) {
            send(peer, request);
        }
    }

    /** Releases the reads that have become safe. */
    void release() {
        while (!answered.isEmpty() && isDelivered(answered.peek().readIndex())) {
            answered.remove().tokens().forEach(state.effects::barrierReached);
        }
    }

    private boolean isDelivered(long readIndex) {
        return readIndex <= state.delivered || !state.rules.isOn(SafetyRule.READ_WAITS_FOR_READ_INDEX);
    }

    /** Tells how many requests are under way. */
    void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("read_requests", open.size(), IssSettings.MAX_READ_REQUESTS, Slack.NONE);
    }

    int waiting() {
        return waiting.size() + open.size() + answered.size();
    }
}
