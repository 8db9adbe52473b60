package io.chainkeeper.chain;

import static io.chainkeeper.ordering.wire.MessageParts.ballot;
import static io.chainkeeper.ordering.wire.MessageParts.commands;
import static io.chainkeeper.ordering.wire.MessageParts.commandsBytes;
import static io.chainkeeper.ordering.wire.MessageParts.count;
import static io.chainkeeper.ordering.wire.MessageParts.done;
import static io.chainkeeper.ordering.wire.MessageParts.flag;
import static io.chainkeeper.ordering.wire.MessageParts.foundingHello;
import static io.chainkeeper.ordering.wire.MessageParts.foundingHelloBytes;
import static io.chainkeeper.ordering.wire.MessageParts.putFoundingHello;
import static io.chainkeeper.ordering.wire.MessageParts.replicaId;
import static io.chainkeeper.ordering.wire.MessageParts.rest;
import static io.chainkeeper.ordering.wire.MessageParts.value;
import static io.chainkeeper.ordering.wire.MessageParts.withCommands;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.AcceptAck;
import io.chainkeeper.chain.ChainMessage.Differing;
import io.chainkeeper.chain.ChainMessage.Entry;
import io.chainkeeper.chain.ChainMessage.Hello;
import io.chainkeeper.chain.ChainMessage.LearnerStatus;
import io.chainkeeper.chain.ChainMessage.OfferFeed;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ChainMessage.ReadIndexRequest;
import io.chainkeeper.chain.ChainMessage.RedirectRequest;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.chain.ChainMessage.Subscribe;
import io.chainkeeper.chain.ChainMessage.TakeOver;
import io.chainkeeper.chain.ChainMessage.Truncated;
import io.chainkeeper.chain.ChainMessage.Unsubscribe;
import io.chainkeeper.chain.ChainMessage.WindowAck;
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
import java.util.ArrayList;
import java.util.List;

/**
 * Wire format of {@link ChainMessage}. Big-endian; every message begins with a type byte and its ballot (round long,
 * replica int); the value of an {@code Accept} is the rest of the frame.
 */
final class ChainCodec implements MessageCodec {
    /** The version of the replica protocol that all kinds are of so far. */
    private static final int FIRST_VERSION = 1;

    private static final byte ACCEPT = 1;
    private static final byte ACCEPT_ACK = 2;
    private static final byte SUBSCRIBE = 3;
    private static final byte WINDOW_ACK = 4;
    private static final byte UNSUBSCRIBE = 5;
    private static final byte OFFER_FEED = 6;
    private static final byte TRUNCATED = 7;
    private static final byte PRE_VOTE = 8;
    private static final byte PRE_VOTE_OK = 9;
    private static final byte PRE_VOTE_DENIED = 10;
    private static final byte PREPARE = 11;
    private static final byte PREPARE_OK = 12;
    private static final byte REFUSED = 13;
    private static final byte REDIRECT_REQUEST = 14;
    private static final byte READ_INDEX_REQUEST = 15;
    private static final byte HELLO = 16;
    private static final byte LEARNER_STATUS = 17;
    private static final byte TAKE_OVER = 18;
    private static final byte DIFFERING = 19;

    private static final int HEADER_BYTES = 1 + Ballot.BYTES;
    private static final int ENTRY_BYTES = 8 + Ballot.BYTES + 4;
    private static final int PROGRESS_FIXED_BYTES = 1 + 5 * 8;
    private static final int PROGRESS_ENTRY_BYTES = 1 + 3 * 8;

    @Override
    public int since(int kind) {
        return kind >= ACCEPT && kind <= DIFFERING ? FIRST_VERSION : 0;
    }

    @Override
    public ByteSlice[] encode(Message message) {
        if (message instanceof Accept m) {
            ByteBuffer out = begin(ACCEPT, m.ballot(), 16 + Prefix.BYTES + progressBytes(m.progress()));
            m.prefix().put(out.putLong(m.start()).putLong(m.instance()));
            putProgress(out, m.progress());
            return new ByteSlice[] {done(out), m.value()};
        }
        if (message instanceof PrepareOk m) {
            return encodePrepareOk(m);
        }
        if (message instanceof RedirectRequest m) {
            return encodeRedirectRequest(m);
        }
        return new ByteSlice[] {done(encodeFlat(message))};
    }

    private static ByteBuffer encodeFlat(Message message) {
        if (message instanceof AcceptAck m) {
            ByteBuffer out = begin(ACCEPT_ACK, m.ballot(), 8 + Prefix.BYTES + progressBytes(m.progress()));
            m.prefix().put(out.putLong(m.start()));
            putProgress(out, m.progress());
            return out;
        } else if (message instanceof ReadIndexRequest m) {
            // Release 0.2.0 takes a negative one for old news.
            return begin(READ_INDEX_REQUEST, m.ballot(), 8).putLong(m.asksQuorum() ? -m.request() : m.request());
        } else if (message instanceof WindowAck m) {
            return begin(WINDOW_ACK, m.ballot(), 8).putLong(m.maxAccepted());
        } else if (message instanceof Subscribe m) {
            return begin(SUBSCRIBE, m.ballot(), 16).putLong(m.start()).putLong(m.maxAccepted());
        } else if (message instanceof OfferFeed m) {
            return begin(OFFER_FEED, m.ballot(), 16).putLong(m.start()).putLong(m.maxAccepted());
        } else if (message instanceof Unsubscribe m) {
            return begin(UNSUBSCRIBE, m.ballot(), 0);
        } else if (message instanceof Truncated m) {
            return begin(TRUNCATED, m.ballot(), 8).putLong(m.firstAvailable());
        } else if (message instanceof LearnerStatus m) {
            return begin(LEARNER_STATUS, m.ballot(), 16).putLong(m.disk()).putLong(m.maxDecided());
        }
        return encodeElection(message);
    }

    private static ByteBuffer encodeElection(Message message) {
        if (message instanceof PreVote m) {
            return m.prefix().put(begin(PRE_VOTE, m.ballot(), Prefix.BYTES + 8)).putLong(m.disk());
        } else if (message instanceof PreVoteOk m) {
            return begin(PRE_VOTE_OK, m.ballot(), 0);
        } else if (message instanceof PreVoteDenied m) {
            return m.promised().put(begin(PRE_VOTE_DENIED, m.ballot(), Ballot.BYTES));
        } else if (message instanceof Prepare m) {
            return begin(PREPARE, m.ballot(), 16).putLong(m.from()).putLong(m.disk());
        } else if (message instanceof Refused m) {
            return m.promised().put(begin(REFUSED, m.ballot(), Ballot.BYTES));
        }
        if (message instanceof TakeOver m) {
            return begin(TAKE_OVER, m.ballot(), 0);
        } else if (message instanceof Hello m) {
            return encodeHello(m);
        } else if (message instanceof Differing m) {
            return m.prefix().put(begin(DIFFERING, m.ballot(), Prefix.BYTES));
        }
        throw new InvariantViolated("no wire format for " + message);
    }

    private static ByteBuffer encodeHello(Hello m) {
        ByteBuffer out = begin(HELLO, m.ballot(), Prefix.BYTES + foundingHelloBytes(m.founding()));
        return putFoundingHello(m.prefix().put(out), m.founding());
    }

    private static ByteSlice[] encodePrepareOk(PrepareOk m) {
        List<Entry> entries = m.entries();
        ByteSlice[] parts = new ByteSlice[1 + entries.size()];
        ByteBuffer out = begin(PREPARE_OK, m.ballot(), 8 + 1 + 4 + 1 + Prefix.BYTES + 4 + entries.size() * ENTRY_BYTES);
        out.putLong(m.disk()).put(flag(m.founder())).putInt(m.part()).put(flag(m.last()));
        m.prefix().put(out).putInt(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            entry.accepted()
                    .put(out.putLong(entry.instance()))
                    .putInt(entry.value().length());
            parts[i + 1] = entry.value();
        }
        parts[0] = done(out);
        return parts;
    }

    private static ByteSlice[] encodeRedirectRequest(RedirectRequest m) {
        ByteBuffer out = begin(REDIRECT_REQUEST, m.ballot(), 8 + commandsBytes(m.commands()));
        return withCommands(out.putLong(m.lowest()), m.commands());
    }

    private static ByteBuffer begin(byte type, Ballot ballot, int bodyBytes) {
        return ballot.put(ByteBuffer.allocate(HEADER_BYTES + bodyBytes).put(type));
    }

    private static int progressBytes(Progress progress) {
        return PROGRESS_FIXED_BYTES + progress.size() * PROGRESS_ENTRY_BYTES;
    }

    private static void putProgress(ByteBuffer out, Progress progress) {
        out.put((byte) progress.size());
        out.putLong(progress.maxDecided()).putLong(progress.round()).putLong(progress.roundBase());
        out.putLong(progress.readIndex()).putLong(progress.confirmedRound());
        for (int i = 0; i < progress.size(); i++) {
            int id = progress.id(i);
            out.put((byte) id).putLong(progress.ack(id));
            out.putLong(progress.roundSeen(id)).putLong(progress.readRequest(id));
        }
    }

    @Override
    public Message decode(ByteSlice frame) throws MalformedMessageException {
        return MessageParts.decode("chain", frame, (type, in) -> decodeBody(type, ballot(in), in, frame));
    }

    private static Message decodeBody(byte type, Ballot ballot, ByteBuffer in, ByteSlice frame)
            throws MalformedMessageException {
        return switch (type) {
            case ACCEPT -> accept(ballot, in, frame);
            case ACCEPT_ACK -> acceptAck(ballot, in);
            case SUBSCRIBE -> new Subscribe(ballot, in.getLong(), in.getLong());
            case WINDOW_ACK -> new WindowAck(ballot, in.getLong());
            case UNSUBSCRIBE -> new Unsubscribe(ballot);
            case OFFER_FEED -> new OfferFeed(ballot, in.getLong(), in.getLong());
            case TRUNCATED -> new Truncated(ballot, in.getLong());
            case PRE_VOTE -> new PreVote(ballot, Prefix.get(in), in.getLong());
            case PRE_VOTE_OK -> new PreVoteOk(ballot);
            case PRE_VOTE_DENIED -> new PreVoteDenied(ballot, ballot(in));
            case PREPARE -> new Prepare(ballot, in.getLong(), in.getLong());
            case PREPARE_OK -> prepareOk(ballot, in, frame);
            case REFUSED -> new Refused(ballot, ballot(in));
            case REDIRECT_REQUEST -> redirectRequest(ballot, in, frame);
            case READ_INDEX_REQUEST -> readIndexRequest(ballot, in.getLong());
            case HELLO -> new Hello(Prefix.get(in), foundingHello(in));
            case LEARNER_STATUS -> new LearnerStatus(ballot, in.getLong(), in.getLong());
            case TAKE_OVER -> new TakeOver(ballot);
            case DIFFERING -> new Differing(Prefix.get(in));
            default -> throw new MalformedMessageException("unknown chain message type " + type);
        };
    }

    private static Accept accept(Ballot ballot, ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        long start = in.getLong();
        long instance = in.getLong();
        Prefix prefix = Prefix.get(in);
        Progress progress = progress(in);
        return new Accept(ballot, start, instance, checked(rest(in, frame)), progress, prefix);
    }

    private static AcceptAck acceptAck(Ballot ballot, ByteBuffer in) throws MalformedMessageException {
        long start = in.getLong();
        Prefix prefix = Prefix.get(in);
        return new AcceptAck(ballot, start, progress(in), prefix);
    }

    private static ByteSlice checked(ByteSlice value) throws MalformedMessageException {
        BatchCodec.check(value);
        return value;
    }

    private static PrepareOk prepareOk(Ballot ballot, ByteBuffer in, ByteSlice frame) throws MalformedMessageException {
        long disk = in.getLong();
        boolean founder = in.get() != 0;
        int part = in.getInt();
        boolean last = in.get() != 0;
        Prefix prefix = Prefix.get(in);
        int count = count(in, ENTRY_BYTES);
        int position = in.position() + count * ENTRY_BYTES;
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long instance = in.getLong();
            Ballot accepted = ballot(in);
            int length = in.getInt();
            entries.add(new Entry(instance, accepted, value(frame, position, length)));
            position += length;
        }
        in.position(position);
        return new PrepareOk(ballot, disk, founder, part, last, prefix, entries);
    }

    private static RedirectRequest redirectRequest(Ballot ballot, ByteBuffer in, ByteSlice frame)
            throws MalformedMessageException {
        return new RedirectRequest(ballot, in.getLong(), commands(in, frame));
    }

    private static ReadIndexRequest readIndexRequest(Ballot ballot, long request) {
        return new ReadIndexRequest(ballot, Math.abs(request), request < 0);
    }

    private static Progress progress(ByteBuffer in) throws MalformedMessageException {
        int entries = in.get() & 0xff;
        Progress progress = new Progress();
        progress.raiseMaxDecided(in.getLong());
        progress.beginRound(in.getLong(), in.getLong(), in.getLong());
        progress.raiseConfirmedRound(in.getLong());
        int last = 0;
        for (int i = 0; i < entries; i++) {
            int id = replicaId(in);
            if (id <= last) {
                throw new MalformedMessageException("progress names replica " + id + " after " + last);
            }
            last = id;
            progress.raiseAck(id, in.getLong());
            progress.raiseRoundSeen(id, in.getLong());
            progress.answerReadRequest(id, in.getLong());
        }
        return progress;
    }
}
