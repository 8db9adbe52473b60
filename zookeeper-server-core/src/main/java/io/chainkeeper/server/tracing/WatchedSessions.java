package io.chainkeeper.server.tracing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Sessions all of whose requests are traced for a while, because somebody has asked for it. Any thread. */
final class WatchedSessions {
    /** So many at once. */
    static final int MOST = 16;

    /** For so long. */
    static final long MINUTES = 10;

    private final Map<Long, Long> untilNanos = new ConcurrentHashMap<>();

    /** Returns whether there is any. */
    boolean any() {
        return !untilNanos.isEmpty();
    }

    boolean contain(long sessionId, long nowNanos) {
        forgetPast(nowNanos);
        return untilNanos.containsKey(sessionId);
    }

    private void forgetPast(long nowNanos) {
        untilNanos.values().removeIf(until -> until - nowNanos <= 0);
    }

    /** Returns whether the session is watched from now on: not if there are too many already. */
    synchronized boolean watch(long sessionId, long nowNanos) {
        forgetPast(nowNanos);
        if (untilNanos.size() >= MOST && !untilNanos.containsKey(sessionId)) {
            return false;
        }
        untilNanos.put(sessionId, nowNanos + TimeUnit.MINUTES.toNanos(MINUTES));
        return true;
    }
}
