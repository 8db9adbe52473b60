package io.chainkeeper.server.state;

import io.chainkeeper.release.FeatureLevel;
import java.util.UUID;

/** Replicated states for tests outside this package. */
public final class ReplicatedStates {
    private ReplicatedStates() {}

    /** The state of a cluster after a transaction, without sessions. */
    public static ReplicatedState of(UUID clusterId, long zxid) {
        ReplicatedState state = ReplicatedState.initial(zxid);
        state.formed(clusterId, 1, FeatureLevel.FIRST);
        return state;
    }
}
