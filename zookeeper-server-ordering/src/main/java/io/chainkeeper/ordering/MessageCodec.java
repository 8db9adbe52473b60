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

    /**
     * Each kind of message has a version: that of the replica protocol which brought it, in its present format. A link
     * carries only kinds of the version that both its sides speak.
     *
     * @param kind first byte of an encoded message, unsigned
     * @return the version, from 1; 0 if there is no such kind
     */
    int since(int kind);
}
