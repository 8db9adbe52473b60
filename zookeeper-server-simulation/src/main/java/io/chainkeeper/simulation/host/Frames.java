package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import java.util.Arrays;

/** Messages as bytes, and a check that the codec gives back what it was given. */
record Frames(MessageCodec codec) {
    Message decode(byte[] frame) {
        try {
            Message message = codec.decode(ByteSlice.of(frame));
            InvariantViolated.check(Arrays.equals(frame, encode(message)), "codec: %s encodes to other bytes", message);
            return message;
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("codec: an encoded message does not decode: " + e.getMessage());
        }
    }

    byte[] encode(Message message) {
        ByteSlice[] parts = codec.encode(message);
        int length = 0;
        for (ByteSlice part : parts) {
            length += part.length();
        }
        byte[] frame = new byte[length];
        int at = 0;
        for (ByteSlice part : parts) {
            System.arraycopy(part.array(), part.offset(), frame, at, part.length());
            at += part.length();
        }
        return frame;
    }
}
