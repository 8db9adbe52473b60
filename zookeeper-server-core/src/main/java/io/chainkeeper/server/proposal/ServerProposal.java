package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import java.util.function.BooleanSupplier;

/** A command that no client waits for. */
public final class ServerProposal extends Proposal {
    private final BooleanSupplier wanted;

    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     * @param wanted see {@link Proposal#isWanted}
     */
    public ServerProposal(int stream, ByteSlice command, BooleanSupplier wanted) {
        super(stream, command);
        this.wanted = wanted;
    }

    @Override
    public boolean isWanted() {
        return wanted.getAsBoolean();
    }
}
