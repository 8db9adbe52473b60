package io.chainkeeper.server.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * When this replica last heard of each session that it serves. Local knowledge: nothing here is ordered, and only this
 * replica proposes to expire these sessions. Safe for use by any thread.
 */
public final class OwnedSessions {
    private enum Kind {
        /** Not ordered yet. */
        REQUESTED,
        /** The order says that this replica owns it. */
        OWNED,
        /** Known to this replica only. */
        LOCAL
    }

    private static final class Liveness {
        private final int timeoutMillis;
        private final AtomicLong lastHeardMillis;
        private final Kind kind;

        private Liveness(int timeoutMillis, long nowMillis, Kind kind) {
            this.timeoutMillis = timeoutMillis;
            this.lastHeardMillis = new AtomicLong(nowMillis);
            this.kind = kind;
        }

        private void defer(long now, long millis) {
            lastHeardMillis.updateAndGet(heard -> Math.max(heard, Math.min(now, heard + millis)));
        }

        private boolean silent(long now) {
            return now - lastHeardMillis.get() >= timeoutMillis;
        }
    }

    private final ConcurrentHashMap<Long, Liveness> sessions = new ConcurrentHashMap<>();
    private final LongSupplier clockMillis;

    /** @param clockMillis a monotonic clock */
    public OwnedSessions(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    /**
     * A client asked for a new session here; it is not ordered yet and cannot expire.
     *
     * @param sessionId its id
     * @param timeoutMillis negotiated timeout
     */
    public void requested(long sessionId, int timeoutMillis) {
        put(sessionId, timeoutMillis, Kind.REQUESTED);
    }

    /**
     * A client has got a session that is not ordered, or goes on with it on a new connection.
     *
     * @param sessionId its id
     * @param timeoutMillis negotiated timeout
     */
    public void local(long sessionId, int timeoutMillis) {
        put(sessionId, timeoutMillis, Kind.LOCAL);
    }

    private void put(long sessionId, int timeoutMillis, Kind kind) {
        sessions.put(sessionId, new Liveness(timeoutMillis, clockMillis.getAsLong(), kind));
    }

    /**
     * @param sessionId any session
     * @return whether only this replica knows it
     */
    public boolean isLocal(long sessionId) {
        Liveness session = sessions.get(sessionId);
        return session != null && session.kind == Kind.LOCAL;
    }

    /** @return ids of the local sessions, ascending */
    public Set<Long> localSessions() {
        Set<Long> local = new TreeSet<>();
        sessions.forEach((sessionId, session) -> {
            if (session.kind == Kind.LOCAL) {
                local.add(sessionId);
            }
        });
        return local;
    }

    /**
     * A local session is about to be ordered: from now on it is a requested one.
     *
     * @param sessionId the session
     * @return its timeout in milliseconds, or -1 if it is not local
     */
    public int upgrade(long sessionId) {
        int[] timeoutMillis = {-1};
        sessions.computeIfPresent(sessionId, (id, session) -> {
            if (session.kind != Kind.LOCAL) {
                return session;
            }
            timeoutMillis[0] = session.timeoutMillis;
            return new Liveness(session.timeoutMillis, clockMillis.getAsLong(), Kind.REQUESTED);
        });
        return timeoutMillis[0];
    }

    /**
     * Takes an {@link #upgrade} back: the session is not going to be ordered.
     *
     * @param sessionId the session
     */
    public void stayLocal(long sessionId) {
        sessions.computeIfPresent(
                sessionId,
                (id, session) -> session.kind == Kind.REQUESTED
                        ? new Liveness(session.timeoutMillis, clockMillis.getAsLong(), Kind.LOCAL)
                        : session);
    }

    /**
     * @param sessionId any session
     * @return whether this replica has asked for it to be ordered, and that has not come to be yet
     */
    public boolean isRequested(long sessionId) {
        Liveness session = sessions.get(sessionId);
        return session != null && session.kind == Kind.REQUESTED;
    }

    /** @return ids of the local sessions whose clients were silent for their timeout, in no particular order */
    public List<Long> expiredLocal() {
        return silent(Kind.LOCAL, clockMillis.getAsLong());
    }

    /**
     * The order says that this replica owns a session from now on.
     *
     * @param sessionId the session
     * @param timeoutMillis negotiated timeout
     */
    public void owned(long sessionId, int timeoutMillis) {
        put(sessionId, timeoutMillis, Kind.OWNED);
    }

    /**
     * The session was closed, moved away or never came to be.
     *
     * @param sessionId the session
     */
    public void forget(long sessionId) {
        sessions.remove(sessionId);
    }

    /**
     * The client has been heard.
     *
     * @param sessionId the session
     * @return false if this replica does not serve the session
     */
    public boolean touch(long sessionId) {
        Liveness session = sessions.get(sessionId);
        if (session == null) {
            return false;
        }
        session.lastHeardMillis.set(clockMillis.getAsLong());
        return true;
    }

    /** Gives every session a full timeout from now on: this replica could not have heard its clients. */
    public void rearm() {
        long now = clockMillis.getAsLong();
        sessions.forEach((sessionId, session) -> session.lastHeardMillis.accumulateAndGet(now, Math::max));
    }

    /**
     * Does not count some time as silence: this replica could not hear its clients for a while. None gets more than a
     * full timeout from now on.
     *
     * @param millis how much longer each session lasts
     */
    public void defer(long millis) {
        long now = clockMillis.getAsLong();
        sessions.forEach((sessionId, session) -> session.defer(now, millis));
    }

    /**
     * Finds sessions whose clients were silent for their timeout, each time again until they are heard or forgotten.
     *
     * @return ids, in no particular order
     */
    public List<Long> expired() {
        long now = clockMillis.getAsLong();
        // Requests for a session that were never ordered; if one still is, it becomes owned then.
        sessions.values().removeIf(session -> session.kind == Kind.REQUESTED && session.silent(now));
        return silent(Kind.OWNED, now);
    }

    /**
     * @param sessionId a session that this replica serves
     * @return whether its client has been silent for its timeout until now
     */
    public boolean isSilent(long sessionId) {
        Liveness session = sessions.get(sessionId);
        return session != null && session.silent(clockMillis.getAsLong());
    }

    private List<Long> silent(Kind kind, long now) {
        List<Long> silent = new ArrayList<>();
        sessions.forEach((sessionId, session) -> {
            if (session.kind == kind && session.silent(now)) {
                silent.add(sessionId);
            }
        });
        return silent;
    }

    /** @return sessions by the time, on this replica's monotonic clock, when they expire if nothing is heard */
    public Map<Long, Set<Long>> expiryTimes() {
        Map<Long, Set<Long>> times = new TreeMap<>();
        sessions.forEach((sessionId, session) -> times.computeIfAbsent(
                        session.lastHeardMillis.get() + session.timeoutMillis, time -> new TreeSet<>())
                .add(sessionId));
        return times;
    }

    /** @return number of sessions served here */
    public int size() {
        return sessions.size();
    }
}
