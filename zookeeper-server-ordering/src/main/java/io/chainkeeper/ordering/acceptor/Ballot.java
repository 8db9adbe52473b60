package io.chainkeeper.ordering.acceptor;

import java.nio.ByteBuffer;

/**
 * A ballot number: ordered by round, then by the id of the replica that leads it.
 *
 * @param round from 1; 0 only in {@link #NONE}
 * @param replica id of the replica that prepared it
 */
public record Ballot(long round, int replica) implements Comparable<Ballot> {
    /** Length of an encoded ballot. */
    public static final int BYTES = Long.BYTES + Integer.BYTES;

    /** Lower than every ballot. */
    public static final Ballot NONE = new Ballot(0, 0);

    /** No round is higher; a candidate can always stand with the next one, since nobody gets near it. */
    public static final long MAX_ROUND = 1L << 62;

    /** More rounds than elections ever take place. */
    private static final long ROUNDS_OF_ELECTIONS = 1L << 40;

    private static final long MAX_STEP_BEYOND = 1L << 20;

    private static final long MAX_ROUND_FOR_BLANK = 1L << 48;

    /**
     * Whether a replica may take notice of this ballot. Elections raise the round by one. No single message, of a
     * defect or a stranger, takes the rounds to where they end. And a message that raises them far leaves them where
     * replicas that have missed the message, or know of no ballot yet, still follow.
     *
     * @param seen the highest round that the replica knows of
     * @param isBlank whether it has neither promised nor accepted anything
     * @return false if no election can have led there
     */
    public boolean isWithinReach(long seen, boolean isBlank) {
        long reach = isBlank ? MAX_ROUND_FOR_BLANK : Math.max(ROUNDS_OF_ELECTIONS, seen + MAX_STEP_BEYOND);
        return round <= Math.min(reach, MAX_ROUND);
    }

    /**
     * @param out with room for {@link #BYTES}, where this ballot is to be written
     * @return the buffer
     */
    public ByteBuffer put(ByteBuffer out) {
        return out.putLong(round).putInt(replica);
    }

    /**
     * @param in where a ballot stands that {@link #put} has written
     * @return the ballot
     */
    public static Ballot get(ByteBuffer in) {
        return new Ballot(in.getLong(), in.getInt());
    }

    @Override
    public int compareTo(Ballot other) {
        int byRound = Long.compare(round, other.round);
        return byRound != 0 ? byRound : Integer.compare(replica, other.replica);
    }

    /**
     * @param other another ballot
     * @return whether this one is lower
     */
    public boolean lessThan(Ballot other) {
        return compareTo(other) < 0;
    }

    @Override
    public String toString() {
        return round + "." + replica;
    }
}
