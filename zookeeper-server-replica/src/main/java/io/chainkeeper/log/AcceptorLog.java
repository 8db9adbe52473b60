package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * The durable record of an acceptor. Opening a log validates its contents: a torn tail is cut off; corruption anywhere
 * else is refused.
 *
 * <p>Threads: {@code append}, {@code sync}, {@code truncate} and {@code close} are called by one thread, the log
 * writer; {@code read} may be called by one other thread at the same time. It returns only records whose append has
 * returned, and at least those that were synced before the call.
 *
 * <p>An {@link IOException} thrown by {@code append} or {@code sync} is final: what is on disk is then unknown, and the
 * owner ends the process without calling the log again. A failed fsync is never tried again. The log writer's thread
 * must not be interrupted: Java closes a file under an interrupted thread.
 */
public interface AcceptorLog extends Closeable {
    /**
     * What was found when the log was opened.
     *
     * @param appliedPosition the application's own durable position, returned by {@link
     *     RecoveredState#appliedPosition()}
     * @return valid until the first append
     */
    RecoveredState recovered(long appliedPosition);

    /**
     * Writes a record behind all others. The record is durable after the next {@link #sync}.
     *
     * @param record the record; its bytes are not used after return
     * @throws IOException if it could not be written; the log must not be used any more
     * @throws io.chainkeeper.ordering.InvariantViolated if the record is larger than {@link AcceptorLogSettings} allow;
     *     nothing was written
     */
    void append(LogRecord record) throws IOException;

    /**
     * Makes everything appended so far durable, according to the log's durability.
     *
     * @throws IOException if it could not; the log must not be used any more
     */
    void sync() throws IOException;

    /**
     * Allows the log to drop positional records below a position. Metadata stays. How many of them the log keeps
     * nevertheless, for replicas that were away, is up to the log ({@link AcceptorLogSettings#retentionBytes}); records
     * that were dropped may be there again after a restart.
     *
     * @param belowPosition the first position that must stay readable
     * @throws IOException if old files could not be removed
     */
    void truncate(long belowPosition) throws IOException;

    /**
     * Drops all positional records up to a position, for ever: the state up to that position came from another replica,
     * so what was accepted here need not be what was decided. On return the drop is on stable storage, whatever the
     * log's durability, and no start will find the records again. Records that are appended later count, whatever their
     * position. Metadata stays. Called before this start reads or appends anything; does nothing if the latest call was
     * for the same position.
     *
     * @param position the last position to be dropped
     * @throws IOException if it could not be written; the log must not be used any more
     */
    void discardThrough(long position) throws IOException;

    /**
     * Reads the latest records of consecutive positions.
     *
     * @param fromPosition first position
     * @param maxBytes stop after about so many bytes of heads and bodies; at least one record is returned if there
     *     is one
     * @return ascending, without gaps, beginning with {@code fromPosition}; empty if the log does not hold that
     *     position
     * @throws IOException if a record cannot be read or its checksum is wrong
     */
    List<LogRecord> read(long fromPosition, int maxBytes) throws IOException;

    /** @return bytes on disk; may be called by any thread */
    long sizeBytes();

    /**
     * @return how often and how long the log was forced to stable storage, kept up to date; may be called by any
     *     thread. The default is for a log that never forces
     */
    default SyncStatistics syncStatistics() {
        return new SyncStatistics();
    }
}
