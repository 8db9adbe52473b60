package io.chainkeeper.iss;

import static io.chainkeeper.ordering.wire.MessageParts.ballot;
import static io.chainkeeper.ordering.wire.MessageParts.commands;
import static io.chainkeeper.ordering.wire.MessageParts.commandsBytes;
import static io.chainkeeper.ordering.wire.MessageParts.count;
import static io.chainkeeper.ordering.wire.MessageParts.done;
import static io.chainkeeper.ordering.wire.MessageParts.flag;
import static io.chainkeeper.ordering.wire.MessageParts.foundingHello;
import static io.chainkeeper.ordering.wire.MessageParts.foundingHelloBytes;
import static io.chainkeeper.ordering.wire.MessageParts.putFoundingHello;
import static io.chainkeeper.ordering.wire.MessageParts.rest;
import static io.chainkeeper.ordering.wire.MessageParts.withCommands;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Differing;
import io.chainkeeper.iss.IssMessage.Entry;
import io.chainkeeper.iss.IssMessage.EpochInfo;
import io.chainkeeper.iss.IssMessage.Fetch;
import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.iss.IssMessage.Hello;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.iss.IssMessage.PreVoteOk;
import io.chainkeeper.iss.IssMessage.Prepare;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.ReadIndexReply;
import io.chainkeeper.iss.IssMessage.ReadIndexRequest;
import io.chainkeeper.iss.IssMessage.Refused;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssMessage.Truncated;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.Prefix;
import io.chainkeeper.ordering.wire.MessageParts;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Wire format of {@link IssMessage}. Big-endian; every message begins with a type byte; those about a segment go on
 * with epoch long, segment int, ballot (round long, replica int). The value of an {@code Accept} is the rest of the
 * frame.
 */
final class IssCodec implements MessageCodec {
    /** The version of the replica protocol that all kinds are of so far. */
    private static final int FIRST_VERSION = 1;

    private static final byte ACCEPT = 1;
    private static final byte ACCEPT_NIL = 2;
    private static final byte ACCEPTED = 3;
    private static final byte DECIDED = 4;
    private static final byte SKIP = 5;
    private static final byte PRE_VOTE = 6;
    private static final byte PRE_VOTE_OK = 7;
    private static final byte PREPARE = 8;
    private static final byte PROMISE = 9;
    private static final byte REFUSED = 10;
    private static final byte FORWARD = 11;
    private static final byte READ_INDEX_REQUEST = 12;
    private static final byte READ_INDEX_REPLY = 13;
    private static final byte HELLO = 14;
    private static final byte STATUS = 15;
    private static final byte FETCH = 16;
    private static final byte EPOCH_INFO = 17;
    private static final byte LEARN = 18;
    private static final byte TRUNCATED = 19;
    private static final byte DIFFERING = 20;

    private static final int SEGMENT_BYTES = 1 + 8 + 4 + Ballot.BYTES;
    private static final int ENTRY_BYTES = 8 + Ballot.BYTES + 1 + 4;

    @Override
    public int since(int kind) {
        return kind >= ACCEPT && kind <= DIFFERING ? FIRST_VERSION : 0;
    }

    @Override
    public ByteSlice[] encode(Message message) {
        if (message instanceof Accept m) {
            ByteBuffer out = begin(ACCEPT, m, m.ballot(), 16);
            return new ByteSlice[] {done(out.putLong(m.position()).putLong(m.decidedTo())), m.value()};
        } else if (message instanceof Promise m) {
            return encodePromise(m);
        } else if (message instanceof Learn m) {
            return encodeLearn(m);
        } else if (message instanceof Forward m) {
            return encodeForward(m);
        }
        return new ByteSlice[] {done(encodeFlat(message))};
    }

    private static ByteBuffer encodeFlat(Message message) {
        if (message instanceof Accepted m) {
            return begin(ACCEPTED, m, m.ballot(), 16).putLong(m.from()).putLong(m.to());
        } else if (message instanceof Decided m) {
            return begin(DECIDED, m, m.ballot(), 8).putLong(m.decidedTo());
        } else if (message instanceof Skip m) {
            return begin(SKIP, m, Ballot.NONE, 16).putLong(m.from()).putLong(m.to());
        } else if (message instanceof AcceptNil m) {
            return begin(ACCEPT_NIL, m, m.ballot(), 16).putLong(m.from()).putLong(m.to());
        } else if (message instanceof PreVote m) {
            return begin(PRE_VOTE, m, m.ballot(), 0);
        } else if (message instanceof PreVoteOk m) {
            return begin(PRE_VOTE_OK, m, m.ballot(), 0);
        } else if (message instanceof Prepare m) {
            return begin(PREPARE, m, m.ballot(), 0);
        } else if (message instanceof Refused m) {
            return m.promised().put(begin(REFUSED, m, m.ballot(), Ballot.BYTES));
        } else if (message instanceof ReadIndexRequest m) {
            return begin(READ_INDEX_REQUEST, 16).putLong(m.epoch()).putLong(m.number());
        } else if (message instanceof ReadIndexReply m) {
            return begin(READ_INDEX_REPLY, 24)
                    .putLong(m.epoch())
                    .putLong(m.number())
                    .putLong(m.readIndex());
        }
        return encodeOutsideEpochs(message);
    }

    private static ByteBuffer encodeOutsideEpochs(Message message) {
        if (message instanceof Hello m) {
            return putFoundingHello(begin(HELLO, foundingHelloBytes(m.founding())), m.founding());
        } else if (message instanceof Status m) {
            ByteBuffer out = begin(STATUS, Prefix.BYTES + 5 * 8 + 4).putLong(m.epoch());
            m.order().put(out);
            out.putLong(m.delivered()).putLong(m.inUse()).putLong(m.durableEpoch());
            out.putLong(m.disk()).put(flag(m.votes())).put(flag(m.speaks()));
            return out.put(flag(m.wantsEnd())).put(flag(m.resend()));
        } else if (message instanceof Fetch m) {
            return begin(FETCH, 16).putLong(m.epoch()).putLong(m.from());
        } else if (message instanceof EpochInfo m) {
            ByteSlice config = m.config();
            ByteBuffer out = m.order().put(begin(EPOCH_INFO, Prefix.BYTES + config.length()));
            return out.put(config.array(), config.offset(), config.length());
        } else if (message instanceof Differing m) {
            return m.order().put(begin(DIFFERING, Prefix.BYTES));
        } else if (message instanceof Truncated m) {
            return begin(TRUNCATED, 8).putLong(m.from());
        }
        throw new InvariantViolated("no wire format for " + message);
    }

    private static ByteSlice[] encodePromise(Promise m) {
        List<Entry> entries = m.entries();
        ByteSlice[] parts = new ByteSlice[1 + entries.size()];
        ByteBuffer out = begin(PROMISE, m, m.ballot(), 8 + 4 + 1 + 4 + entries.size() * ENTRY_BYTES);
        out.putLong(m.prefix()).putInt(m.part()).put(flag(m.last())).putInt(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            entry.accepted().put(out.putLong(entry.position()));
            out.put(flag(entry.decided())).putInt(entry.value().length());
            parts[i + 1] = entry.value();
        }
        parts[0] = done(out);
        return parts;
    }

    private static ByteSlice[] encodeLearn(Learn m) {
        ByteSlice[] parts = new ByteSlice[1 + m.values().size()];
        ByteBuffer out = begin(LEARN, 8 + Prefix.BYTES + 8 + 4 + 4 * m.values().size());
        m.order()
                .put(out.putLong(m.from()))
                .putLong(m.delivered())
                .putInt(m.values().size());
        for (int i = 0; i < m.values().size(); i++) {
            parts[i + 1] = m.values().get(i);
            out.putInt(parts[i + 1].length());
        }
        parts[0] = done(out);
        return parts;
    }

    private static ByteSlice[] encodeForward(Forward m) {
        ByteBuffer out = begin(FORWARD, 16 + commandsBytes(m.commands()));
        return withCommands(out.putLong(m.epoch()).putLong(m.lowest()), m.commands());
    }

    private static ByteBuffer begin(byte type, int bodyBytes) {
        return ByteBuffer.allocate(1 + bodyBytes).put(type);
    }

    private static ByteBuffer begin(byte type, OfSegment message, Ballot ballot, int bodyBytes) {
        ByteBuffer out = ByteBuffer.allocate(SEGMENT_BYTES + bodyBytes).put(type);
        return ballot.put(out.putLong(message.epoch()).putInt(message.segment()));
    }

    @Override
    public Message decode(ByteSlice frame) throws MalformedMessageException {
        return MessageParts.decode(
                "ISS", frame, (type, in) -> type <= REFUSED ? ofSegment(type, in, frame) : other(type, in, frame));
    }

    private static Message ofSegment(byte type, ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        long epoch = in.getLong();
        int segment = in.getInt();
        Ballot ballot = ballot(in);
        if (segment < 0) {
            throw new MalformedMessageException("segment " + segment);
        }
        return switch (type) {
            case ACCEPT -> {
                long position = in.getLong();
                long decidedTo = in.getLong();
                yield new Accept(epoch, segment, ballot, position, decidedTo, checked(rest(in, frame)));
            }
            case ACCEPT_NIL -> new AcceptNil(epoch, segment, ballot, in.getLong(), in.getLong());
            case ACCEPTED -> new Accepted(epoch, segment, ballot, in.getLong(), in.getLong());
            case DECIDED -> new Decided(epoch, segment, ballot, in.getLong());
            case SKIP -> new Skip(epoch, segment, in.getLong(), in.getLong());
            case PRE_VOTE -> new PreVote(epoch, segment, ballot);
            case PRE_VOTE_OK -> new PreVoteOk(epoch, segment, ballot);
            case PREPARE -> new Prepare(epoch, segment, ballot);
            case PROMISE -> promise(epoch, segment, ballot, in, frame);
            case REFUSED -> new Refused(epoch, segment, ballot, ballot(in));
            default -> throw new MalformedMessageException("unknown ISS message type " + type);
        };
    }

    private static Message other(byte type, ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        return switch (type) {
            case FORWARD -> new Forward(in.getLong(), in.getLong(), commands(in, frame));
            case READ_INDEX_REQUEST -> new ReadIndexRequest(in.getLong(), in.getLong());
            case READ_INDEX_REPLY -> new ReadIndexReply(in.getLong(), in.getLong(), in.getLong());
            case HELLO -> new Hello(foundingHello(in));
            case STATUS ->
                new Status(
                        in.getLong(),
                        Prefix.get(in),
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        in.get() != 0,
                        in.get() != 0,
                        in.get() != 0,
                        in.get() != 0);
            case FETCH -> new Fetch(in.getLong(), in.getLong());
            case EPOCH_INFO -> {
                Prefix order = Prefix.get(in);
                ByteSlice config = rest(in, frame);
                EpochConfig.decode(config);
                yield new EpochInfo(order, config);
            }
            case LEARN -> learn(in, frame);
            case TRUNCATED -> new Truncated(in.getLong());
            case DIFFERING -> new Differing(Prefix.get(in));
            default -> throw new MalformedMessageException("unknown ISS message type " + type);
        };
    }

    private static ByteSlice checked(ByteSlice value) throws MalformedMessageException {
        EpochConfig.checkValue(value);
        return value;
    }

    private static Promise promise(long epoch, int segment, Ballot ballot, ByteBuffer in, ByteSlice frame)
            throws MalformedMessageException {
        long prefix = in.getLong();
        int part = in.getInt();
        boolean last = in.get() != 0;
        int count = count(in, ENTRY_BYTES);
        int position = in.position() + count * ENTRY_BYTES;
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long at = in.getLong();
            Ballot accepted = ballot(in);
            boolean decided = in.get() != 0;
            int length = in.getInt();
            entries.add(new Entry(at, accepted, decided, checked(frame.slice(position, length))));
            position += length;
        }
        in.position(position);
        return new Promise(epoch, segment, ballot, prefix, part, last, entries);
    }

    private static Learn learn(ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        long from = in.getLong();
        Prefix order = Prefix.get(in);
        long delivered = in.getLong();
        int count = count(in, Integer.BYTES);
        int position = in.position() + count * Integer.BYTES;
        List<ByteSlice> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = in.getInt();
            values.add(checked(frame.slice(position, length)));
            position += length;
        }
        in.position(position);
        return new Learn(from, order, delivered, values);
    }
}
