package io.chainkeeper.contract;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
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
public final class ScriptedLog implements DurableRecords {
    private static final int MAX_READ_RECORDS = 100;

    private final TreeMap<Long, LogRecord> positional = new TreeMap<>();
    private final TreeMap<Long, LogRecord> truncated = new TreeMap<>();
    private final TreeMap<Integer, LogRecord> metadata = new TreeMap<>();
    private final List<LogRecord> unsynced = new ArrayList<>();
    private long appendedSequence;
    private long durableSequence;
    private long coveredPosition;
    private long syncs;
    private long syncedRecords;

    /** @param record that an earlier start has left, durable */
    public void plant(LogRecord record) {
        keep(record);
    }

    /** @param disk number of this disk, which an earlier start has recorded as that of a founder */
    public void plantFounder(long disk) {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1).putLong(disk).put((byte) 1);
        plant(new LogRecord(LogRecord.METADATA, ReplicaIdentity.DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
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
        return coveredPosition;
    }

    /** @param position up to which a checkpoint stands in for what the log may hold no longer */
    public void cover(long position) {
        coveredPosition = position;
    }

    /**
     * @param record to be appended
     * @return its sequence in this start
     */
    public long append(LogRecord record) {
        unsynced.add(record);
        return ++appendedSequence;
    }

    /** @return whether anything that was appended has become durable by this */
    public boolean sync() {
        if (unsynced.isEmpty()) {
            return false;
        }
        unsynced.forEach(this::keep);
        syncs++;
        syncedRecords += unsynced.size();
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

    /** The process ends: what is not durable is gone. */
    public void crash() {
        unsynced.clear();
        positional.putAll(truncated);
        truncated.clear();
        appendedSequence = 0;
        durableSequence = 0;
    }

    /** The disk is lost with all records. */
    public void lose() {
        crash();
        positional.clear();
        metadata.clear();
    }

    /** @return up to which record of this start all are durable */
    public long durableSequence() {
        return durableSequence;
    }

    /** @return how many records were appended in this start */
    public long appended() {
        return appendedSequence;
    }

    /** @return how many appended records are not durable */
    public int unsyncedRecords() {
        return unsynced.size();
    }

    /** @return how often records were forced, over all starts */
    public long syncs() {
        return syncs;
    }

    /** @return how many records were forced, over all starts */
    public long syncedRecords() {
        return syncedRecords;
    }

    /** @param belowPosition positions below it are dropped; they may be there again after a restart */
    public void truncate(long belowPosition) {
        truncated.putAll(positional.headMap(belowPosition));
        positional.headMap(belowPosition).clear();
        coveredPosition = Math.max(coveredPosition, belowPosition - 1);
    }

    /** @param position up to which all positions are dropped for good, because a state was installed in their place */
    public void discardThrough(long position) {
        positional.headMap(position, true).clear();
        truncated.headMap(position, true).clear();
    }

    /**
     * Keeps what the sender of a state that is installed here had promised, appended by now, whether synced or not.
     *
     * @param sender log of the replica that the state comes from
     * @param kind of the records of promises
     */
    public void keepPromiseOf(ScriptedLog sender, int kind) {
        LogRecord latest = sender.metadata.get(kind);
        for (LogRecord record : sender.unsynced) {
            latest = record.position() == LogRecord.METADATA && record.kind() == kind ? record : latest;
        }
        if (latest != null) {
            keep(new LogRecord(LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, latest.head(), ByteSlice.EMPTY));
        }
    }

    /**
     * @param from first position wanted
     * @return durable records of consecutive positions from there; empty if the log does not hold the first
     */
    public List<LogRecord> read(long from) {
        List<LogRecord> records = new ArrayList<>();
        for (long i = from; positional.containsKey(i) && records.size() < MAX_READ_RECORDS; i++) {
            records.add(positional.get(i));
        }
        return records;
    }

    /**
     * @param appliedPosition what the application's checkpoint covers
     * @return what a start finds
     */
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
}
