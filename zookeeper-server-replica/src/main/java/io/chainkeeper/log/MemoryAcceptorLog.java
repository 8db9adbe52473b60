package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The log of {@link Durability#MEMORY}: nothing is on disk, and it begins empty. For benchmarks. */
final class MemoryAcceptorLog implements AcceptorLog {
    private final AcceptorLogSettings settings;
    private final SyncStatistics statistics = new SyncStatistics();
    private final LogGuard guard = new LogGuard("memory");
    private final TreeMap<Long, LogRecord> records = new TreeMap<>();

    /** @param settings the bounds of what is kept below the truncation point */
    MemoryAcceptorLog(AcceptorLogSettings settings) {
        this.settings = settings;
    }

    @Override
    public synchronized void append(LogRecord record) throws IOException {
        guard.check();
        settings.checkSize(record);
        if (record.position() != LogRecord.METADATA) {
            records.put(record.position(), MetadataTable.copy(record));
        }
    }

    @Override
    public void sync() throws IOException {
        guard.check();
    }

    @Override
    public synchronized void truncate(long belowPosition) throws IOException {
        guard.check();
        long retention = Math.min(settings.retentionBytes(), settings.memoryRetentionBytes());
        long keptBytes = 0;
        long keptPositions = 0;
        for (Map.Entry<Long, LogRecord> entry :
                records.headMap(belowPosition, false).descendingMap().entrySet()) {
            keptBytes += RecordHeader.recordBytes(entry.getValue());
            keptPositions++;
            if (keptBytes > retention || keptPositions > settings.maxRetainedPositions()) {
                records.headMap(entry.getKey(), true).clear();
                return;
            }
        }
    }

    @Override
    public synchronized void discardThrough(long position) throws IOException {
        guard.check();
        records.headMap(position, true).clear();
    }

    @Override
    public synchronized List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        guard.check();
        List<LogRecord> found = new ArrayList<>();
        long bytes = 0;
        LogRecord record = records.get(fromPosition);
        while (record != null && (found.isEmpty() || bytes < maxBytes)) {
            found.add(record);
            bytes += record.head().length() + record.body().length();
            record = records.get(fromPosition + found.size());
        }
        return found;
    }

    @Override
    public RecoveredState recovered(long appliedPosition) {
        return new RecoveredState() {
            @Override
            public long appliedPosition() {
                return appliedPosition;
            }

            @Override
            public LogRecord metadata(int kind) {
                return null;
            }

            @Override
            public long firstPosition() {
                return 0;
            }

            @Override
            public long lastPosition() {
                return 0;
            }

            @Override
            public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
                // The log began empty.
            }
        };
    }

    @Override
    public SyncStatistics syncStatistics() {
        return statistics;
    }

    @Override
    public long sizeBytes() {
        return 0;
    }

    @Override
    public synchronized void close() {
        guard.close();
        records.clear();
    }
}
