package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.RecoveredState;

/**
 * The head of the latest record of this replica's promise, which goes with the replica's state to the members that
 * fetch that state. The record need not be durable: it does no harm if a receiver promises more than the sender.
 * Written by the thread that runs the protocol, read by any.
 */
final class LatestPromise {
    private final int kind;
    private volatile ByteSlice head;

    /**
     * @param recovered what the log holds
     * @param kind {@link OrderingProtocolFactory#promiseKind}
     */
    LatestPromise(RecoveredState recovered, int kind) {
        this.kind = kind;
        LogRecord kept = kind == OrderingProtocolFactory.NO_KIND ? null : recovered.metadata(kind);
        this.head = kept == null ? ByteSlice.EMPTY : kept.head();
    }

    void appended(LogRecord record) {
        if (record.kind() == kind && record.position() == LogRecord.METADATA) {
            head = record.head();
        }
    }

    ByteSlice head() {
        return head;
    }
}
