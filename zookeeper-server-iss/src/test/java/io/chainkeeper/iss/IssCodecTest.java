package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.contract.MessageCodecContract;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;
import org.junit.Test;

/** The messages of ISS on the wire. */
public final class IssCodecTest extends MessageCodecContract {
    private static final IssCodec CODEC = new IssCodec();
    private static final Ballot BALLOT = new Ballot(7, 3);
    private static final ByteSlice VALUE = BatchCodec.NO_OP;
    private static final EpochConfig CONFIG = new EpochConfig(
            5,
            100,
            16,
            new Membership(1, List.of(new Member(1, 11), new Member(2, 12), new Member(3, 13))),
            List.of(2, 3),
            List.of(new EpochConfig.Suspension(1, 2, 3)),
            true,
            4);

    private static final Prefix ORDER = new Prefix(2, Long.MIN_VALUE);

    private static final List<IssMessage> ALL = List.of(
            new IssMessage.Accept(1, 2, BALLOT, 3, 4, VALUE),
            new IssMessage.AcceptNil(1, 2, BALLOT, 3, 9),
            new IssMessage.Accepted(1, 2, BALLOT, 3, 9),
            new IssMessage.Decided(1, 2, BALLOT, 9),
            new IssMessage.Skip(1, 2, 3, 9),
            new IssMessage.PreVote(1, 2, BALLOT),
            new IssMessage.PreVoteOk(1, 2, BALLOT),
            new IssMessage.Prepare(1, 2, BALLOT),
            new IssMessage.Promise(
                    1, 2, BALLOT, 8, 1, true, List.of(new IssMessage.Entry(9, Ballot.NONE, true, VALUE))),
            new IssMessage.Refused(1, 2, BALLOT, new Ballot(8, 1)),
            new IssMessage.Forward(1, 4, List.of(new ProposedCommand(1, 2, 0, 4, VALUE))),
            new IssMessage.ReadIndexRequest(1, 2),
            new IssMessage.ReadIndexReply(1, 2, 3),
            new IssMessage.Hello(new FoundingHello(1, true, false, List.of(1, 2, 3), List.of())),
            new IssMessage.Hello(
                    new FoundingHello(Long.MAX_VALUE, true, true, List.of(1, 3), List.of(new Member(3, 1L << 61)))),
            new IssMessage.Status(1, ORDER, 3, 4, 5, 6, true, false, true, false),
            new IssMessage.Fetch(1, 2),
            new IssMessage.EpochInfo(ORDER, CONFIG.encode()),
            new IssMessage.Learn(4, ORDER, 5, List.of(VALUE, VALUE)),
            new IssMessage.Differing(ORDER),
            new IssMessage.Truncated(6));

    public IssCodecTest() {
        super(CODEC, IssMessage.class, ALL);
    }

    @Test
    public void epochConfiguration_survivesTheLog() throws MalformedMessageException {
        assertEquals(CONFIG, EpochConfig.decode(CONFIG.encode()));
    }

    @Test
    public void valueThatIsNoBatch_isMalformed() throws Exception {
        assertValuesAreChecked(value -> new IssMessage.Accept(1, 2, BALLOT, 3, 4, value));
        assertValuesAreChecked(value -> new IssMessage.Learn(4, ORDER, 5, List.of(VALUE, value)));
        assertValuesAreChecked(value -> new IssMessage.Promise(
                1, 2, BALLOT, 8, 1, true, List.of(new IssMessage.Entry(9, Ballot.NONE, true, value))));
    }

    @Test
    public void forwardedCommands_standAsInABatchAndLongOnesAreNotCopied() throws Exception {
        assertCommandsAreForwarded(commands -> new IssMessage.Forward(1, 4, commands));
    }
}
