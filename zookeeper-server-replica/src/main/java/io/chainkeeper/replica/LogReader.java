package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.CorruptLogException;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the acceptor log for members that lag. Records below the truncation point are kept for such members only:
 * damaged ones count as dropped. Damage anywhere else concerns this replica itself. {@link #read} is for one thread.
 */
final class LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

    private final AcceptorLog log;
    private final Set<String> damagedFiles = new TreeSet<>();
    private volatile long neededFrom;
    private volatile long damagedReads;

    LogReader(AcceptorLog log) {
        this.log = log;
    }

    /** From now on this replica itself needs nothing below a position. */
    void truncated(long belowPosition) {
        neededFrom = Math.max(neededFrom, belowPosition);
    }

    /** How many reads have met damage and were answered as if the damaged records had been dropped. */
    long damagedReads() {
        return damagedReads;
    }

    /** As {@link AcceptorLog#read}; also empty where a record is damaged that this replica itself does not need. */
    List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        try {
            return log.read(fromPosition, maxBytes);
        } catch (CorruptLogException e) {
            if (fromPosition >= neededFrom) {
                throw e;
            }
        }
        try {
            return log.read(fromPosition, 1); // the damage may lie further on
        } catch (CorruptLogException e) {
            note(e);
            return List.of();
        }
    }

    private void note(CorruptLogException damage) {
        damagedReads++;
        if (damagedFiles.add(damage.file())) {
            LOG.error(
                    "{} is damaged at byte {}. It is kept only for members that lag, which now fetch the state instead;"
                            + " this server itself does not need it. Check the disk: a server does not start again with"
                            + " such a file, and then has to get its data directories from a backup or from the others",
                    damage.file(),
                    damage.offset());
        }
    }
}
