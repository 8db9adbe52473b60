package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Brings about the state that a scope begins with, by steps like any other. */
final class Beginning {
    private static final int MAX_ELECTION_ROUNDS = 50;

    /** The last replica's positions in the first epoch of ISS but for the very last one, which is not for commands. */
    private static final int FIRST_EPOCH_WRITES = 15;

    /** Of those that decide without 1 and 2. */
    private static final int FIRST_OF_MAJORITY = 3;

    private final Scope scope;
    private final Steps steps;
    private final EnsembleState state;

    Beginning(Scope scope, Steps steps) {
        this.scope = scope;
        this.steps = steps;
        this.state = new EnsembleState(scope.replicas(), steps.sharedDisks());
    }

    /** The state; to be called once. */
    EnsembleState state() {
        if (steps.sharedDisks() > 0) {
            new SharedDiskBeginning(scope, steps, state).run();
            return state;
        }
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
            case DEPOSED -> {
                electFirst();
                depose();
                for (int id = 2; id <= state.replicas; id++) {
                    Steps.connect(state, 1, id);
                }
            }
            case DEPOSED_AT_LAST -> {
                electFirst();
                depose();
                Steps.connect(state, 1, state.replicas);
            }
            case BEHIND -> {
                electFirst();
                leaveBehind();
                for (int id = 2; id <= state.replicas; id++) {
                    Steps.connect(state, 1, id);
                }
            }
            case BEHIND_AND_DEPOSED -> {
                electFirst();
                leaveBehind();
                Steps.connect(state, 1, 2);
                for (int id = FIRST_OF_MAJORITY; id <= state.replicas; id++) {
                    Steps.connect(state, 2, id);
                }
            }
            case SPLIT -> {
                electFirst();
                split();
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
            case DEPOSED, DEPOSED_AT_LAST -> id <= 2 ? 1 : 0;
            case BEHIND, BEHIND_AND_DEPOSED -> id == 1 || id == FIRST_OF_MAJORITY ? 1 : 0;
            default -> SharedDiskBeginning.writes(scope.start(), id);
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
        return haveOneLeader(Scope.ids(scope.participants()));
    }

    private boolean haveOneLeader(List<Integer> ids) {
        int leader = OrderingStatus.NO_LEADER;
        for (int id : ids) {
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
        steps.stop(state, last, 0);
        steps.deliverAll(state);
        write(1);
        for (int round = 0; round < MAX_ELECTION_ROUNDS && steps.local(state, 1).openWrites() > 0; round++) {
            steps.pass(state);
        }
        for (int id = 1; id < last; id++) {
            steps.react(state, id, LocalInput.CHECKPOINT);
            steps.stop(state, id, 0);
            steps.restart(state, id);
            steps.deliverAll(state);
        }
        electFirst();
    }

    /** Replica 1 is cut off with a write of its own, and the others decide one of theirs without it. */
    private void depose() {
        for (int id = 2; id <= state.replicas; id++) {
            steps.cut(state, 1, id);
        }
        steps.deliverAll(state);
        write(1);
        steps.deliverAll(state);
        decideWithout(1, 2);
    }

    private void leaveBehind() {
        for (int id = 2; id <= state.replicas; id++) {
            steps.cut(state, 1, id);
        }
        cutSecondOff();
        steps.deliverAll(state);
        write(1);
        steps.deliverAll(state);
        decideWithout(2, FIRST_OF_MAJORITY);
        for (int id = FIRST_OF_MAJORITY; id <= state.replicas; id++) {
            steps.react(state, id, LocalInput.CHECKPOINT);
            steps.stop(state, id, 0);
            steps.restart(state, id);
            steps.cut(state, 1, id);
            steps.cut(state, 2, id);
            steps.deliverAll(state);
        }
        passUntil(FIRST_OF_MAJORITY, () -> haveOneLeader(idsFrom(FIRST_OF_MAJORITY)));
    }

    private void split() {
        for (int id = FIRST_OF_MAJORITY + 1; id <= state.replicas; id++) {
            steps.cut(state, 1, id);
            steps.cut(state, 2, id);
        }
        steps.deliverAll(state);
    }

    private void cutSecondOff() {
        for (int id = FIRST_OF_MAJORITY; id <= state.replicas; id++) {
            steps.cut(state, 2, id);
        }
    }

    /** @param left those up to this id do not take part, and time does not pass there */
    private void decideWithout(int left, int writer) {
        write(writer);
        deliverAllButToSlowDisk();
        passUntil(left + 1, () -> steps.local(state, writer).openWrites() == 0);
    }

    private void passUntil(int firstId, BooleanSupplier reached) {
        for (int round = 0; round < MAX_ELECTION_ROUNDS && !reached.getAsBoolean(); round++) {
            for (int id = firstId; id <= state.replicas; id++) {
                steps.react(state, id, Steps.ONE_TICK);
            }
            deliverAllButToSlowDisk();
        }
        InvariantViolated.check(
                reached.getAsBoolean(), "%s does not come about in %d ticks", scope.start(), MAX_ELECTION_ROUNDS);
    }

    private void deliverAllButToSlowDisk() {
        steps.deliverAll(state, scope.start() == Scope.Start.DEPOSED_AT_LAST ? state.replicas : 0);
    }

    private List<Integer> idsFrom(int first) {
        return IntStream.rangeClosed(first, state.replicas).boxed().toList();
    }
}
