package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.Introduction;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.Test;

public final class IssCodecTest {
    private static final IssCodec CODEC = new IssCodec();
    private static final Ballot BALLOT = new Ballot(7, 3);
    private static final ByteSlice VALUE = ByteSlice.of(new byte[] {1, 2, 3});
    private static final EpochConfig CONFIG = new EpochConfig(
            5,
            100,
            16,
            new Membership(1, List.of(new Member(1, 11), new Member(2, 12), new Member(3, 13))),
            List.of(2, 3),
            List.of(new EpochConfig.Suspension(1, 2, 3)),
            true,
            4);

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
            new IssMessage.Poll(1, 2),
            new IssMessage.PollOk(1, 2, 3),
            new IssMessage.Hello(new Introduction(true, false, List.of(1, 2, 3))),
            new IssMessage.Status(1, 2, 3, 4, 5, 6, true, false, true, false),
            new IssMessage.Fetch(1, 2),
            new IssMessage.EpochInfo(CONFIG.encode()),
            new IssMessage.Learn(4, 5, List.of(VALUE, ByteSlice.EMPTY)),
            new IssMessage.Truncated(6));

    private static byte[] bytes(IssMessage message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteSlice part : CODEC.encode(message)) {
            out.writeBytes(part.toByteArray());
        }
        return out.toByteArray();
    }

    @Test
    public void everyMessage_survivesTheWire() throws MalformedMessageException {
        for (IssMessage message : ALL) {
            assertEquals(message, CODEC.decode(ByteSlice.of(bytes(message))));
        }
    }

    @Test
    public void messageCutShort_isRefused() {
        for (IssMessage message : ALL) {
            byte[] whole = bytes(message);
            boolean endsInValue = message instanceof IssMessage.Accept;
            int lengths = whole.length - (endsInValue ? VALUE.length() : 0);
            for (int length = 0; length < lengths; length++) {
                ByteSlice part = ByteSlice.of(whole, 0, length);
                assertThrows(message.toString(), MalformedMessageException.class, () -> CODEC.decode(part));
            }
        }
    }

    @Test
    public void unknownType_isRefused() {
        assertThrows(MalformedMessageException.class, () -> CODEC.decode(ByteSlice.of(new byte[] {99, 0, 0})));
    }

    @Test
    public void epochConfiguration_survivesTheLog() throws MalformedMessageException {
        assertEquals(CONFIG, EpochConfig.decode(CONFIG.encode()));
    }
}
