package io.chainkeeper.server.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses ids for new sessions: the replica id in the top byte as ZooKeeper has it, then 40 bits of the time when this
 * replica started, then a counter. An id that exists all the same is skipped here and refused at execution. Safe for
 * use by any thread.
 */
public final class SessionIds {
    private final AtomicLong next;
    private final SessionTable table;

    /**
     * @param replicaId this replica, 0 to 255
     * @param startMillis wall clock at this start, not before any time that the replicated state has seen
     * @param table all sessions
     */
    public SessionIds(int replicaId, long startMillis, SessionTable table) {
        this.next = new AtomicLong((long) replicaId << 56 | (startMillis << 24) >>> 8);
        this.table = table;
    }

    /** @return an id that no session has */
    public long next() {
        long id = next.incrementAndGet();
        while (id == 0 || table.get(id) != null) {
            id = next.incrementAndGet();
        }
        return id;
    }
}
