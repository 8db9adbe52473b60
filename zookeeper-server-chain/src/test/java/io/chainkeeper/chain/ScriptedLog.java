package io.chainkeeper.chain;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An acceptor log that loses on a crash exactly what was not synced. As in the product, what was truncated may be there
 * again after a restart, and what was discarded is not.
 */
final class ScriptedLog implements DurableRecords {
    private final TreeMap<Long, LogRecord> positional = new TreeMap<>();
    private final TreeMap<Long, LogRecord> truncated = new TreeMap<>();
    private final TreeMap<Integer, LogRecord> metadata = new TreeMap<>();
    private final List<LogRecord> unsynced = new ArrayList<>();
    private long appendedSequence;
    private long durableSequence;
    private long truncatedTo;

    /** Puts a durable record of an accepted value, as an earlier start would have left it. */
    void plant(long instance, Ballot ballot, long maxDecided, ByteSlice value) {
        ByteBuffer head = ByteBuffer.allocate(20);
        head.putLong(ballot.round()).putInt(ballot.replica()).putLong(maxDecided);
        keep(new LogRecord(instance, ReplicaState.ACCEPTED, ByteSlice.of(head.array()), value));
        plantFounder(instance);
    }

    /** Puts a durable record that this disk took part in founding the cluster. */
    void plantFounder(long disk) {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1).putLong(disk).put((byte) 1);
        keep(new LogRecord(LogRecord.METADATA, ReplicaIdentity.DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    @Override
    public LogRecord metadata(int kind) {
        return metadata.get(kind);
    }

    @Override
    public LogRecord at(long position) {
        return positional.get(position);
    }

    @Override
    public long coveredPosition() {
        return truncatedTo;
    }

    long append(LogRecord record) {
        unsynced.add(record);
        return ++appendedSequence;
    }

    boolean sync() {
        if (unsynced.isEmpty()) {
            return false;
        }
        unsynced.forEach(this::keep);
        unsynced.clear();
        durableSequence = appendedSequence;
        return true;
    }

    private void keep(LogRecord record) {
        if (record.position() == LogRecord.METADATA) {
            metadata.put(record.kind(), record);
        } else {
            positional.put(record.position(), record);
            truncated.remove(record.position());
        }
    }

    void crash() {
        unsynced.clear();
        positional.putAll(truncated);
        truncated.clear();
        appendedSequence = 0;
        durableSequence = 0;
    }

    long durableSequence() {
        return durableSequence;
    }

    int unsyncedRecords() {
        return unsynced.size();
    }

    /** How many records were ever appended in this start. */
    long appended() {
        return appendedSequence;
    }

    LogRecord durable(long position) {
        return positional.get(position);
    }

    void truncate(long belowPosition) {
        truncated.putAll(positional.headMap(belowPosition));
        positional.headMap(belowPosition).clear();
        truncatedTo = Math.max(truncatedTo, belowPosition - 1);
    }

    /** What the sender of a state that is installed had promised, appended by now, whether synced or not. */
    void keepPromiseOf(ScriptedLog sender) {
        int kind = new ChainPaxosFactory().promiseKind();
        LogRecord latest = sender.metadata.get(kind);
        for (LogRecord record : sender.unsynced) {
            latest = record.position() == LogRecord.METADATA && record.kind() == kind ? record : latest;
        }
        if (latest != null) {
            keep(new LogRecord(LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, latest.head(), ByteSlice.EMPTY));
        }
    }

    /** As {@link io.chainkeeper.log.AcceptorLog#discardThrough}. */
    void discardThrough(long position) {
        positional.headMap(position, true).clear();
        truncated.headMap(position, true).clear();
    }

    List<LogRecord> read(long from) {
        List<LogRecord> records = new ArrayList<>();
        for (long i = from; positional.containsKey(i) && records.size() < 100; i++) {
            records.add(positional.get(i));
        }
        return records;
    }

    RecoveredState recovered(long appliedPosition) {
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
}
