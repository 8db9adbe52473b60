package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;

/** A command that no client waits for. */
public final class ServerProposal extends Proposal {
    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     */
    public ServerProposal(int stream, ByteSlice command) {
        super(stream, command);
    }
}
