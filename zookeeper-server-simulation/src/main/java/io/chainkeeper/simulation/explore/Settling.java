package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.explore.ReplicaStates.LocalState;
import java.util.List;

/** What follows when there are no more faults. */
final class Settling {
    private static final int MAX_TICKS = 100;

    private final Steps steps;
    private final EnsembleState state;

    Settling(Steps steps, EnsembleState state) {
        this.steps = steps;
        this.state = state;
    }

    void settle() {
        for (int id = 1; id <= state.replicas; id++) {
            if (!steps.local(state, id).isRunning()) {
                steps.restart(state, id);
            }
            if (steps.scope().changes() && !steps.local(state, id).knowsChange()) {
                steps.react(state, id, LocalInput.ENSEMBLE);
            }
        }
        connectAll();
        steps.deliverAll(state);
        for (int round = 0; round < MAX_TICKS && !unsettled().isEmpty(); round++) {
            PossibleChoices choices = new PossibleChoices(steps, state);
            for (int id = 1; id <= state.replicas; id++) {
                if (choices.canGetState(id)) {
                    steps.installAtOnce(state, id);
                }
            }
            steps.pass(state);
        }
        InvariantViolated.check(
                unsettled().isEmpty(), "liveness: %d ticks without faults, and still %s", MAX_TICKS, unsettled());
    }

    private void connectAll() {
        for (int a = 1; a <= state.replicas; a++) {
            for (int b = a + 1; b <= state.replicas; b++) {
                if (!isLinked(a, b) && !isLinked(b, a)) {
                    Steps.connect(state, a, b);
                }
            }
        }
    }

    private boolean isLinked(int from, int to) {
        return steps.local(state, to).isLinkUp(from) || state.hasNews(from, to);
    }

    private String unsettled() {
        int length = steps.orders().length(state.order);
        List<Integer> members =
                steps.orders().membership(state.order, length + 1).replicaIds();
        List<Integer> meant = steps.meant();
        if (members.size() != meant.size() || !members.containsAll(meant)) {
            return "the members are " + members + " and not " + meant;
        }
        for (int id : meant) {
            LocalState local = steps.local(state, id);
            if (local.openWrites() > 0) {
                return "replica " + id + " owes answers to writes";
            }
            if (local.delivered() < length) {
                return "replica " + id + " knows the order only up to " + local.delivered();
            }
        }
        for (int id : meant) {
            if (state.hasOpenRead(id)) {
                return "replica " + id + " owes answers to reads";
            }
        }
        return "";
    }
}
