package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What an acceptor log was given, and what of it must be there whatever happens. A start that finds anything else has a
 * log that forgets, or invents.
 */
final class LogMemory {
    private final NavigableMap<Long, LogRecord> positions = new TreeMap<>();
    private final NavigableMap<Integer, LogRecord> metadata = new TreeMap<>();
    private final Deque<LogRecord> unstable = new ArrayDeque<>();

    /** Positions below may be gone. */
    private long truncatedBelow;

    void appended(LogRecord record) {
        unstable.addLast(record);
    }

    /** The oldest of those that were not are on the disk. */
    void stable(long count) {
        for (long i = 0; i < count; i++) {
            keep(unstable.removeFirst());
        }
    }

    private void keep(LogRecord record) {
        if (record.position() == LogRecord.METADATA) {
            metadata.put(record.kind(), record);
        } else {
            positions.put(record.position(), record);
        }
    }

    void truncated(long belowPosition) {
        truncatedBelow = Math.max(truncatedBelow, belowPosition);
    }

    void discarded(long throughPosition) {
        positions.headMap(throughPosition, true).clear();
    }

    LogRecord metadata(int kind) {
        return metadata.get(kind);
    }

    NavigableMap<Integer, LogRecord> metadata() {
        return metadata;
    }

    NavigableMap<Long, LogRecord> positions() {
        return positions;
    }

    Collection<LogRecord> unstable() {
        return unstable;
    }

    /**
     * A log was opened after a crash: it must hold what was stable, and of what was appended behind that the first ones
     * at most. From now on what it holds is stable.
     *
     * @return how many of them it holds, at least
     */
    int reopened(int replica, RecoveredState found) {
        NavigableMap<Long, LogRecord> foundPositions = new TreeMap<>();
        found.forEachPosition(1, record -> foundPositions.put(record.position(), record));
        Mismatches mismatches = new Mismatches(found, foundPositions);
        positions.keySet().forEach(mismatches::compare);
        foundPositions.keySet().forEach(mismatches::compare);
        metadata.keySet().forEach(mismatches::compareKind);
        for (LogRecord record : unstable) {
            mismatches.compare(record);
        }
        int kept = 0;
        while (!mismatches.isEmpty()) {
            InvariantViolated.check(
                    !unstable.isEmpty(),
                    "acceptor log: replica %d finds something that is neither what was durable nor that with the"
                            + " first of what was appended then (%d records): %s",
                    replica,
                    kept,
                    mismatches);
            LogRecord next = unstable.removeFirst();
            keep(next);
            mismatches.compare(next);
            kept++;
        }
        unstable.clear();
        positions.clear();
        positions.putAll(foundPositions);
        truncatedBelow = 0;
        return kept;
    }

    /** Where what was found is not what is kept in mind. */
    private final class Mismatches {
        private final RecoveredState found;
        private final NavigableMap<Long, LogRecord> foundPositions;
        private final NavigableMap<Long, String> wrong = new TreeMap<>();

        Mismatches(RecoveredState found, NavigableMap<Long, LogRecord> foundPositions) {
            this.found = found;
            this.foundPositions = foundPositions;
        }

        boolean isEmpty() {
            return wrong.isEmpty();
        }

        void compare(LogRecord record) {
            if (record.position() == LogRecord.METADATA) {
                compareKind(record.kind());
            } else {
                compare(record.position());
            }
        }

        void compare(long position) {
            LogRecord expected = positions.get(position);
            LogRecord there = foundPositions.get(position);
            boolean isGone = there == null && position < truncatedBelow;
            note(position, isGone ? null : expected, there);
        }

        void compareKind(int kind) {
            note(-kind, metadata.get(kind), found.metadata(kind));
        }

        private void note(long key, LogRecord expected, LogRecord there) {
            if (expected == null ? there == null : expected.equals(there)) {
                wrong.remove(key);
            } else {
                wrong.put(key, "expected " + expected + ", found " + there);
            }
        }

        @Override
        public String toString() {
            return wrong.toString();
        }
    }
}
