package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;

/** The wish that a local session becomes known to all replicas, with the id and password that it has. */
public final class UpgradeProposal extends Proposal {
    private final long sessionId;

    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     * @param sessionId the session
     */
    public UpgradeProposal(int stream, ByteSlice command, long sessionId) {
        super(stream, command);
        this.sessionId = sessionId;
    }

    /** @return the session */
    public long sessionId() {
        return sessionId;
    }
}
