package io.chainkeeper.ordering;

import java.util.function.Consumer;

/** The acceptor log's part of a recovered state together with the checkpoint's. */
record RecoveredWithCheckpoint(RecoveredState log, Membership membership, long prefixHash) implements RecoveredState {
    @Override
    public long appliedPosition() {
        return log.appliedPosition();
    }

    @Override
    public long appliedPrefixHash() {
        return prefixHash;
    }

    @Override
    public LogRecord metadata(int kind) {
        return log.metadata(kind);
    }

    @Override
    public long firstPosition() {
        return log.firstPosition();
    }

    @Override
    public long lastPosition() {
        return log.lastPosition();
    }

    @Override
    public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
        log.forEachPosition(fromPosition, visitor);
    }

    @Override
    public void forEachHead(long fromPosition, Consumer<LogRecord> visitor) {
        log.forEachHead(fromPosition, visitor);
    }
}
