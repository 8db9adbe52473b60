package io.chainkeeper.chain;

import java.util.Arrays;

/**
 * What a replica knows about the progress of the members in one ballot: the acknowledgement vector, the decided
 * watermark and the current read round. All of this only grows within a ballot and merges by maximum, so repeats and
 * reordering between neighbours are harmless.
 *
 * <p>Entries are keyed by replica id and appear when there is something to say about a replica, so that replicas with
 * different views of the membership understand each other.
 */
final class Progress {
    private static final long[] NONE = {};

    /** Replica ids of the entries, ascending. */
    private int[] ids = {};
    /** Per entry: every instance up to here is durably accepted in this ballot, or was decided before it began. */
    private long[] acks = NONE;
    /** Per entry: the highest read round that the replica has seen while its promise was this ballot. */
    private long[] rounds = NONE;
    /** Per entry: the newest read request that the current round answers. */
    private long[] readRequests = NONE;

    private long maxDecided;
    private long round;
    private long roundBase;
    private long readIndex;
    private long confirmedRound;

    Progress copy() {
        Progress copy = new Progress();
        copy.ids = ids;
        copy.acks = acks.clone();
        copy.rounds = rounds.clone();
        copy.readRequests = readRequests.clone();
        copy.maxDecided = maxDecided;
        copy.round = round;
        copy.roundBase = roundBase;
        copy.readIndex = readIndex;
        copy.confirmedRound = confirmedRound;
        return copy;
    }

    /**
     * Takes over what the other progress, which must be of the same ballot, has higher. Nobody knows better than this
     * replica what it has acknowledged itself.
     */
    void merge(Progress other, int selfId) {
        for (int i = 0; i < other.ids.length; i++) {
            if (other.ids[i] != selfId) {
                int own = entry(other.ids[i]);
                acks[own] = Math.max(acks[own], other.acks[i]);
                rounds[own] = Math.max(rounds[own], other.rounds[i]);
            }
        }
        maxDecided = Math.max(maxDecided, other.maxDecided);
        confirmedRound = Math.max(confirmedRound, other.confirmedRound);
        if (other.round > round) {
            beginRound(other.round, other.roundBase, other.readIndex);
            for (int i = 0; i < other.ids.length; i++) {
                answerReadRequest(other.ids[i], other.readRequests[i]);
            }
        }
    }

    /**
     * Enters a read round. {@link #answerReadRequest} says which requests the round answers.
     *
     * @param number ascending
     * @param base everything below it was decided when the round began
     * @param readIndex all that the leader had proposed when the round began is at most this
     */
    void beginRound(long number, long base, long readIndex) {
        round = number;
        roundBase = base;
        this.readIndex = readIndex;
    }

    /** The current round answers the read requests of a replica up to this one. */
    void answerReadRequest(int id, long request) {
        int at = entry(id);
        readRequests[at] = request;
    }

    private int find(int id) {
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] == id) {
                return i;
            }
        }
        return -1;
    }

    private int entry(int id) {
        int found = find(id);
        if (found >= 0) {
            return found;
        }
        int at = 0;
        while (at < ids.length && ids[at] < id) {
            at++;
        }
        int[] moreIds = new int[ids.length + 1];
        System.arraycopy(ids, 0, moreIds, 0, at);
        System.arraycopy(ids, at, moreIds, at + 1, ids.length - at);
        moreIds[at] = id;
        ids = moreIds;
        acks = insert(acks, at);
        rounds = insert(rounds, at);
        readRequests = insert(readRequests, at);
        return at;
    }

    private static long[] insert(long[] values, int at) {
        long[] more = new long[values.length + 1];
        System.arraycopy(values, 0, more, 0, at);
        System.arraycopy(values, at, more, at + 1, values.length - at);
        return more;
    }

    /** Number of entries. */
    int size() {
        return ids.length;
    }

    /** Replica id of an entry. */
    int id(int entry) {
        return ids[entry];
    }

    long ack(int id) {
        int found = find(id);
        return found < 0 ? 0 : acks[found];
    }

    void raiseAck(int id, long instance) {
        int at = entry(id);
        acks[at] = Math.max(acks[at], instance);
    }

    long roundSeen(int id) {
        int found = find(id);
        return found < 0 ? 0 : rounds[found];
    }

    void raiseRoundSeen(int id, long number) {
        int at = entry(id);
        rounds[at] = Math.max(rounds[at], number);
    }

    long readRequest(int id) {
        int found = find(id);
        return found < 0 ? 0 : readRequests[found];
    }

    long maxDecided() {
        return maxDecided;
    }

    void raiseMaxDecided(long instance) {
        maxDecided = Math.max(maxDecided, instance);
    }

    long round() {
        return round;
    }

    long roundBase() {
        return roundBase;
    }

    long readIndex() {
        return readIndex;
    }

    long confirmedRound() {
        return confirmedRound;
    }

    void raiseConfirmedRound(long number) {
        confirmedRound = Math.max(confirmedRound, number);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Progress that
                && Arrays.equals(ids, that.ids)
                && Arrays.equals(acks, that.acks)
                && Arrays.equals(rounds, that.rounds)
                && Arrays.equals(readRequests, that.readRequests)
                && maxDecided == that.maxDecided
                && round == that.round
                && roundBase == that.roundBase
                && readIndex == that.readIndex
                && confirmedRound == that.confirmedRound;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(acks) * 31 + Long.hashCode(maxDecided * 31 + round);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("maxDecided=").append(maxDecided);
        text.append(", round=").append(round).append('/').append(readIndex);
        for (int i = 0; i < ids.length; i++) {
            text.append(", ").append(ids[i]).append(":ack=").append(acks[i]);
            text.append(" round=").append(rounds[i]).append(" request=").append(readRequests[i]);
        }
        return text.toString();
    }
}
