package io.chainkeeper.simulation.host;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Readings of a log, of which some look the records up when they are asked for, long before the bytes are here: what is
 * answered may be older than what the log holds by then.
 */
final class SlowReads {
    private record Asked(long fromPosition, int maxBytes) implements Comparable<Asked> {
        @Override
        public int compareTo(Asked other) {
            return fromPosition != other.fromPosition
                    ? Long.compare(fromPosition, other.fromPosition)
                    : Integer.compare(maxBytes, other.maxBytes);
        }
    }

    /** @param failure why there are no records; null if there are */
    private record Found(List<LogRecord> records, IOException failure) {}

    private final SplittableRandom random;
    private final Map<Asked, Found> found = new TreeMap<>();

    SlowReads(SplittableRandom random) {
        this.random = random;
    }

    /** A protocol asks for records, which are going to be read later. */
    void asked(AcceptorLog log, long fromPosition, int maxBytes) {
        if (random.nextBoolean()) {
            try {
                found.put(new Asked(fromPosition, maxBytes), new Found(log.read(fromPosition, maxBytes), null));
            } catch (IOException e) {
                found.put(new Asked(fromPosition, maxBytes), new Found(null, e));
            }
        }
    }

    /** The records are read, or have been. */
    List<LogRecord> read(AcceptorLog log, long fromPosition, int maxBytes) throws IOException {
        Found before = found.remove(new Asked(fromPosition, maxBytes));
        if (before == null) {
            return log.read(fromPosition, maxBytes);
        }
        if (before.failure() != null) {
            throw before.failure();
        }
        return before.records();
    }

    /** The process that has asked is gone. */
    void forget() {
        found.clear();
    }
}
