package io.chainkeeper.server.session;

import java.util.function.LongSupplier;

/**
 * Chooses ids for new sessions: the replica id in the top byte as ZooKeeper has it, then 40 bits of the time when this
 * replica started, then a counter. The time is that of the order, in which no two starts have the same: a clock that
 * was set back must not bring an old id back, with which an old client could take over a new session. An id that
 * exists all the same is skipped here and refused at execution. Safe for use by any thread.
 */
public final class SessionIds {
    private final int replicaId;
    private final LongSupplier startMillis;
    private final SessionTable table;
    private long begunMillis;
    private long last;

    /**
     * @param replicaId this replica, 0 to 255
     * @param startMillis when this replica started, in milliseconds since 1970; what it says first may be provisional
     * @param table all sessions
     */
    public SessionIds(int replicaId, LongSupplier startMillis, SessionTable table) {
        this.replicaId = replicaId;
        this.startMillis = startMillis;
        this.table = table;
    }

    /** @return an id that no session has */
    public synchronized long next() {
        long start = startMillis.getAsLong();
        if (start != begunMillis) {
            begunMillis = start;
            last = (long) replicaId << 56 | (start << 24) >>> 8;
        }
        do {
            last++;
        } while (last == 0 || table.get(last) != null);
        return last;
    }
}
