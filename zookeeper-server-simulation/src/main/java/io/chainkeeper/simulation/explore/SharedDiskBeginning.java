package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.List;
import java.util.function.BooleanSupplier;

/** As {@link Beginning}, of a protocol whose replicas share disks. */
final class SharedDiskBeginning {
    private static final int MAX_ROUNDS = 50;

    /** Each takes a quarter of a ring, nearly: after so many the next one begins the ring anew. */
    private static final int WRITES_PER_RING = 4;

    /** Where both take the checkpoint of what is freed later. */
    private static final int FREED_WRITES = 2;

    private final Scope scope;
    private final Steps steps;
    private final EnsembleState state;

    SharedDiskBeginning(Scope scope, Steps steps, EnsembleState state) {
        this.scope = scope;
        this.steps = steps;
        this.state = state;
    }

    /** Brings the state about. */
    void run() {
        if (scope.start() == Scope.Start.COLD) {
            for (int id = 1; id <= state.replicas; id++) {
                steps.restart(state, id);
            }
            return;
        }
        for (int id = 1; id <= state.replicas; id++) {
            steps.restart(state, id);
            passUntil(id, () -> isRole(1, Role.LEADER));
        }
        for (int id = 2; id <= state.replicas; id++) {
            int follower = id;
            passUntil(1, () -> isRole(follower, Role.FOLLOWER));
            // What was decided before it was there it reads.
            passUntil(
                    follower,
                    () -> steps.local(state, follower).delivered()
                            == steps.local(state, 1).delivered());
        }
        switch (scope.start()) {
            case LED -> {
                // All is as it should be.
            }
            case APART -> cutLinks();
            case OVERTAKEN -> overtake();
            case ROUND -> fillRings();
            default -> throw new IllegalArgumentException("with shared disks a scope cannot start as " + scope.start());
        }
    }

    /** How many writes of a replica belong to what a scope begins with. */
    static int writes(Scope.Start start, int id) {
        return switch (start) {
            case OVERTAKEN -> 1;
            case ROUND -> id == 1 ? WRITES_PER_RING : 0;
            default -> 0;
        };
    }

    private boolean isRole(int id, Role role) {
        return steps.local(state, id).isRunning()
                && steps.local(state, id).status().role() == role;
    }

    private void passUntil(int id, BooleanSupplier reached) {
        steps.deliverAll(state);
        for (int round = 0; round < MAX_ROUNDS && !reached.getAsBoolean(); round++) {
            tick(id);
            steps.deliverAll(state);
        }
        InvariantViolated.check(
                reached.getAsBoolean(), "%s does not come about in %d ticks", scope.start(), MAX_ROUNDS);
    }

    private void tick(int id) {
        steps.react(state, id, Steps.ONE_TICK);
    }

    private void cutLinks() {
        for (int a = 1; a <= state.replicas; a++) {
            for (int b = a + 1; b <= state.replicas; b++) {
                steps.cut(state, a, b);
            }
        }
        steps.deliverAll(state);
    }

    private void write(int id) {
        state.writes[id]++;
        steps.react(state, id, LocalInput.PROPOSE);
    }

    private void overtake() {
        cutLinks();
        write(1);
        steps.disks().answerAll(state, 1, 1);
        List<Integer> others = List.of(2, 3);
        for (int round = 0; round < MAX_ROUNDS && !isRole(2, Role.LEADER); round++) {
            tick(2);
            others.forEach(disk -> steps.disks().answerAll(state, 2, disk));
        }
        write(2);
        others.forEach(disk -> steps.disks().answerAll(state, 2, disk));
        InvariantViolated.check(
                steps.local(state, 2).openWrites() == 0, "replica 2 does not decide on two of three disks");
        steps.deliverAll(state);
    }

    private void fillRings() {
        writeUpTo(FREED_WRITES);
        for (int id = 1; id <= 2; id++) {
            steps.react(state, id, LocalInput.CHECKPOINT);
        }
        // The follower's header tells of its checkpoint; the leader's next read finds that.
        tick(2);
        steps.deliverAll(state);
        cutLinks();
        writeUpTo(WRITES_PER_RING);
    }

    private void writeUpTo(int count) {
        while (state.writes[1] < count) {
            write(1);
            steps.deliverAll(state);
        }
    }
}
