package io.chainkeeper.chain;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import java.util.Arrays;

/**
 * The order of the chain: the leader, the other members, members that are about to leave, and replicas that only learn.
 * Computed anew when membership, ensemble or leader have changed.
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
        int members = latest.members().size();
        int first = latest.indexOf(leader) + 1;
        for (int i = 0; i < members; i++) {
            count = place(
                    order, count, latest.members().get((first + i) % members).replicaId());
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

    private int place(int[] order, int count, int id) {
        if (positions[id] >= 0) {
            return count;
        }
        positions[id] = count;
        order[count] = id;
        return count + 1;
    }
}
