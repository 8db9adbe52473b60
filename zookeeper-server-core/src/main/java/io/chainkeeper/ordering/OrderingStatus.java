package io.chainkeeper.ordering;

/**
 * A replica's view of the order, for operators and for the server above.
 *
 * @param role what this replica is at the moment
 * @param leader replica id of the leader it follows, or {@link #NO_LEADER}
 * @param epoch a number that grows with every change of leader (the round of the ballot)
 */
public record OrderingStatus(Role role, int leader, long epoch) {
    /** No leader is known. */
    public static final int NO_LEADER = -1;

    /** What a replica can be. Words of ZooKeeper's monitoring where they exist. */
    public enum Role {
        /** Follows no leader: nothing can be ordered, no linearizable read answered. */
        LOOKING,
        /** Learns what is decided and answers reads, but does not vote: an observer, or a member to be. */
        OBSERVER,
        /** Accepts what the leader proposes. */
        FOLLOWER,
        /** Proposes. */
        LEADER
    }
}
