package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import java.util.function.BooleanSupplier;

/** The wish that a local session becomes known to all replicas, with the id and password that it has. */
public final class UpgradeProposal extends Proposal {
    private final long sessionId;
    private final BooleanSupplier wanted;

    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     * @param sessionId the session
     * @param wanted see {@link Proposal#isWanted}
     */
    public UpgradeProposal(int stream, ByteSlice command, long sessionId, BooleanSupplier wanted) {
        super(stream, command);
        this.sessionId = sessionId;
        this.wanted = wanted;
    }

    @Override
    public boolean isWanted() {
        return wanted.getAsBoolean();
    }

    /** @return the session */
    public long sessionId() {
        return sessionId;
    }
}
