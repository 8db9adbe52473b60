package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A replica's acceptor log. A record is first queued, then written (readable), then stable. A crash keeps what is
 * stable and, as a real disk may, some further records in the order they were appended in; a torn record at the end is
 * the same as none, because opening the log cuts it. Truncation is as lazy as the habits say.
 */
public final class SimulatedLog implements DurableRecords {
    private record Queued(long sequence, LogRecord record) {}

    /** A part of the log that is dropped as a whole. */
    private static final class Segment {
        private int records;
        private long maxPosition;
    }

    private final LogHabits habits;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private final NavigableMap<Long, LogRecord> dropped = new TreeMap<>();
    private final NavigableMap<Long, LogRecord> stablePositions = new TreeMap<>();
    private final NavigableMap<Integer, LogRecord> stableMetadata = new TreeMap<>();
    private final Deque<Queued> unstable = new ArrayDeque<>();
    private final NavigableMap<Long, LogRecord> written = new TreeMap<>();

    private long appended;
    private long writtenSequence;
    private long stable;
    private long covered;

    SimulatedLog(LogHabits habits) {
        this.habits = habits;
        segments.addLast(new Segment());
    }

    /** Queues a record; returns its sequence. */
    public long append(LogRecord record) {
        appended++;
        unstable.addLast(new Queued(appended, record));
        return appended;
    }

    @Override
    public LogRecord metadata(int kind) {
        return stableMetadata.get(kind);
    }

    /** Whether what is durable says that this replica founded the cluster: behind the number of its disk. */
    public boolean isOfFounder() {
        LogRecord disk = metadata(ReplicaIdentity.DISK);
        return disk != null && disk.head().asByteBuffer().get(Long.BYTES) != 0;
    }

    /** Whether nothing that is durable says that this replica took part in anything. */
    boolean isBlank() {
        return promisedNothing() && !isOfFounder();
    }

    /** Whether what is durable says that this replica founded the cluster, and nothing else. */
    public boolean hasOnlyFounded() {
        return promisedNothing() && isOfFounder();
    }

    private boolean promisedNothing() {
        boolean onlyItself =
                Set.of(ReplicaIdentity.DISK, ReplicaIdentity.COMPANIONS).containsAll(stableMetadata.keySet());
        return onlyItself && stablePositions.isEmpty();
    }

    @Override
    public LogRecord at(long position) {
        return stablePositions.get(position);
    }

    @Override
    public long coveredPosition() {
        return covered;
    }

    long appended() {
        return appended;
    }

    long stable() {
        return stable;
    }

    /** Whether a crash could lose records. */
    public boolean hasUnstable() {
        return stable < appended;
    }

    /** Writes everything queued so far; returns the sequence that is stable when the sync has ended. */
    public long beginSync() {
        for (Queued queued : unstable) {
            if (queued.sequence() > writtenSequence && isPositional(queued.record())) {
                written.put(queued.record().position(), queued.record());
            }
        }
        writtenSequence = appended;
        return appended;
    }

    /** The sync has ended. */
    public void completeSync(long sequence) {
        while (!unstable.isEmpty() && unstable.peekFirst().sequence() <= sequence) {
            keep(unstable.removeFirst().record());
        }
        stable = Math.max(stable, sequence);
    }

    private void keep(LogRecord record) {
        if (!isPositional(record)) {
            stableMetadata.put(record.kind(), record);
        } else {
            stablePositions.put(record.position(), record);
            dropped.remove(record.position());
            Segment newest = segments.getLast();
            newest.records++;
            newest.maxPosition = Math.max(newest.maxPosition, record.position());
            if (newest.records == habits.segmentPositions()) {
                segments.addLast(new Segment());
            }
        }
    }

    private static boolean isPositional(LogRecord record) {
        return record.position() != LogRecord.METADATA;
    }

    /**
     * The process is gone.
     *
     * @param survivors how many of the unstable records reach the disk all the same
     */
    public void crash(int survivors) {
        for (int i = 0; i < survivors && !unstable.isEmpty(); i++) {
            keep(unstable.removeFirst().record());
        }
        unstable.clear();
        if (habits.dropsAreLate()) {
            dropped.forEach(stablePositions::putIfAbsent);
        }
        dropped.clear();
        written.clear();
        written.putAll(stablePositions);
        appended = 0;
        writtenSequence = 0;
        stable = 0;
    }

    /** Latest bodies of positions above one, whether stable or not. */
    public List<ByteSlice> bodiesAbove(long position) {
        NavigableMap<Long, LogRecord> above = new TreeMap<>(written.tailMap(position, false));
        for (Queued queued : unstable) {
            if (queued.record().position() > position) {
                above.put(queued.record().position(), queued.record());
            }
        }
        return above.values().stream().map(LogRecord::body).toList();
    }

    /** How many records a crash could lose. */
    public int unstableCount() {
        return unstable.size();
    }

    /** As {@link io.chainkeeper.log.AcceptorLog#truncate}. */
    void truncate(long belowPosition) {
        cover(belowPosition - 1);
        long keptFrom = belowPosition - habits.retainedPositions();
        while (segments.size() > 1 && segments.getFirst().maxPosition < keptFrom) {
            long last = segments.removeFirst().maxPosition;
            NavigableMap<Long, LogRecord> gone = stablePositions.headMap(last, true);
            dropped.putAll(gone);
            gone.clear();
            written.headMap(last, true).clear();
        }
    }

    /** As {@link io.chainkeeper.log.AcceptorLog#discardThrough}. */
    void discardThrough(long position) {
        InvariantViolated.check(unstable.isEmpty(), "%d records are queued before the start", unstable.size());
        cover(position);
        stablePositions.headMap(position, true).clear();
        written.headMap(position, true).clear();
    }

    /** What the sender of an installed state had promised is on disk before the log is read. */
    void keepPromiseOfState(ByteSlice promise) {
        keep(new LogRecord(LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, promise, ByteSlice.EMPTY));
    }

    /** Head of the latest metadata record of a kind, whether stable or not; empty if there is none. */
    public ByteSlice latestHead(int kind) {
        LogRecord latest = stableMetadata.get(kind);
        for (Queued queued : unstable) {
            if (!isPositional(queued.record()) && queued.record().kind() == kind) {
                latest = queued.record();
            }
        }
        return latest == null ? ByteSlice.EMPTY : latest.head();
    }

    /** A state that is kept elsewhere holds everything up to here. */
    void cover(long position) {
        covered = Math.max(covered, position);
    }

    /** As {@link io.chainkeeper.log.AcceptorLog#read}. */
    public List<LogRecord> read(long fromPosition, int maxBytes) {
        List<LogRecord> records = new ArrayList<>();
        long bytes = 0;
        long next = fromPosition;
        for (Map.Entry<Long, LogRecord> entry : written.tailMap(fromPosition).entrySet()) {
            if (entry.getKey() != next || (!records.isEmpty() && bytes >= maxBytes)) {
                break;
            }
            LogRecord record = entry.getValue();
            records.add(record);
            bytes += record.head().length() + record.body().length();
            next++;
        }
        return records;
    }

    RecoveredState recovered(long appliedPosition) {
        InvariantViolated.check(unstable.isEmpty(), "the log is opened while %d records are queued", unstable.size());
        return new RecoveredState() {
            @Override
            public long appliedPosition() {
                return appliedPosition;
            }

            @Override
            public LogRecord metadata(int kind) {
                return stableMetadata.get(kind);
            }

            @Override
            public long firstPosition() {
                return stablePositions.isEmpty() ? 0 : stablePositions.firstKey();
            }

            @Override
            public long lastPosition() {
                return stablePositions.isEmpty() ? 0 : stablePositions.lastKey();
            }

            @Override
            public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
                stablePositions.tailMap(fromPosition).values().forEach(visitor);
            }
        };
    }

    /** Whether the stable records from a position on leave none out. */
    public boolean hasNoHoleFrom(long position) {
        NavigableMap<Long, LogRecord> tail = stablePositions.tailMap(position, true);
        return tail.isEmpty() || (tail.firstKey() == position && tail.lastKey() - tail.firstKey() + 1 == tail.size());
    }

    /** The readable records in order of position. */
    public List<LogRecord> records() {
        return new ArrayList<>(written.values());
    }
}
