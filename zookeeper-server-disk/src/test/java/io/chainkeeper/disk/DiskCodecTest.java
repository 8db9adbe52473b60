package io.chainkeeper.disk;

import io.chainkeeper.contract.MessageCodecContract;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;
import org.junit.Test;

/** The messages of Disk Paxos on the wire. */
public final class DiskCodecTest extends MessageCodecContract {
    private static final Ballot BALLOT = new Ballot(7, 3);
    private static final Prefix ORDER = new Prefix(2, Long.MIN_VALUE);

    private static final List<DiskMessage> ALL = List.of(
            new DiskMessage.Lead(BALLOT, ORDER, 2),
            new DiskMessage.Propose(BALLOT, 5, 4, BatchCodec.NO_OP),
            new DiskMessage.Decided(BALLOT, 4),
            new DiskMessage.Progress(ORDER, 3),
            new DiskMessage.Forward(BALLOT, 1, List.of(new ProposedCommand(1, 2, 0, 4, BatchCodec.NO_OP))),
            new DiskMessage.Forward(BALLOT, 1, List.of()),
            new DiskMessage.ReadIndexRequest(BALLOT, 9),
            new DiskMessage.ReadIndex(BALLOT, 9, 4),
            new DiskMessage.HandOver(BALLOT),
            new DiskMessage.Differing(ORDER));

    public DiskCodecTest() {
        super(new DiskCodec(), DiskMessage.class, ALL);
    }

    @Test
    public void valueThatIsNone_isRefused() throws Exception {
        assertValuesAreChecked(value -> new DiskMessage.Propose(BALLOT, 5, 4, value));
    }

    @Test
    public void forwardedCommands_standAsInABatchAndLongOnesAreNotCopied() throws Exception {
        assertCommandsAreForwarded(commands -> new DiskMessage.Forward(BALLOT, 1, commands));
    }
}
