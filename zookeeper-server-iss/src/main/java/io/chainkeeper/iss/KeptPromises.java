package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.Prepare;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.Ballot;

/**
 * Which records keep which promise. That a replica is in an epoch keeps it from speaking in the epochs before, and from
 * using ballot 0 again after a restart; what it promised and accepted in the epoch is beside that.
 */
final class KeptPromises {
    private KeptPromises() {}

    static boolean keeps(DurableRecords log, OfSegment m) {
        LogRecord epoch = log.metadata(IssState.EPOCH);
        long number = epoch == null ? 0 : epoch.head().asByteBuffer().getLong();
        if (number != m.epoch()) {
            return number > m.epoch();
        }
        if (m instanceof Accept accept) {
            return mayPropose(log, m, accept.ballot());
        }
        if (m instanceof AcceptNil nil) {
            return mayPropose(log, m, nil.ballot());
        }
        if (m instanceof Prepare prepare) {
            return promises(log, m, prepare.ballot());
        }
        if (m instanceof Promise promise) {
            return promises(log, m, promise.ballot());
        }
        if (m instanceof Accepted accepted) {
            return holds(log, accepted.from(), accepted.ballot()) && holds(log, accepted.to(), accepted.ballot());
        }
        return true;
    }

    private static boolean mayPropose(DurableRecords log, OfSegment m, Ballot ballot) {
        return ballot.round() == 0 || promises(log, m, ballot);
    }

    private static boolean promises(DurableRecords log, OfSegment m, Ballot ballot) {
        LogRecord record = log.metadata(IssState.PROMISES);
        return record != null
                && !Epoch.promiseIn(record.head(), m.epoch(), m.segment()).lessThan(ballot);
    }

    private static boolean holds(DurableRecords log, long position, Ballot ballot) {
        LogRecord record = log.at(position);
        if (record == null) {
            return position <= log.coveredPosition();
        }
        return record.kind() == IssState.DECIDED
                || !AcceptedHead.of(record).ballot().lessThan(ballot);
    }
}
