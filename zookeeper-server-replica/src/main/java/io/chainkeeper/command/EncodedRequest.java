package io.chainkeeper.command;

import io.chainkeeper.ordering.ByteSlice;

/**
 * A request and the bytes that travel. Who proposed it needs not decode it again when it comes back. Immutable.
 *
 * @param request equal to what the bytes decode to; its payload is a view of them
 * @param bytes the encoded command
 */
public record EncodedRequest(Command.ClientRequest request, ByteSlice bytes) {}
