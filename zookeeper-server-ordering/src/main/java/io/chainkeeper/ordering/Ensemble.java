package io.chainkeeper.ordering;

import java.util.List;

/**
 * The configured ensemble: who is meant to take part ({@code server.N} lines, {@code /zookeeper/config}). What the
 * order makes of it is the {@link Membership}: the leader admits participants once they have caught up and removes
 * members that are no participants any more. Only configured replicas are given values.
 *
 * @param participants ids of replicas that are to vote, ascending
 * @param observers ids of replicas that learn and serve but never vote, ascending; none of them a participant
 */
public record Ensemble(List<Integer> participants, List<Integer> observers) {
    /** Sorts, and checks that nobody is both. */
    public Ensemble {
        participants = participants.stream().distinct().sorted().toList();
        observers = observers.stream().distinct().sorted().toList();
        for (int observer : observers) {
            InvariantViolated.check(
                    !participants.contains(observer), "replica %d is both participant and observer", observer);
        }
    }

    /**
     * @param participants ids of replicas that are to vote
     * @return an ensemble without observers
     */
    public static Ensemble of(List<Integer> participants) {
        return new Ensemble(participants, List.of());
    }

    /**
     * @param replicaId a replica
     * @return whether it is configured at all
     */
    public boolean contains(int replicaId) {
        return participants.contains(replicaId) || observers.contains(replicaId);
    }
}
