package io.chainkeeper.ordering;

/**
 * A voting member: a replica together with the disk that remembers its promises. A server that has lost its disk and
 * comes back under the same id is another member; until the order has admitted it, it promises and accepts nothing.
 *
 * @param replicaId 1 to 255
 * @param disk number of the acceptor log, or {@link #UNBOUND}
 */
public record Member(int replicaId, long disk) {
    /** Any disk that has taken part since the cluster was founded: members that were not heard of yet. */
    public static final long UNBOUND = 0;

    /** Checks the range. */
    public Member {
        InvariantViolated.check(
                replicaId >= 1 && replicaId <= Membership.MAX_REPLICA_ID, "replica id %d is out of range", replicaId);
    }

    @Override
    public String toString() {
        return disk == UNBOUND ? Integer.toString(replicaId) : replicaId + "@" + disk;
    }
}
