package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/**
 * A connection for bulk requests, beside the links, over the same port, handshake and TLS. Used by one thread, which
 * blocks; {@link #close} is safe for use by any thread and ends a call that waits.
 */
public interface StateChannel extends Closeable {
    /** Longest request, in bytes. */
    int MAX_REQUEST_BYTES = 64 << 10;

    /** Longest answer, in bytes: a mebibyte of data and what describes it. */
    int MAX_ANSWER_BYTES = (1 << 20) + (64 << 10);

    /** How long a call waits while nothing arrives. */
    Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    /**
     * Sends a request and waits for its answer.
     *
     * @param request at most {@value #MAX_REQUEST_BYTES} bytes
     * @return the answer, at most {@value #MAX_ANSWER_BYTES} bytes, owned by the caller
     * @throws IOException if the connection breaks, the peer refuses, or nothing arrives for {@link #ANSWER_TIMEOUT};
     *     names peer and reason, and the channel is of no more use
     * @throws io.chainkeeper.ordering.InvariantViolated if the request is too long
     */
    ByteSlice call(ByteSlice request) throws IOException;
}
