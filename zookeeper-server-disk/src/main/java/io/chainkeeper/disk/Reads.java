package io.chainkeeper.disk;

import io.chainkeeper.disk.DiskMessage.ReadIndex;
import io.chainkeeper.disk.DiskMessage.ReadIndexRequest;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Linearizable reads. A leader reads the headers of a majority for them; others ask the leader, and read the rings of a
 * majority if they do not hear it.
 */
final class Reads {
    /** What waits for a leader's round, its own reads or another's: then the number of the request counts. */
    private record Asked(long round, long index, int peer, long number, List<Long> tokens) {}

    /** @param ballot whose leader named the index; {@link Ballot#NONE} if it was read from rings */
    private record Indexed(long index, Ballot ballot, List<Long> tokens) {}

    private static final int NOBODY = 0;

    private final DiskState state;
    private List<Long> waiting = new ArrayList<>();

    /** Leader. */
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();

    /** Known up to where they wait. */
    private final ArrayDeque<Indexed> indexed = new ArrayDeque<>();

    /** Follower: what the leader of a ballot was asked for. */
    private List<Long> requested = List.of();

    private Ballot requestBallot = Ballot.NONE;
    private long number;

    /** Without a link: what the rings are read for. */
    private List<Long> scanned = List.of();

    private Scan scan;

    Reads(DiskState state) {
        this.state = state;
    }

    void onReadBarrier(long token) {
        waiting.add(token);
    }

    void onRequest(int from, ReadIndexRequest m, Leadership leadership) {
        if (leadership != null && leadership.ballot().equals(m.ballot())) {
            asked.add(new Asked(++state.round, leadership.readIndex(), from, m.number(), List.of()));
        }
    }

    void onReadIndex(ReadIndex m) {
        if (m.number() == number && m.ballot().equals(requestBallot) && !requested.isEmpty()) {
            indexed.add(new Indexed(m.index(), requestBallot, requested));
            requested = List.of();
        }
    }

    /**
     * A link is new. What was asked over the last one is asked again, and what the other asked is not answered: it may
     * have started again since, and number another request like that one.
     */
    void linked(int peer) {
        asked.removeIf(each -> each.peer() == peer);
        if (requestBallot.replica() == peer) {
            waiting.addAll(requested);
            requested = List.of();
        }
    }

    /**
     * Asks for what waits; leads, hears a leader, or does neither.
     *
     * @param ballot in which this server or the other one leads
     */
    void ask(Leadership leadership, boolean hearsLeader, Ballot ballot) {
        boolean isLost = !requested.isEmpty() && (!hearsLeader || !requestBallot.equals(ballot));
        if (isLost || leadership != null) {
            waiting.addAll(requested);
            requested = List.of();
        }
        if (hearsLeader || leadership != null) {
            askAgainWhoseLeaderIsGone(ballot);
        }
        if (leadership != null && !waiting.isEmpty()) {
            asked.add(new Asked(++state.round, leadership.readIndex(), NOBODY, 0, waiting));
            waiting = new ArrayList<>();
        } else if (hearsLeader && !waiting.isEmpty() && requested.isEmpty()) {
            requested = waiting;
            waiting = new ArrayList<>();
            requestBallot = ballot;
            state.effects.send(requestBallot.replica(), new ReadIndexRequest(requestBallot, ++number));
        } else if (!waiting.isEmpty() && leadership == null && !hearsLeader) {
            readRings();
        }
    }

    /** What a leader of an earlier ballot had under way may never be decided; the present one names what is. */
    private void askAgainWhoseLeaderIsGone(Ballot ballot) {
        indexed.removeIf(each -> {
            boolean isOfAnother = !each.ballot().equals(ballot);
            if (isOfAnother) {
                waiting.addAll(each.tokens());
            }
            return isOfAnother;
        });
    }

    private void readRings() {
        if (scan == null && state.ring != null && state.readyDisks() >= state.majority()) {
            scanned = waiting;
            waiting = new ArrayList<>();
            // Nothing is kept of the values: only how far they reach.
            scan = new Scan(state, Long.MAX_VALUE, Long.MAX_VALUE, 0);
        }
    }

    /** Goes on with everything. */
    void step(Leadership leadership) {
        for (Disk disk : state.disks) {
            if (scan != null) {
                scan.begin(disk);
            }
        }
        if (scan != null && scan.isComplete()) {
            indexed.add(new Indexed(Math.max(state.known, scan.last()), Ballot.NONE, scanned));
            scan = null;
            scanned = List.of();
        }
        while (leadership != null && !asked.isEmpty() && asked.peek().round() <= leadership.confirmedRound()) {
            Asked next = asked.remove();
            if (next.peer() == NOBODY) {
                indexed.add(new Indexed(next.index(), leadership.ballot(), next.tokens()));
            } else {
                state.effects.send(next.peer(), new ReadIndex(leadership.ballot(), next.number(), next.index()));
            }
        }
        indexed.removeIf(each -> {
            boolean isReached = each.index() <= state.decided;
            if (isReached) {
                each.tokens().forEach(state.effects::barrierReached);
            }
            return isReached;
        });
    }

    /** This server leads no more, perhaps for a while: its own reads ask anew. */
    void leadershipPaused() {
        asked.forEach(each -> waiting.addAll(each.tokens()));
        asked.removeIf(each -> each.peer() == NOBODY);
    }

    /** Others ask the next leader by themselves, for its ballot is another one. */
    void leadershipEnded() {
        leadershipPaused();
        asked.clear();
    }

    void failed(Disk disk) {
        if (scan != null) {
            scan.failed(disk);
        }
    }

    int waiting() {
        int count = waiting.size() + requested.size() + scanned.size();
        for (Indexed each : indexed) {
            count += each.tokens().size();
        }
        return count;
    }
}
