package io.chainkeeper.simulation.order;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.release.FeatureRange;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What the one order makes of the feature level, beside all replicas: what each server has said last that its release
 * knows, and from which position on which level is in force. It never falls, and it rises only where all servers that a
 * command names have said by then that they know the new one. Checks that every replica executes just these levels.
 */
public final class FeatureEvidence {
    private final LongSupplier position;
    private final Map<Integer, FeatureRange> said = new TreeMap<>();
    private final TreeMap<Long, Integer> levels = new TreeMap<>();

    /** @param position that a command stands at while it is told of */
    public FeatureEvidence(LongSupplier position) {
        this.position = position;
        levels.put(0L, FeatureRange.NO_LEVEL);
    }

    /** A command takes effect. */
    public void ordered(ProposedCommand proposed, Command command) {
        if (command instanceof Command.ReplicaStarted started && started.levels() != null) {
            said.put(proposed.proposer(), started.levels());
        } else if (command instanceof Command.ClusterFormed formed && level() == FeatureRange.NO_LEVEL) {
            levels.put(position.getAsLong(), formed.level().number());
        } else if (command instanceof Command.RaiseFeatureLevel raise) {
            int wanted = raise.level().number();
            boolean allKnow = !raise.members().isEmpty()
                    && raise.members().stream()
                            .allMatch(member ->
                                    said.containsKey(member) && said.get(member).holds(wanted));
            if (level() != FeatureRange.NO_LEVEL && wanted > level() && allKnow) {
                levels.put(position.getAsLong(), wanted);
            }
        }
    }

    /** The level in force after everything that was ordered. */
    public int level() {
        return levels.lastEntry().getValue();
    }

    /** A replica has executed everything up to a position, and is in a level. */
    public void executed(int replica, long executedPosition, int level) {
        int expected = levels.floorEntry(executedPosition).getValue();
        InvariantViolated.check(
                level == expected,
                "feature level: replica %d is in level %d at position %d, where the order has put level %d in force",
                replica,
                level,
                executedPosition,
                expected);
    }
}
