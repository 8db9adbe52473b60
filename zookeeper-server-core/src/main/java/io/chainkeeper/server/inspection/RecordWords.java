package io.chainkeeper.server.inspection;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.Replica;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Puts records of an acceptor log in words: those of the host in its own, the others in their protocol's. */
public final class RecordWords {
    private final OrderingProtocolFactory protocol;
    private final Function<LogRecord, String> ofTheLog;

    /**
     * @param protocol that has written the log; null if it is not known
     * @param ofTheLog puts in words what the log itself has written, and returns null of everything else
     */
    public RecordWords(OrderingProtocolFactory protocol, Function<LogRecord, String> ofTheLog) {
        this.protocol = protocol;
        this.ofTheLog = ofTheLog;
    }

    /**
     * @param record a record
     * @return what it says, then, if it holds a value, a line for each command
     * @throws MalformedMessageException if it says nothing that the protocol or the host can have written
     */
    public List<String> of(LogRecord record) throws MalformedMessageException {
        try {
            String own = ofTheLog.apply(record);
            if (own == null) {
                own = ofTheHost(record);
            }
            if (own == null) {
                own = ofTheProtocol(record);
            }
            if (record.position() == LogRecord.METADATA) {
                return List.of(own);
            }
            List<String> lines = new ArrayList<>(CommandWords.of(record.body()));
            lines.set(0, own + "; " + lines.get(0));
            return lines;
        } catch (BufferUnderflowException e) {
            throw new MalformedMessageException("its head of " + record.head().length() + " bytes is cut short");
        }
    }

    private String ofTheHost(LogRecord record) throws MalformedMessageException {
        if (record.position() != LogRecord.METADATA) {
            return null;
        }
        return switch (record.kind()) {
            case Replica.INCARNATION ->
                "incarnation " + record.head().asByteBuffer().getLong();
            case LogRecord.PROTOCOL_KIND ->
                "protocol " + new String(record.head().toByteArray(), StandardCharsets.UTF_8);
            case LogRecord.PROMISE_OF_STATE_KIND ->
                "of the state that was installed: "
                        + (record.head().length() == 0 ? "no promise" : promiseOfState(record));
            default -> null;
        };
    }

    private String promiseOfState(LogRecord record) throws MalformedMessageException {
        if (protocol == null || protocol.promiseKind() == OrderingProtocolFactory.NO_KIND) {
            return record.head().length() + " bytes";
        }
        return protocol.describe(
                new LogRecord(LogRecord.METADATA, protocol.promiseKind(), record.head(), record.body()));
    }

    private String ofTheProtocol(LogRecord record) throws MalformedMessageException {
        return protocol == null
                ? "kind " + record.kind() + " of an unknown protocol, head of "
                        + record.head().length() + " bytes"
                : protocol.describe(record);
    }
}
