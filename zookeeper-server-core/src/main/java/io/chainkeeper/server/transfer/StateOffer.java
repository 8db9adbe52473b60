package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;

/** Sends this replica's state to members that need it. */
@FunctionalInterface
public interface StateOffer {
    /**
     * Answers one request; see {@link io.chainkeeper.transport.StateResponder#answer}.
     *
     * @param peer replica id of the member that asks
     * @param request what it asks for
     * @param promise what this replica has promised, as its protocol records it; goes with the state
     * @return the answer
     * @throws IOException with one line for the log
     */
    ByteSlice answer(int peer, ByteSlice request, ByteSlice promise) throws IOException;
}
