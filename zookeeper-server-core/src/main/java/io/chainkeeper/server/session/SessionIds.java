package io.chainkeeper.server.session;

import java.util.function.LongSupplier;

/**
 * Chooses ids for new sessions: the replica id in the top byte as ZooKeeper has it, then 40 bits of the time when this
 * replica started, then a counter of 16 bits that runs over into the time. The time is that of the order: a clock that
 * was set back must not bring an old id back, with which an old client could take over a new session.
 *
 * <p>Nor does a replica's next start bring one back, even if the time of the order stands still: that time is moved to
 * the time in the id of every session that is ordered ({@link #aheadMillis}), and no start has the same as anything
 * before it. A session that is not ordered may only have an id that is not ahead of the order.
 *
 * <p>An id that exists all the same is skipped here and refused at execution. Safe for use by any thread.
 */
public final class SessionIds {
    private static final int COUNTER_BITS = 16;
    private static final long TIME_MASK = (1L << 40) - 1;

    private final int replicaId;
    private final LongSupplier startMillis;
    private final LongSupplier agreedTimeMillis;
    private final SessionTable table;
    private long begunMillis;
    private long last;

    /**
     * @param replicaId this replica, 0 to 255
     * @param startMillis when this replica started, in milliseconds since 1970; what it says first may be provisional
     * @param agreedTimeMillis the time of the order as far as it has been executed, in milliseconds since 1970
     * @param table all sessions
     */
    public SessionIds(int replicaId, LongSupplier startMillis, LongSupplier agreedTimeMillis, SessionTable table) {
        this.replicaId = replicaId;
        this.startMillis = startMillis;
        this.agreedTimeMillis = agreedTimeMillis;
        this.table = table;
    }

    /** @return an id that no session has */
    public synchronized long next() {
        long start = startMillis.getAsLong();
        if (start != begunMillis) {
            begunMillis = start;
            last = (long) replicaId << 56 | (start & TIME_MASK) << COUNTER_BITS;
        }
        do {
            last++;
        } while (last == 0 || table.get(last) != null);
        return last;
    }

    /**
     * @param sessionId an id of this replica
     * @return whether the next start of this replica may choose it again if no command with this session is executed
     */
    boolean mayRecur(long sessionId) {
        return aheadMillis(sessionId, agreedTimeMillis.getAsLong()) > 0;
    }

    /**
     * How much later than a time the time in an id is.
     *
     * @param sessionId any id
     * @param timeMillis milliseconds since 1970
     * @return milliseconds, 0 if the id's time is the same or earlier; differences of 17 years and more, half of what
     *     the 40 bits distinguish, count as earlier
     */
    public static long aheadMillis(long sessionId, long timeMillis) {
        long ahead = (sessionId >>> COUNTER_BITS) - timeMillis & TIME_MASK;
        return ahead <= TIME_MASK / 2 ? ahead : 0;
    }
}
