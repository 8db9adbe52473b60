package io.chainkeeper.disk;

import static io.chainkeeper.ordering.wire.MessageParts.ballot;
import static io.chainkeeper.ordering.wire.MessageParts.commands;
import static io.chainkeeper.ordering.wire.MessageParts.commandsBytes;
import static io.chainkeeper.ordering.wire.MessageParts.done;
import static io.chainkeeper.ordering.wire.MessageParts.rest;
import static io.chainkeeper.ordering.wire.MessageParts.withCommands;

import io.chainkeeper.disk.DiskMessage.Decided;
import io.chainkeeper.disk.DiskMessage.Differing;
import io.chainkeeper.disk.DiskMessage.Forward;
import io.chainkeeper.disk.DiskMessage.HandOver;
import io.chainkeeper.disk.DiskMessage.Lead;
import io.chainkeeper.disk.DiskMessage.Progress;
import io.chainkeeper.disk.DiskMessage.Propose;
import io.chainkeeper.disk.DiskMessage.ReadIndex;
import io.chainkeeper.disk.DiskMessage.ReadIndexRequest;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.Prefix;
import io.chainkeeper.ordering.wire.MessageParts;
import java.nio.ByteBuffer;

/** Wire format: a byte for the kind, then the fields, big-endian. */
final class DiskCodec implements MessageCodec {
    private static final int FIRST_VERSION = 1;

    private static final byte LEAD = 1;
    private static final byte PROPOSE = 2;
    private static final byte DECIDED = 3;
    private static final byte PROGRESS = 4;
    private static final byte FORWARD = 5;
    private static final byte READ_INDEX_REQUEST = 6;
    private static final byte READ_INDEX = 7;
    private static final byte HAND_OVER = 8;
    private static final byte DIFFERING = 9;

    @Override
    public int since(int kind) {
        return kind >= LEAD && kind <= DIFFERING ? FIRST_VERSION : 0;
    }

    @Override
    public ByteSlice[] encode(Message message) {
        if (message instanceof Propose m) {
            ByteBuffer out =
                    begin(PROPOSE, m.ballot(), 16).putLong(m.position()).putLong(m.decided());
            return new ByteSlice[] {done(out), m.value()};
        } else if (message instanceof Forward m) {
            ByteBuffer out = begin(FORWARD, m.ballot(), 8 + commandsBytes(m.commands()));
            return withCommands(out.putLong(m.lowest()), m.commands());
        }
        return new ByteSlice[] {done(encodeFlat(message))};
    }

    private static ByteBuffer encodeFlat(Message message) {
        if (message instanceof Lead m) {
            return m.order().put(begin(LEAD, m.ballot(), Prefix.BYTES + 4)).putInt(m.heldUpBy());
        } else if (message instanceof Decided m) {
            return begin(DECIDED, m.ballot(), 8).putLong(m.decided());
        } else if (message instanceof Progress m) {
            return m.order().put(begin(PROGRESS, Prefix.BYTES + 8)).putLong(m.checkpoint());
        } else if (message instanceof ReadIndexRequest m) {
            return begin(READ_INDEX_REQUEST, m.ballot(), 8).putLong(m.number());
        } else if (message instanceof ReadIndex m) {
            return begin(READ_INDEX, m.ballot(), 16).putLong(m.number()).putLong(m.index());
        } else if (message instanceof HandOver m) {
            return begin(HAND_OVER, m.ballot(), 0);
        } else if (message instanceof Differing m) {
            return m.order().put(begin(DIFFERING, Prefix.BYTES));
        }
        throw new InvariantViolated("no wire format for " + message);
    }

    private static ByteBuffer begin(byte kind, int bodyBytes) {
        return ByteBuffer.allocate(1 + bodyBytes).put(kind);
    }

    private static ByteBuffer begin(byte kind, Ballot ballot, int bodyBytes) {
        return ballot.put(begin(kind, Ballot.BYTES + bodyBytes));
    }

    @Override
    public Message decode(ByteSlice frame) throws MalformedMessageException {
        return MessageParts.decode("Disk Paxos", frame, (kind, in) -> switch (kind) {
            case LEAD -> new Lead(ballot(in), Prefix.get(in), in.getInt());
            case PROPOSE -> new Propose(ballot(in), in.getLong(), in.getLong(), value(in, frame));
            case DECIDED -> new Decided(ballot(in), in.getLong());
            case PROGRESS -> new Progress(Prefix.get(in), in.getLong());
            case FORWARD -> new Forward(ballot(in), in.getLong(), commands(in, frame));
            case READ_INDEX_REQUEST -> new ReadIndexRequest(ballot(in), in.getLong());
            case READ_INDEX -> new ReadIndex(ballot(in), in.getLong(), in.getLong());
            case HAND_OVER -> new HandOver(ballot(in));
            case DIFFERING -> new Differing(Prefix.get(in));
            default -> throw new MalformedMessageException("unknown Disk Paxos message type " + kind);
        });
    }

    private static ByteSlice value(ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        ByteSlice value = rest(in, frame);
        BatchCodec.check(value);
        return value;
    }
}
