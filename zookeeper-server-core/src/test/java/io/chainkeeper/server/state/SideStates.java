package io.chainkeeper.server.state;

import java.util.UUID;

/** Side states for tests outside this package. */
public final class SideStates {
    private SideStates() {}

    /** The state of a cluster after a transaction, without sessions. */
    public static SideState of(UUID clusterId, long zxid) {
        SideState state = SideState.initial(zxid);
        state.formed(clusterId, 1);
        return state;
    }
}
