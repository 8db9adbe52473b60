package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

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
import io.chainkeeper.contract.MessageCodecContract;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;
import org.junit.Test;

/** The messages of the chain on the wire. */
public final class ChainCodecTest extends MessageCodecContract {
    private static final ChainCodec CODEC = new ChainCodec();
    private static final Ballot BALLOT = new Ballot(Ballot.MAX_ROUND, 255);
    private static final Ballot OTHER = new Ballot(7, 3);

    public ChainCodecTest() {
        super(CODEC, ChainMessage.class, everyMessage());
    }

    private static Progress progress() {
        Progress progress = new Progress();
        progress.raiseMaxDecided(99);
        progress.raiseConfirmedRound(42);
        progress.beginRound(43, 97, 98);
        for (int id : new int[] {255, 1, 3, 2, 128}) {
            progress.raiseAck(id, 100 + id);
            progress.raiseRoundSeen(id, 200 + id);
            progress.answerReadRequest(id, id == 3 ? Long.MAX_VALUE : id);
        }
        return progress;
    }

    private static List<ChainMessage> everyMessage() {
        ByteSlice value = ByteSliceOf.batch("a", "b");
        return List.of(
                new Accept(BALLOT, 3, 17, value, progress(), new Prefix(17, -5)),
                new Accept(BALLOT, 3, 17, BatchCodec.NO_OP, progress()),
                new AcceptAck(BALLOT, 3, progress(), new Prefix(18, Long.MIN_VALUE)),
                new Subscribe(BALLOT, 4, 5),
                new WindowAck(BALLOT, 6),
                new Unsubscribe(BALLOT),
                new OfferFeed(BALLOT, 7, 8),
                new Truncated(BALLOT, 9),
                new PreVote(BALLOT, new Prefix(10, 77), 1L << 50),
                new PreVoteOk(BALLOT),
                new PreVoteDenied(BALLOT, OTHER),
                new Prepare(BALLOT, 11, 1L << 50),
                new PrepareOk(
                        BALLOT,
                        1L << 50,
                        false,
                        2,
                        true,
                        new Prefix(12, 1L << 60),
                        List.of(new Entry(13, OTHER, value), new Entry(14, BALLOT, value))),
                new PrepareOk(BALLOT, 1, true, 0, false, 0, List.of()),
                new Refused(BALLOT, OTHER),
                new RedirectRequest(
                        BALLOT, 15, List.of(ByteSliceOf.command(2, 15, "x"), ByteSliceOf.command(2, 16, ""))),
                new RedirectRequest(BALLOT, 15, List.of()),
                new Hello(
                        new Prefix(0, PrefixHash.EMPTY),
                        new FoundingHello(1, true, false, List.of(1, 2, 255), List.of())),
                new Hello(
                        Prefix.UNKNOWN,
                        new FoundingHello(
                                Long.MAX_VALUE, false, true, List.of(), List.of(new Member(255, 7), new Member(1, 0)))),
                new Differing(new Prefix(19, 78)),
                new LearnerStatus(BALLOT, 1L << 50, 16),
                new TakeOver(BALLOT),
                new ReadIndexRequest(BALLOT, 1L << 60),
                new ReadIndexRequest(BALLOT, 1L << 60, true));
    }

    /** Only what rests on a record may claim to be a promise, and what does must. */
    @Test
    public void promises_areThoseThatAcknowledge() {
        for (ChainMessage message : everyMessage()) {
            boolean acknowledges =
                    message instanceof Accept || message instanceof AcceptAck || message instanceof PrepareOk;
            assertEquals(message.toString(), acknowledges, message.isPromise());
        }
    }

    @Test
    public void valuesInAFrame_areViewsOfIt() throws Exception {
        for (ChainMessage message : everyMessage()) {
            ByteSlice frame = frame(message);
            Object decoded = CODEC.decode(frame);
            if (decoded instanceof Accept accept) {
                assertSame(frame.array(), accept.value().array());
            } else if (decoded instanceof PrepareOk promise) {
                promise.entries()
                        .forEach(e -> assertSame(frame.array(), e.value().array()));
            } else if (decoded instanceof RedirectRequest forward) {
                forward.commands()
                        .forEach(c -> assertSame(frame.array(), c.command().array()));
            }
        }
    }

    @Test
    public void valuesOfAMessage_areNotCopiedToEncodeIt() {
        ByteSlice value = ByteSliceOf.batch("a");
        assertSame(value, CODEC.encode(new Accept(BALLOT, 1, 1, value, progress()))[1]);
        PrepareOk promise = new PrepareOk(BALLOT, 1, true, 0, true, 1, List.of(new Entry(1, OTHER, value)));
        assertSame(value, CODEC.encode(promise)[1]);
    }

    @Test
    public void valueThatIsNoBatch_isMalformed() throws Exception {
        assertValuesAreChecked(value -> new Accept(OTHER, 3, 17, value, progress()));
        assertValuesAreChecked(value ->
                new PrepareOk(OTHER, 1, true, 0, true, 1, List.of(new Entry(1, new Ballot(6, 2), value))));
    }

    @Test
    public void forwardedCommands_standAsInABatchAndLongOnesAreNotCopied() throws Exception {
        assertCommandsAreForwarded(commands -> new RedirectRequest(BALLOT, 15, commands));
    }
}
