package io.chainkeeper.server.request;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;

/** The wish that a local session becomes known to all replicas, with the id and password that it has. */
public final class UpgradeProposal extends Proposal {
    private final long sessionId;

    UpgradeProposal(int stream, ByteSlice command, long sessionId) {
        super(stream, command);
        this.sessionId = sessionId;
    }

    /** @return the session */
    public long sessionId() {
        return sessionId;
    }
}
