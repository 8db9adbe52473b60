package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** What an acceptor log says, and is told, before a replica starts on it. */
public final class LogAtStart {
    private LogAtStart() {}

    /**
     * @param log just opened
     * @return whether a start with this log has had a link, or needed none: from then on the log remembers what was
     *     promised
     */
    public static boolean remembersAStart(AcceptorLog log) {
        return incarnation(log) != null;
    }

    /**
     * @param log just opened
     * @return the largest incarnation of a start with this log that has had a link, or needed none; 0 if there is none
     */
    public static long lastIncarnation(AcceptorLog log) {
        LogRecord record = incarnation(log);
        return record == null ? 0 : record.head().asByteBuffer().getLong();
    }

    /** What says which protocol writes a log. */
    static LogRecord protocol(String name) {
        return host(LogRecord.PROTOCOL_KIND, ByteSlice.of(name.getBytes(StandardCharsets.UTF_8)));
    }

    /** What says that a start with a log had a link, or needed none. */
    static LogRecord incarnation(long incarnation) {
        return host(
                Replica.INCARNATION,
                ByteSlice.of(
                        ByteBuffer.allocate(Long.BYTES).putLong(incarnation).array()));
    }

    private static LogRecord host(int kind, ByteSlice head) {
        return new LogRecord(LogRecord.METADATA, kind, head, ByteSlice.EMPTY);
    }

    private static LogRecord incarnation(AcceptorLog log) {
        return log.recovered(0).metadata(Replica.INCARNATION);
    }

    /**
     * Makes durable what the member had promised whose state was installed, unless it is already: whoever has the state
     * is bound by it.
     *
     * @param log just opened
     * @param position of the state
     * @param promise of that member, empty if it had promised nothing that goes with a state
     * @throws IOException if the log cannot be written
     */
    public static void keepPromise(AcceptorLog log, long position, ByteSlice promise) throws IOException {
        LogRecord record = new LogRecord(LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, promise, ByteSlice.EMPTY);
        LogRecord kept = log.recovered(position).metadata(LogRecord.PROMISE_OF_STATE_KIND);
        if (promise.length() > 0 && !record.equals(kept)) {
            log.append(record);
            log.sync();
        }
    }
}
