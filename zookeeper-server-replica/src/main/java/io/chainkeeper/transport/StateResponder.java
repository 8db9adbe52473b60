package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;

/**
 * Answers bulk requests of other members. Called by a thread of its own for each connection, never by the I/O thread;
 * calls for one connection never overlap. The thread is interrupted when the transport closes.
 */
public interface StateResponder {
    /**
     * Answers one request; may block.
     *
     * @param peer replica id of the member that asks
     * @param request at most {@link StateChannel#MAX_REQUEST_BYTES} bytes, owned by the callee
     * @return at most {@link StateChannel#MAX_ANSWER_BYTES} bytes, which must not change any more
     * @throws IOException if there is no answer, with one line for the log; the connection is then closed
     */
    ByteSlice answer(int peer, ByteSlice request) throws IOException;
}
