package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus;

/** Brings about the state that a scope begins with, by steps like any other. */
final class Beginning {
    private static final int MAX_ELECTION_ROUNDS = 50;

    /** The last replica's positions in the first epoch of ISS but for the very last one, which is not for commands. */
    private static final int FIRST_EPOCH_WRITES = 15;

    private final Scope scope;
    private final Steps steps;
    private final EnsembleState state;

    Beginning(Scope scope, Steps steps) {
        this.scope = scope;
        this.steps = steps;
        this.state = new EnsembleState(scope.replicas());
    }

    /** The state; to be called once. */
    EnsembleState state() {
        for (int id = 1; id <= state.replicas; id++) {
            steps.restart(state, id);
        }
        steps.deliverAll(state);
        switch (scope.start()) {
            case LED -> electFirst();
            case SHORT_EPOCH -> {
                electFirst();
                useUpFirstEpoch();
            }
            case TRUNCATED -> {
                electFirst();
                truncateWithoutLast();
            }
            default -> {
                // Everybody has just started.
            }
        }
        return state;
    }

    /** How many writes of a replica belong to what a scope begins with. */
    static int writes(Scope scope, int id) {
        return switch (scope.start()) {
            case SHORT_EPOCH -> id == scope.replicas() ? FIRST_EPOCH_WRITES : 0;
            case TRUNCATED -> id == 1 ? 1 : 0;
            default -> 0;
        };
    }

    private void write(int id) {
        state.writes[id]++;
        steps.react(state, id, LocalInput.PROPOSE);
    }

    private void electFirst() {
        for (int round = 0; round < MAX_ELECTION_ROUNDS; round++) {
            steps.react(state, 1, Steps.ONE_TICK);
            steps.deliverAll(state);
            if (isLed()) {
                return;
            }
        }
        throw new InvariantViolated("nobody leads after " + MAX_ELECTION_ROUNDS + " ticks, with every frame delivered");
    }

    /** Whether all that run have one leader. */
    private boolean isLed() {
        int leader = OrderingStatus.NO_LEADER;
        for (int id : Scope.ids(scope.participants())) {
            ReplicaStates.LocalState local = steps.local(state, id);
            if (local.isRunning()) {
                boolean agree = leader == OrderingStatus.NO_LEADER
                        || leader == local.status().leader();
                leader = local.status().leader();
                if (!agree || leader == OrderingStatus.NO_LEADER) {
                    return false;
                }
            }
        }
        return true;
    }

    private void useUpFirstEpoch() {
        for (int i = 0; i < FIRST_EPOCH_WRITES; i++) {
            write(state.replicas);
            steps.deliverAll(state);
        }
        steps.pass(state);
        for (int id = 1; id <= state.replicas; id++) {
            steps.react(state, id, LocalInput.CHECKPOINT);
        }
        steps.pass(state);
    }

    private void truncateWithoutLast() {
        int last = state.replicas;
        steps.stop(state, last);
        steps.deliverAll(state);
        write(1);
        for (int round = 0; round < MAX_ELECTION_ROUNDS && steps.local(state, 1).openWrites() > 0; round++) {
            steps.pass(state);
        }
        for (int id = 1; id < last; id++) {
            steps.react(state, id, LocalInput.CHECKPOINT);
            steps.stop(state, id);
            steps.restart(state, id);
            steps.deliverAll(state);
        }
        electFirst();
    }
}
