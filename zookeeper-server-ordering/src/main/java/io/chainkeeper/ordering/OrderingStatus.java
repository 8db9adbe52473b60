package io.chainkeeper.ordering;

/**
 * A replica's view of the order, for operators and for the server above.
 *
 * @param role what this replica is at the moment
 * @param leader replica id of the leader it follows, or {@link #NO_LEADER}
 * @param epoch a number that grows with every change of leader (the round of the ballot)
 * @param silentMillis how long the leader, or at the leader a quorum, had already been silent when this replica became
 *     {@link Role#LOOKING}, by its own ticks; 0 if it follows or leads, or never has
 */
public record OrderingStatus(Role role, int leader, long epoch, long silentMillis) {
    /** No leader is known. */
    public static final int NO_LEADER = -1;

    /** Of a replica that nobody has been silent to. Parameters as above. */
    public OrderingStatus(Role role, int leader, long epoch) {
        this(role, leader, epoch, 0);
    }

    /** Role and leader, which is what a trace is read for. */
    @Override
    public String toString() {
        return "OrderingStatus[role=" + role + ", leader=" + leader + ", epoch=" + epoch + "]";
    }

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
