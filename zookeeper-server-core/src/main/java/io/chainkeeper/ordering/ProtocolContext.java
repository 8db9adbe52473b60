package io.chainkeeper.ordering;

import java.util.List;
import java.util.Map;

/**
 * Who a protocol instance is.
 *
 * @param replicaId this replica's id (ZooKeeper's myid), one of the members
 * @param incarnation number of this start: larger than that of every earlier start of this replica, already durable
 * @param members ids of the voting members, ascending, without duplicates
 * @param settings the protocol's own zoo.cfg keys, already checked
 * @param random the only source of chance
 * @param tickMillis length of a tick, for settings given in milliseconds
 */
public record ProtocolContext(
        int replicaId,
        long incarnation,
        List<Integer> members,
        Map<String, String> settings,
        RandomSource random,
        int tickMillis) {
    /** Checks that the replica is a member and that members are sorted. */
    public ProtocolContext {
        InvariantViolated.check(
                members.contains(replicaId), "replica %d is not among the members %s", replicaId, members);
        for (int i = 1; i < members.size(); i++) {
            InvariantViolated.check(members.get(i - 1) < members.get(i), "members %s are not ascending", members);
        }
        members = List.copyOf(members);
        settings = Map.copyOf(settings);
    }

    /** Chance, injected so that the simulator can replay it. */
    @FunctionalInterface
    public interface RandomSource {
        /**
         * @param bound exclusive upper bound, positive
         * @return uniformly 0 to bound - 1
         */
        int nextInt(int bound);
    }
}
