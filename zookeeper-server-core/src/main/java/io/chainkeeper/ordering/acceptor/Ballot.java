package io.chainkeeper.ordering.acceptor;

/**
 * A ballot number: ordered by round, then by the id of the replica that leads it.
 *
 * @param round from 1; 0 only in {@link #NONE}
 * @param replica id of the replica that prepared it
 */
public record Ballot(long round, int replica) implements Comparable<Ballot> {
    /** Lower than every ballot. */
    public static final Ballot NONE = new Ballot(0, 0);

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
