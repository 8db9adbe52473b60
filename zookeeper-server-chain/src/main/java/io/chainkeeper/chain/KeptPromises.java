package io.chainkeeper.chain;

import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;

/** Which records keep which promise. */
final class KeptPromises {
    private KeptPromises() {}

    /** Whether a log holds the promise of a ballot. */
    static boolean keeps(DurableRecords log, Ballot ballot) {
        LogRecord record = log.metadata(ReplicaState.PROMISE);
        return record != null && !Ballot.get(record.head().asByteBuffer()).lessThan(ballot);
    }

    /**
     * Whether a log holds the promise of a ballot and what its owner acknowledges in that ballot. What is decided needs
     * nobody's vote any more.
     */
    static boolean keeps(DurableRecords log, Ballot ballot, Progress progress, int sender) {
        long acknowledged = progress.ack(sender);
        if (!keeps(log, ballot) || acknowledged <= Math.max(progress.maxDecided(), log.coveredPosition())) {
            return keeps(log, ballot);
        }
        LogRecord record = log.at(acknowledged);
        return record != null && !AcceptedHead.of(record).ballot().lessThan(ballot);
    }
}
