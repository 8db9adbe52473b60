package io.chainkeeper.ordering.acceptor;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.nio.ByteBuffer;

/**
 * Head of a positional record of an acceptor log.
 *
 * @param ballot in which the value was accepted; {@link Ballot#NONE} if it is only known to be decided
 * @param decided everything up to here was known to be decided when the record was written
 */
public record AcceptedHead(Ballot ballot, long decided) {
    /** Length of an encoded head. */
    public static final int BYTES = Ballot.BYTES + Long.BYTES;

    /** @return the bytes for the log */
    public ByteSlice encode() {
        return ByteSlice.of(
                ballot.put(ByteBuffer.allocate(BYTES)).putLong(decided).array());
    }

    /**
     * @param record a positional record
     * @return its head
     */
    public static AcceptedHead of(LogRecord record) {
        ByteBuffer in = record.head().asByteBuffer();
        return new AcceptedHead(Ballot.get(in), in.getLong());
    }
}
