package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.PromiseRule;
import java.util.Arrays;

/**
 * A protocol's codec, watched: it gives back what it was given, and what leaves is kept by the log at that moment. The
 * host encodes each message once, when it leaves.
 */
final class Frames implements MessageCodec {
    private final MessageCodec codec;
    private final SimulatedReplica replica;
    private final BoundsChecker bounds;
    private Message leaving;

    /**
     * @param codec of the protocol
     * @param replica whose messages these are
     * @param bounds told how large frames are
     */
    Frames(MessageCodec codec, SimulatedReplica replica, BoundsChecker bounds) {
        this.bounds = bounds;
        this.codec = codec;
        this.replica = replica;
    }

    @Override
    public ByteSlice[] encode(Message message) {
        PromiseRule.checkKept(replica.id(), message, replica.log());
        leaving = message;
        ByteSlice[] frame = codec.encode(message);
        bounds.seen(Slack.ONE_READ, length(frame));
        return frame;
    }

    /** The message that was encoded last. */
    Message leaving() {
        return leaving;
    }

    @Override
    public Message decode(ByteSlice frame) {
        try {
            Message message = codec.decode(frame);
            boolean isSame = Arrays.equals(frame.toByteArray(), bytes(codec.encode(message)));
            InvariantViolated.check(isSame, "codec: %s encodes to other bytes", message);
            return message;
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("codec: an encoded message does not decode: " + e.getMessage());
        }
    }

    @Override
    public int since(int kind) {
        return codec.since(kind);
    }

    private static int length(ByteSlice[] parts) {
        int length = 0;
        for (ByteSlice part : parts) {
            length += part.length();
        }
        return length;
    }

    static byte[] bytes(ByteSlice[] parts) {
        byte[] frame = new byte[length(parts)];
        int at = 0;
        for (ByteSlice part : parts) {
            System.arraycopy(part.array(), part.offset(), frame, at, part.length());
            at += part.length();
        }
        return frame;
    }
}
