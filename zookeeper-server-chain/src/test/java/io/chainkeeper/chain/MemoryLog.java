package io.chainkeeper.chain;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/** An acceptor log that outlives its replica but not its process. */
final class MemoryLog implements AcceptorLog {
    private final TreeMap<Long, LogRecord> positional = new TreeMap<>();
    private final TreeMap<Integer, LogRecord> metadata = new TreeMap<>();

    @Override
    public RecoveredState recovered(long appliedPosition) {
        return new RecoveredState() {
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
                return positional.isEmpty() ? 0 : positional.firstKey();
            }

            @Override
            public long lastPosition() {
                return positional.isEmpty() ? 0 : positional.lastKey();
            }

            @Override
            public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
                new ArrayList<>(positional.tailMap(fromPosition).values()).forEach(visitor);
            }
        };
    }

    @Override
    public synchronized void append(LogRecord record) {
        if (record.position() == LogRecord.METADATA) {
            metadata.put(record.kind(), record);
        } else {
            positional.put(record.position(), record);
        }
    }

    @Override
    public void sync() {}

    @Override
    public synchronized void truncate(long belowPosition) {
        positional.headMap(belowPosition).clear();
    }

    @Override
    public synchronized List<LogRecord> read(long fromPosition, int maxBytes) {
        List<LogRecord> records = new ArrayList<>();
        int bytes = 0;
        for (long i = fromPosition; positional.containsKey(i) && bytes < maxBytes; i++) {
            records.add(positional.get(i));
            bytes += positional.get(i).body().length();
        }
        return records;
    }

    @Override
    public long sizeBytes() {
        return 0;
    }

    @Override
    public void close() {}
}
