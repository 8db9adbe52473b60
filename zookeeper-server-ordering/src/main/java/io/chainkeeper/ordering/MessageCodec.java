package io.chainkeeper.ordering;

/** Turns one protocol's messages into bytes and back. Stateless; safe for use by any thread. */
public interface MessageCodec {
    /**
     * Encodes a message. Values inside it are returned as slices of their own, not copied.
     *
     * @param message one of this protocol's messages
     * @return the parts of the encoded form, to be sent one after the other
     */
    ByteSlice[] encode(Message message);

    /**
     * Decodes a message. Values in the result are views of the given bytes.
     *
     * @param frame exactly one encoded message
     * @return the message
     * @throws MalformedMessageException if the bytes are not a message of this protocol
     */
    Message decode(ByteSlice frame) throws MalformedMessageException;
}
