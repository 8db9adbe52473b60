package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.util.function.Supplier;

/** Sends this replica's state to members that need it. */
@FunctionalInterface
public interface StateOffer {
    /**
     * Answers one request; see {@link io.chainkeeper.transport.StateResponder#answer}.
     *
     * @param peer replica id of the member that asks
     * @param request what it asks for
     * @param promise gives what this replica has promised, as its protocol records it. It goes with the state, and
     *     is asked for when the state has been chosen: it must not be older than what the state rests on
     * @return the answer
     * @throws IOException with one line for the log
     */
    ByteSlice answer(int peer, ByteSlice request, Supplier<ByteSlice> promise) throws IOException;
}
