package io.chainkeeper.server;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import java.io.IOException;

/** Asks a replica of the same JVM for its state. */
record AnsweringChannel(StateResponder responder, int askingReplica) implements StateChannel {
    @Override
    public ByteSlice call(ByteSlice request) throws IOException {
        return responder.answer(askingReplica, request);
    }

    @Override
    public void close() {}
}
