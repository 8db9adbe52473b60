package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.Test;

/** What people read of the acceptor log of ISS. */
public class DescribedRecordsTest {
    private static String describe(long position, int kind, ByteSlice head) throws MalformedMessageException {
        return new IssFactory().describe(new LogRecord(position, kind, head, ByteSlice.EMPTY));
    }

    @Test
    public void everyKind_isPutInWords() throws MalformedMessageException {
        ByteSlice head = new AcceptedHead(new Ballot(3, 1), 16).encode();
        assertEquals("accepted in ballot 3.1, known as decided up to 16", describe(17, IssState.ACCEPTED, head));
        assertEquals("decided, as everything up to 16", describe(16, IssState.DECIDED, head));
        EpochConfig config = new EpochConfig(
                5,
                65,
                16,
                Membership.initial(1, List.of(1, 2, 3)),
                List.of(1, 3),
                List.of(new EpochConfig.Suspension(2, 1, 2)),
                false,
                1);
        String epoch = describe(0, IssState.EPOCH, config.encode());
        assertTrue(epoch, epoch.startsWith("epoch 5, positions 65 to 96, segments of 16 positions, led by [1, 3]"));
        assertTrue(epoch, epoch.endsWith("suspended [2]"));
        ByteBuffer promises =
                new Ballot(2, 3).put(ByteBuffer.allocate(24).putLong(5).putInt(1));
        assertEquals(
                "promised in epoch 5: segment 1 ballot 2.3",
                describe(0, IssState.PROMISES, ByteSlice.of(promises.array())));
        ByteSlice disk = ByteSlice.of(ByteBuffer.allocate(9).putLong(9).array());
        assertEquals("disk 9, no founder", describe(0, ReplicaIdentity.DISK, disk));
        assertThrows(MalformedMessageException.class, () -> describe(0, 99, disk));
    }
}
