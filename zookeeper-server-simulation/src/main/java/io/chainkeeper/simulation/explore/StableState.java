package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.RecoveredState;
import java.util.ArrayList;
import java.util.NavigableMap;
import java.util.function.Consumer;

/**
 * What a replica finds on its disk.
 *
 * @param checkpoint of its application
 * @param appliedPrefixHash of what the checkpoint covers
 * @param positions the latest record of each position
 * @param metadata the latest record of each kind
 */
record StableState(
        ExploredCheckpoint checkpoint,
        long appliedPrefixHash,
        NavigableMap<Long, LogRecord> positions,
        NavigableMap<Integer, LogRecord> metadata)
        implements RecoveredState {
    @Override
    public long appliedPosition() {
        return checkpoint.position();
    }

    @Override
    public Membership membership() {
        return checkpoint.membership();
    }

    @Override
    public LogRecord metadata(int kind) {
        return metadata.get(kind);
    }

    @Override
    public long firstPosition() {
        return positions.isEmpty() ? 0 : positions.firstKey();
    }

    @Override
    public long lastPosition() {
        return positions.isEmpty() ? 0 : positions.lastKey();
    }

    @Override
    public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
        new ArrayList<>(positions.tailMap(fromPosition).values()).forEach(visitor);
    }
}
