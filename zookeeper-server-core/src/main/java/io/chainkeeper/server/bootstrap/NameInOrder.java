package io.chainkeeper.server.bootstrap;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.maintenance.Naming;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The name of the cluster where no directory notes it: only the order knows it. */
final class NameInOrder implements Naming {
    private final LongSupplier wallClockMillis;
    private final Supplier<UUID> newClusterId;
    private boolean proposed;

    /**
     * @param wallClockMillis stamped on the proposal
     * @param newClusterId a name for a new cluster
     */
    NameInOrder(LongSupplier wallClockMillis, Supplier<UUID> newClusterId) {
        this.wallClockMillis = wallClockMillis;
        this.newClusterId = newClusterId;
    }

    @Override
    public List<Integer> goesWithout() {
        return List.of();
    }

    @Override
    public void caughtUp(UUID clusterId) {
        // Nothing is noted.
    }

    @Override
    public void named(UUID clusterId) {
        // Nothing is noted.
    }

    @Override
    public Command.ClusterFormed due(
            ReplicatedState ordered,
            long executionProfile,
            List<Integer> members,
            List<Integer> participants,
            String configuration) {
        if (ordered.clusterId() != null || proposed) {
            return null;
        }
        proposed = true;
        return new Command.ClusterFormed(
                wallClockMillis.getAsLong(), newClusterId.get(), executionProfile, members, configuration, null, null);
    }

    @Override
    public boolean requestIsFulfilled(Membership membership) {
        return false;
    }

    @Override
    public void endRequest() {
        throw new IllegalStateException("a request that never is made was fulfilled");
    }
}
