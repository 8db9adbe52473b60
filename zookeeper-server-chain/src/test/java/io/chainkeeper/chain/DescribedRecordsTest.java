package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.nio.ByteBuffer;
import org.junit.Test;

/** What people read of a chain's acceptor log. */
public class DescribedRecordsTest {
    private static String describe(long position, int kind, ByteBuffer head) throws MalformedMessageException {
        LogRecord record = new LogRecord(position, kind, ByteSlice.of(head.array()), ByteSlice.EMPTY);
        return new ChainPaxosFactory().describe(record);
    }

    @Test
    public void everyKind_isPutInWords() throws MalformedMessageException {
        ByteBuffer ballot = new Ballot(3, 1).put(ByteBuffer.allocate(Ballot.BYTES));
        assertEquals("promised ballot 3.1", describe(0, ReplicaState.PROMISE, ballot));
        ByteBuffer head =
                ByteBuffer.wrap(new AcceptedHead(new Ballot(3, 1), 16).encode().toByteArray());
        assertEquals("accepted in ballot 3.1, known as decided up to 16", describe(17, ReplicaState.ACCEPTED, head));
        ByteBuffer position = ByteBuffer.allocate(Long.BYTES).putLong(5);
        assertEquals("a membership is decided at position 5", describe(0, ReplicaState.MEMBERSHIP_DECIDED, position));
        ByteBuffer disk =
                ByteBuffer.allocate(17).putLong(9).put((byte) 1).putInt(1).putInt(2);
        assertEquals("disk 9, a founder, with participants [1, 2]", describe(0, ReplicaIdentity.DISK, disk));
        ByteBuffer other = ByteBuffer.allocate(9).putLong(9);
        assertEquals("disk 9, no founder", describe(0, ReplicaIdentity.DISK, other));
        ByteBuffer companions = ByteBuffer.allocate(12).putInt(2).putLong(7);
        assertEquals("founded with [2@7]", describe(0, ReplicaIdentity.COMPANIONS, companions));
        assertThrows(MalformedMessageException.class, () -> describe(0, 99, position));
    }
}
