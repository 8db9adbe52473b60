package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.simulation.host.HostRule;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What of a replica outlives a crash: its acceptor log, and what its application has made durable by itself. */
final class ExploredDisk implements DurableRecords {
    private final NavigableMap<Long, LogRecord> positions = new TreeMap<>();
    private final NavigableMap<Integer, LogRecord> metadata = new TreeMap<>();
    private ExploredCheckpoint checkpoint = ExploredCheckpoint.NOTHING;

    /** What a start falls back to if the checkpoint is damaged; the same as that one if nothing older is kept. */
    private ExploredCheckpoint oldestCheckpoint = ExploredCheckpoint.NOTHING;

    /** Installed last: every start discards what was accepted below this state, and promises what it says. */
    private OfferedState installed = OfferedState.NOTHING;

    void keep(LogRecord record) {
        if (record.position() == LogRecord.METADATA) {
            metadata.put(record.kind(), record);
        } else {
            positions.put(record.position(), record);
        }
    }

    /** What the product does with a log before it is read. */
    void beginStart(ReplicaMaker maker) {
        if (maker.follows(HostRule.WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED)) {
            positions.headMap(installed.checkpoint().position(), true).clear();
        }
        if (installed.promise().length() > 0) {
            keep(new LogRecord(
                    LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, installed.promise(), ByteSlice.EMPTY));
        }
    }

    /** What a start reads. */
    StableState recovered(long prefixHash) {
        return new StableState(checkpoint, prefixHash, positions, metadata);
    }

    /** @param keepsOlder whether the checkpoint before this one is kept */
    void keep(ExploredCheckpoint newer, boolean keepsOlder) {
        oldestCheckpoint = keepsOlder ? checkpoint : newer;
        checkpoint = newer;
    }

    /** The newest checkpoint is damaged. */
    void loseCheckpoint() {
        checkpoint = oldestCheckpoint;
    }

    /** While it is down: another one's state takes the place of its own; the log stays, until the next start. */
    void install(OfferedState state) {
        keep(state.checkpoint(), false);
        installed = state;
    }

    void truncate(long belowPosition) {
        InvariantViolated.check(
                belowPosition <= coveredPosition() + 1,
                "truncates below %d, its checkpoint covers %d",
                belowPosition,
                coveredPosition());
        positions.headMap(belowPosition, false).clear();
    }

    ExploredCheckpoint checkpoint() {
        return checkpoint;
    }

    @Override
    public LogRecord metadata(int kind) {
        return metadata.get(kind);
    }

    @Override
    public LogRecord at(long position) {
        return positions.get(position);
    }

    @Override
    public long coveredPosition() {
        return oldestCheckpoint.position();
    }

    /** The log's latest record of each position. */
    NavigableMap<Long, LogRecord> positions() {
        return new TreeMap<>(positions);
    }

    /** Numbers of the values that the log holds, by position - 1; -1 where there is none. */
    int[] values(ReplicaMaker maker) {
        int[] numbers = new int[positions.isEmpty() ? 0 : positions.lastKey().intValue()];
        Arrays.fill(numbers, -1);
        positions.forEach((position, record) ->
                numbers[position.intValue() - 1] = maker.values().numberOf(record.body()));
        return numbers;
    }
}
