package io.chainkeeper.ordering;

/**
 * A record of the acceptor log. There are two sorts. <em>Metadata</em> ({@code position == METADATA}): of each kind
 * only the latest counts and is kept for ever (promised ballot, incarnation). <em>Positional</em>
 * ({@code position >= 1}): of each position only the latest counts, and it may be dropped once {@link Effects#truncate}
 * says so (accepted values).
 *
 * @param position {@link #METADATA}, or the position in the total order, from 1
 * @param kind 1 to 127; the protocol's to choose up to 99, the host's from 100
 * @param head the small first part, never null
 * @param body the second part, usually a value that is also on the wire, never null; may be {@link ByteSlice#EMPTY}
 */
public record LogRecord(long position, int kind, ByteSlice head, ByteSlice body) {
    /** Position of records that belong to no position. */
    public static final long METADATA = 0;

    /** First kind that belongs to the host and not to the protocol. */
    public static final int FIRST_HOST_KIND = 100;

    /** Metadata record of the host: the name of the protocol that writes the log, UTF-8. */
    public static final int PROTOCOL_KIND = 110;

    /**
     * Metadata record of the host: what the replica whose state was installed here had promised, a head as the protocol
     * of that replica wrote it ({@link OrderingProtocolFactory#promiseKind}).
     */
    public static final int PROMISE_OF_STATE_KIND = 111;

    /** Checks the ranges. */
    public LogRecord {
        InvariantViolated.check(position >= METADATA, "log record position %d is negative", position);
        InvariantViolated.check(kind >= 1 && kind <= 127, "log record kind %d is out of range", kind);
    }
}
