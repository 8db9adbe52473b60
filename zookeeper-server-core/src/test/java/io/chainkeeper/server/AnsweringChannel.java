package io.chainkeeper.server;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;

/** Asks a replica of the same JVM for its state. */
record AnsweringChannel(StateOffer offer, int askingReplica) implements StateChannel {
    @Override
    public ByteSlice call(ByteSlice request) throws IOException {
        return offer.answer(askingReplica, request, () -> ByteSlice.EMPTY);
    }

    @Override
    public void close() {}
}
