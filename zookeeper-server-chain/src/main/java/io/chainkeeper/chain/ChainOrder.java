package io.chainkeeper.chain;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The order of the chain: the leader, the other members zone by zone, members that are about to leave, and replicas
 * that only learn. Computed anew when membership, ensemble or leader have changed.
 *
 * <p>Each replica computes it for itself and may come to another order than others, by another setting or an older
 * membership: it decides whom a replica asks for values, and nothing else (docs/chain.md).
 */
final class ChainOrder {
    private final ReplicaState state;
    private int[] replicas = {};
    private final int[] positions = new int[ReplicaState.IDS];

    /** What {@link #replicas} was computed for. */
    private Membership latest;

    private Membership inForce;
    private Ensemble ensemble;
    private int leader;

    ChainOrder(ReplicaState state) {
        this.state = state;
    }

    /** Ids of all replicas from the head on. */
    int[] replicas() {
        boolean sameMembers = latest == state.memberships.latest() && inForce == state.membership();
        if (!sameMembers || ensemble != state.ensemble || leader != state.leader) {
            compute();
        }
        return replicas;
    }

    /** Place of a replica, 0 is the head; -1 if it has none. */
    int position(int id) {
        replicas();
        return positions[id];
    }

    private void compute() {
        latest = state.memberships.latest();
        inForce = state.membership();
        ensemble = state.ensemble;
        leader = state.leader;
        int[] order = new int[ReplicaState.IDS];
        Arrays.fill(positions, -1);
        int count = 0;
        if (leader != 0) {
            count = place(order, count, leader);
        }
        for (int id : membersByZone()) {
            count = place(order, count, id);
        }
        // Members that leave are needed until that is decided.
        for (int id : inForce.replicaIds()) {
            count = place(order, count, id);
        }
        for (int id : ensemble.participants()) {
            count = place(order, count, id);
        }
        for (int id : ensemble.observers()) {
            count = place(order, count, id);
        }
        count = place(order, count, state.self);
        replicas = Arrays.copyOf(order, count);
    }

    /** Those of a zone stay in the order of the membership, from behind the leader on. */
    private int[] membersByZone() {
        List<Member> members = latest.members();
        int first = latest.indexOf(leader) + 1;
        return IntStream.range(0, members.size())
                .map(i -> members.get((first + i) % members.size()).replicaId())
                .boxed()
                .sorted(Comparator.comparingInt(id -> state.settings.zones().place(id, leader)))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private int place(int[] order, int count, int id) {
        if (positions[id] >= 0) {
            return count;
        }
        positions[id] = count;
        order[count] = id;
        return count + 1;
    }
}
