package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.SimulatedReplica;
import java.util.List;
import java.util.SplittableRandom;

/** From which of its checkpoints a replica starts. */
final class CheckpointChoice {
    private CheckpointChoice() {}

    /**
     * The newest, or, as when its file is damaged, an older one. An earlier start from a checkpoint ahead of the log
     * may have left a hole in the log. Protocols recover from a checkpoint before that, if others still know what it
     * holds.
     */
    static Checkpoint of(Machine machine, List<Machine> machines, SplittableRandom random) {
        SimulatedReplica replica = machine.replica;
        List<Checkpoint> checkpoints = replica.checkpoints();
        Checkpoint newest = checkpoints.get(checkpoints.size() - 1);
        Checkpoint older = checkpoints.get(random.nextInt(checkpoints.size()));
        boolean hasHole = !replica.log().hasNoHoleFrom(older.position() + 1);
        boolean othersKnow = machines.stream().anyMatch(other -> other.replica.hasExecuted(newest.position()));
        boolean recoverable = !hasHole || othersKnow;
        if (random.nextInt(4) != 0 || !recoverable) {
            return newest;
        }
        if (hasHole) {
            machine.decidedPosition = 0;
        }
        replica.startsFrom(older);
        return older;
    }
}
