package io.chainkeeper.log;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The acceptor log as a row of append-only segment files ({@link SegmentHeader}, {@link RecordHeader}). Each begins
 * with the latest metadata, so that any number of the oldest can be deleted.
 *
 * <p>After a crash the records behind the last {@link #sync} are there, or missing, or there in part. Opening keeps the
 * intact records up to the first that is not intact, and cuts off the rest. If a later record proves that a bad record
 * had been on stable storage, or if the bad record lies anywhere else, it is damage and the log is refused.
 */
final class SegmentedAcceptorLog implements AcceptorLog {
    private final LogFiles files;
    private final Durability durability;
    private final AcceptorLogSettings settings;
    private final Closeable directoryLock;
    private final SyncStatistics statistics = new SyncStatistics();

    // Guards index, segments and the writer's buffer against a reader.
    private final Object lock = new Object();
    private final PositionIndex index;

    /** By their numbers, so by age. */
    private final NavigableMap<Integer, Segment> segments = new TreeMap<>();

    private final MetadataTable metadata;
    private final SegmentWriter writer;
    private final BackgroundForcer forcer;

    private final LogGuard guard;

    /**
     * Opens a log, or begins one.
     *
     * @param files the directory
     * @param durability not {@link Durability#MEMORY}
     * @param settings the bounds
     * @param directoryLock closed with the log; stays open if this fails
     * @throws CorruptLogException if the log is damaged; nothing has been changed
     * @throws IOException if a file cannot be read or written
     */
    SegmentedAcceptorLog(LogFiles files, Durability durability, AcceptorLogSettings settings, Closeable directoryLock)
            throws IOException {
        InvariantViolated.check(durability != Durability.MEMORY, "a log in memory has no segments");
        this.files = files;
        this.durability = durability;
        this.settings = settings;
        this.directoryLock = directoryLock;
        this.guard = new LogGuard(files.directory());
        LogRecovery found = LogRecovery.scan(files);
        index = found.index;
        metadata = found.metadata;
        found.segments.forEach(this::add);
        writer = new SegmentWriter(files, settings, statistics, lock);
        try {
            start(found);
        } catch (IOException e) {
            writer.close();
            throw guard.failed("opened", e);
        }
        forcer = durability == Durability.ASYNC
                ? new BackgroundForcer(writer::force, settings.asyncForceIntervalMillis())
                : null;
    }

    private void start(LogRecovery found) throws IOException {
        for (String name : found.abandoned) {
            files.delete(name);
        }
        if (segments.isEmpty()) {
            add(writer.begin(1, metadata));
        } else {
            // The name of the last segment may be as new as its last records.
            files.syncDirectory();
            writer.resume(segments.lastEntry().getValue(), found.end, found.forcedOffset, found.torn);
        }
    }

    private void add(Segment segment) {
        segments.put(segment.number, segment);
    }

    @Override
    public void append(LogRecord record) throws IOException {
        guard.check();
        checkSize(record);
        guard.enter();
        try {
            int bytes = (int) RecordHeader.recordBytes(record);
            if (writer.appendOffset() + bytes > settings.segmentBytes()) {
                roll();
            }
            int offset = writer.append(record);
            if (record.position() == LogRecord.METADATA) {
                metadata.put(record);
            } else {
                synchronized (lock) {
                    index.put(record.position(), writer.segment().number, offset, bytes);
                }
                writer.segment().include(record.position());
            }
        } catch (IOException e) {
            throw guard.failed("written", e);
        }
        guard.leave();
    }

    private void checkSize(LogRecord record) {
        settings.checkSize(record);
        if (record.position() == LogRecord.METADATA) {
            long all = metadata.bytesWith(record);
            InvariantViolated.check(
                    all <= settings.maxMetadataBytes(),
                    "log metadata of %d bytes is over the bound of %d",
                    all,
                    settings.maxMetadataBytes());
        }
    }

    private void roll() throws IOException {
        Segment next = writer.begin(writer.segment().number + 1, metadata);
        synchronized (lock) {
            add(next);
        }
    }

    @Override
    public void sync() throws IOException {
        guard.enter();
        try {
            writer.flush();
            if (durability == Durability.SYNC) {
                writer.force();
            } else {
                forcer.dirty();
            }
        } catch (IOException e) {
            throw guard.failed("written", e);
        }
        guard.leave();
    }

    @Override
    public void truncate(long belowPosition) throws IOException {
        guard.enter();
        try {
            for (int left = droppable(belowPosition); left > 0; left--) {
                dropOldest();
            }
        } catch (IOException e) {
            throw guard.failed("truncated", e);
        }
        guard.leave();
    }

    @Override
    public void discardThrough(long position) throws IOException {
        guard.check();
        if (Discarded.position(metadata.get(Discarded.KIND)) == position) {
            return;
        }
        append(Discarded.record(position));
        guard.enter();
        try {
            writer.flush();
            writer.force();
        } catch (IOException e) {
            throw guard.failed("written", e);
        }
        synchronized (lock) {
            index.removeBelow(position + 1);
        }
        guard.leave();
    }

    /** How many of the oldest segments hold no record that must be kept, or should be kept within the retention. */
    private int droppable(long belowPosition) {
        int unneeded = 0;
        for (Segment segment : segments.values()) {
            if (segment == writer.segment() || segment.maxPosition >= belowPosition) {
                break;
            }
            unneeded++;
        }
        List<Segment> oldest = new ArrayList<>(segments.values()).subList(0, unneeded);
        long keptBytes = 0;
        for (int i = unneeded - 1; i >= 0; i--) {
            Segment segment = oldest.get(i);
            keptBytes += segment.fileBytes;
            boolean tooManyPositions =
                    segment.minPosition > 0 && belowPosition - segment.minPosition > settings.maxRetainedPositions();
            if (keptBytes > settings.retentionBytes() || tooManyPositions) {
                return i + 1;
            }
        }
        return 0;
    }

    private void dropOldest() throws IOException {
        Segment oldest = segments.firstEntry().getValue();
        synchronized (lock) {
            segments.remove(oldest.number);
            index.removeBelow(oldest.maxPosition + 1);
        }
        files.delete(oldest.name());
        // Segment by segment: after a crash no younger segment may be missing while an older one is there.
        files.syncDirectory();
    }

    @Override
    public List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        guard.check();
        List<LogRecord> records = new ArrayList<>();
        long position = fromPosition;
        long bytesLeft = maxBytes;
        while (position >= 1 && (records.isEmpty() || bytesLeft > 0)) {
            SegmentRun run = readRun(position, bytesLeft);
            if (run == null) {
                break;
            }
            bytesLeft -= run.decode(records);
            position += run.count();
        }
        return records;
    }

    private SegmentRun readRun(long position, long maxBytes) throws IOException {
        SegmentRun run;
        LogFile file;
        long salt;
        synchronized (lock) {
            run = SegmentRun.find(index, position, maxBytes);
            if (run == null) {
                return null;
            }
            run.copyBuffered(writer);
            salt = salt(run.segment());
            file = files.openForReading(run.name());
        }
        try (file) {
            run.load(file, files, salt);
        }
        return run;
    }

    private long salt(int number) {
        Segment segment = segments.get(number);
        InvariantViolated.check(segment != null, "the index names segment %d, which the log does not hold", number);
        return segment.salt;
    }

    @Override
    public RecoveredState recovered(long appliedPosition) {
        return new Recovered(appliedPosition);
    }

    private final class Recovered implements RecoveredState {
        private static final int READ_BYTES = 1 << 20;

        private final long appliedPosition;

        Recovered(long appliedPosition) {
            this.appliedPosition = appliedPosition;
        }

        @Override
        public long appliedPosition() {
            return appliedPosition;
        }

        @Override
        public LogRecord metadata(int kind) {
            return metadata.get(kind);
        }

        @Override
        public long firstPosition() {
            synchronized (lock) {
                return index.first();
            }
        }

        @Override
        public long lastPosition() {
            synchronized (lock) {
                return index.last();
            }
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            long position = ceiling(fromPosition);
            while (position > 0) {
                List<LogRecord> records;
                try {
                    records = read(position, READ_BYTES);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                records.forEach(visitor);
                position = ceiling(position + records.size());
            }
        }

        @Override
        public void forEachHead(long fromPosition, Consumer<LogRecord> visitor) {
            try (HeadReader reader = new HeadReader(files)) {
                for (long position = ceiling(fromPosition); position > 0; position = ceiling(position + 1)) {
                    visitor.accept(head(reader, position));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** What the newest segment holds may not have been written yet. */
        private LogRecord head(HeadReader reader, long position) throws IOException {
            long location;
            int length;
            long salt;
            synchronized (lock) {
                location = index.location(position);
                length = index.length(position);
                if (PositionIndex.segment(location) == writer.segment().number) {
                    location = 0;
                }
                salt = location == 0 ? 0 : salt(PositionIndex.segment(location));
            }
            return location == 0 ? read(position, 1).get(0) : reader.read(position, location, length, salt);
        }

        private long ceiling(long position) {
            synchronized (lock) {
                return index.ceiling(position);
            }
        }
    }

    @Override
    public SyncStatistics syncStatistics() {
        return statistics;
    }

    @Override
    public long sizeBytes() {
        synchronized (lock) {
            long bytes = 0;
            for (Segment segment : segments.values()) {
                bytes += segment.fileBytes;
            }
            return bytes;
        }
    }

    @Override
    public void close() throws IOException {
        boolean sound = guard.sound();
        if (!guard.close()) {
            return;
        }
        try {
            if (forcer != null) {
                forcer.close();
            }
            if (sound) {
                if (forcer != null) {
                    forcer.check();
                }
                writer.flush();
                writer.force();
            }
        } catch (IOException e) {
            throw guard.failed("closed", e);
        } finally {
            writer.close();
            directoryLock.close();
        }
    }
}
