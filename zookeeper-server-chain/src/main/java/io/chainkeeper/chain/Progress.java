package io.chainkeeper.chain;

import java.util.Arrays;

/**
 * What a replica knows about the progress of all members in one ballot: the acknowledgement vector, the decided
 * watermark and the current read round. Everything in it only grows within a ballot and merges by maximum, so repeats
 * and reordering between neighbours are harmless.
 *
 * <p>Members are addressed by index into the ascending list of member ids.
 */
final class Progress {
    /** Per member: every instance up to here is durably accepted in this ballot, or was decided before it began. */
    private final long[] acks;
    /** Per member: the highest read round that it has seen while its promise was this ballot. */
    private final long[] rounds;
    /** Per member: the newest read nudge that the current round answers. */
    private final long[] nudges;

    private long maxDecided;
    private long round;
    private long roundFloor;
    private long confirmedRound;

    Progress(int memberCount) {
        this(new long[memberCount], new long[memberCount], new long[memberCount]);
    }

    private Progress(long[] acks, long[] rounds, long[] nudges) {
        this.acks = acks;
        this.rounds = rounds;
        this.nudges = nudges;
    }

    Progress copy() {
        Progress copy = new Progress(acks.clone(), rounds.clone(), nudges.clone());
        copy.maxDecided = maxDecided;
        copy.round = round;
        copy.roundFloor = roundFloor;
        copy.confirmedRound = confirmedRound;
        return copy;
    }

    /**
     * Takes over everything that the other knows better. Both must be of the same ballot. Nobody knows better what
     * this replica itself has acknowledged.
     */
    void merge(Progress other, int self) {
        for (int i = 0; i < acks.length; i++) {
            if (i == self) {
                continue;
            }
            acks[i] = Math.max(acks[i], other.acks[i]);
            rounds[i] = Math.max(rounds[i], other.rounds[i]);
        }
        maxDecided = Math.max(maxDecided, other.maxDecided);
        confirmedRound = Math.max(confirmedRound, other.confirmedRound);
        if (other.round > round) {
            beginRound(other.round, other.roundFloor, other.nudges);
        }
    }

    /** Enters a read round: all that the leader had proposed when it began is at most {@code floor}. */
    void beginRound(long number, long floor, long[] answeredNudges) {
        round = number;
        roundFloor = floor;
        System.arraycopy(answeredNudges, 0, nudges, 0, nudges.length);
    }

    /** The highest value that at least {@code quorum} members have reached. */
    static long reachedByQuorum(long[] perMember, int quorum) {
        long[] sorted = perMember.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length - quorum];
    }

    long ackedByQuorum(int quorum) {
        return reachedByQuorum(acks, quorum);
    }

    long roundSeenByQuorum(int quorum) {
        return reachedByQuorum(rounds, quorum);
    }

    int memberCount() {
        return acks.length;
    }

    long ack(int member) {
        return acks[member];
    }

    void raiseAck(int member, long instance) {
        acks[member] = Math.max(acks[member], instance);
    }

    long roundSeen(int member) {
        return rounds[member];
    }

    void raiseRoundSeen(int member, long number) {
        rounds[member] = Math.max(rounds[member], number);
    }

    long nudge(int member) {
        return nudges[member];
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

    long roundFloor() {
        return roundFloor;
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
                && Arrays.equals(acks, that.acks)
                && Arrays.equals(rounds, that.rounds)
                && Arrays.equals(nudges, that.nudges)
                && maxDecided == that.maxDecided
                && round == that.round
                && roundFloor == that.roundFloor
                && confirmedRound == that.confirmedRound;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(acks) * 31 + Long.hashCode(maxDecided * 31 + round);
    }

    @Override
    public String toString() {
        return "acks=" + Arrays.toString(acks).replace(" ", "") + ", maxDecided=" + maxDecided + ", round=" + round
                + "/"
                + roundFloor + ", rounds=" + Arrays.toString(rounds).replace(" ", "") + ", nudges="
                + Arrays.toString(nudges).replace(" ", "");
    }
}
